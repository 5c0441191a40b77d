import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { readConfig } from '../../../src/platform/config.ts'
import { findRoleWarning } from '../../../src/platform/db/role-warning.ts'
import { migrateDatabase } from '../../../src/platform/db/schema/migrate.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { type OpenDb, openDb } from '../../support/database/open.ts'
import {
  findPostgres,
  startPostgres,
  type TemporaryPostgres,
} from '../../support/database/postgres.ts'
import { client, signIn } from '../../support/server/server-with-devices.ts'
import { openTestDb, SUPERUSER, startServer } from '../../support/server/start.ts'

const SCRIPT = fileURLToPath(new URL('../../../deploy/postgres/role.sql', import.meta.url))
const PASSWORD = `it's "a" \\password`
const silent = createLogger({ logLevel: 'silent' })
const psql = join(findPostgres() ?? '', 'psql')

test('the roles of the tests and of the embedded database cause no warning', async () => {
  const db = await openTestDb()
  onTestFinished(() => db.close())
  expect(await findRoleWarning(db)).toBeUndefined()
})

test('only superusers can read warnings about the role', async () => {
  const server = await startServer()
  onTestFinished(() => server.stop())
  const superuser = await signIn(server.url, '_superusers', SUPERUSER.email, SUPERUSER.password)
  expect(await superuser.call('GET', '/api/warnings')).toMatchObject({ status: 200, body: [] })
  expect((await client(server.url, '', '').call('GET', '/api/warnings')).status).toBe(401)
})

describe.runIf(existsSync(psql))('on a server', () => {
  let postgres: TemporaryPostgres
  let admin: pg.Client
  const open = (user: string, password: string, database: string): Promise<OpenDb> => {
    const url = Object.assign(new URL(postgres.url), {
      username: user,
      password: encodeURIComponent(password),
      pathname: `/${database}`,
    })
    return openDb(readConfig({ DATABASE_URL: url.href }), silent)
  }
  beforeAll(async () => {
    postgres = await startPostgres({ settings: { fsync: 'off' } })
    admin = new pg.Client({ connectionString: postgres.url })
    await admin.connect()
  })
  afterAll(async () => {
    await admin.end()
    await postgres.stop()
  })

  /** The warning about a new role with these rights. */
  async function warningOf(name: string, rights: string) {
    await admin.query(`create role ${name} login password 'x' ${rights}`)
    const db = await open(name, 'x', 'postgres')
    onTestFinished(() => db.close())
    return findRoleWarning(db)
  }

  test.each([
    ['superuser', 'superuser createrole', 'is a superuser. The server does not need that'],
    ['roles', 'createrole', 'may create roles (CREATEROLE).'],
    ['replica', 'replication bypassrls', '(REPLICATION), bypasses row security (BYPASSRLS).'],
    ['reader', 'in role pg_read_server_files', 'may read files of the database server.'],
    ['writer', 'in role pg_write_server_files', 'may write files of the database server.'],
    ['runner', 'in role pg_execute_server_program', 'may run programs on the database server.'],
  ])('a role "%s" with "%s" gets a warning with "%s"', async (name, rights, warning) => {
    const said = await warningOf(name, rights)
    expect(said).toContain(`The database role "${name}" `)
    expect(said).toContain(warning)
  })

  test('a role that may only create databases gets no warning', async () => {
    expect(await warningOf('plain', 'createdb')).toBeUndefined()
  })

  test("Compose's script creates a plain role that can do all that the server needs", async () => {
    const env = {
      ...process.env,
      PGPASSWORD: new URL(postgres.url).password,
      POSTGRES_PASSWORD: PASSWORD,
    }
    const url = Object.assign(new URL(postgres.url), { password: '' }).href
    await promisify(execFile)(psql, ['--no-psqlrc', '-v', 'ON_ERROR_STOP=1', '-f', SCRIPT, url], {
      env,
    })
    const db = await open('pocketsms', PASSWORD, 'pocketsms')
    onTestFinished(() => db.close())
    expect(await findRoleWarning(db)).toBeUndefined()
    await migrateDatabase(db)
    await db.unhurried('create index concurrently mine on _params (key)')
    await db.unhurried('vacuum (analyze) _params')
    expect((await db.query('select pg_try_advisory_lock(1)')).rows).toEqual([[true]])
    await expect(db.query(`select pg_read_file('PG_VERSION')`)).rejects.toThrow('permission denied')
    await expect(db.query(`copy _params to program 'true'`)).rejects.toThrow('must be superuser')
    await expect(db.query('select rolpassword from pg_authid')).rejects.toThrow('permission denied')
  })

  test("Compose's script removes the superuser's password", async () => {
    const { rows } = await admin.query(
      `select rolpassword from pg_authid where rolname = 'postgres'`,
    )
    expect(rows).toEqual([{ rolpassword: null }])
  })
})
