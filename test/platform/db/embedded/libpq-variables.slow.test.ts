import { join } from 'node:path'
import { readConfig } from '../../../../src/platform/config.ts'
import { openDb } from '../../../../src/platform/db/connect-database.ts'
import { makeFailoverClients } from '../../../../src/platform/db/failover-hosts.ts'
import { createLogger } from '../../../../src/platform/log.ts'
import { openElsewhere } from '../../../support/database/embedded.ts'
import { temporaryFolder } from '../../../support/database/temporary-folder.ts'

// Variables of libpq in the environment describe another Postgres than the embedded one.

const WRONG = {
  PGHOST: 'db.example.com',
  PGHOSTADDR: '192.0.2.1',
  PGPORT: '1',
  PGUSER: 'nobody',
  PGPASSWORD: 'wrong',
  PGDATABASE: 'nothing',
  PGPASSFILE: '/nowhere',
  PGSERVICE: 'nothing',
  PGSERVICEFILE: '/nowhere',
  PGSYSCONFDIR: '/nowhere',
  PGOPTIONS: '-c default_transaction_read_only=on -c search_path=nowhere',
  PGSSLMODE: 'require',
  PGSSLNEGOTIATION: 'direct',
  PGREQUIRESSL: '1',
  PGSSLROOTCERT: '/nowhere',
  PGSSLCERT: '/nowhere',
  PGSSLKEY: '/nowhere',
  PGREQUIREAUTH: 'none',
  PGCHANNELBINDING: 'require',
  PGAPPNAME: 'pocketsms',
  PGCLIENTENCODING: 'LATIN1',
  PGCLIENT_ENCODING: 'LATIN1',
  PGREPLICATION: 'database',
  PGBINARY: '1',
  PGDATESTYLE: 'German',
  PGTZ: 'Asia/Tokyo',
  PGCONNECT_TIMEOUT: '1',
  PGTARGETSESSIONATTRS: 'standby',
  PGDATA: '/nowhere',
}

const log = createLogger({ logLevel: 'error' })
const before = { ...process.env }
afterEach(() => {
  for (const name of Object.keys(WRONG)) delete process.env[name]
  Object.assign(process.env, before)
})

test('a new embedded Postgres is made and opened beside all variables of libpq', async () => {
  const folder = join(temporaryFolder(), 'data')
  const { child, url, said } = await openElsewhere(folder, { env: { ...process.env, ...WRONG } })
  expect({ url, said }).toMatchObject({ url: expect.stringMatching(/^postgres:/), said: '' })
  child.kill()
})

describe('an existing embedded Postgres', () => {
  const config = readConfig({ DATA_DIR: join(temporaryFolder(), 'data') })

  beforeAll(async () => (await openDb(config, log)).close())

  test.each(Object.entries(WRONG))(
    'an existing embedded Postgres is used beside %s=%s',
    async (name, value) => {
      process.env[name] = value
      const database = await openDb(config, log)
      try {
        const db = database.forEverybody('server')
        const { rows } = await db.query(`
        select current_user::text, current_database()::text, current_setting('client_encoding'),
          current_setting('default_transaction_read_only'), current_setting('search_path'),
          current_setting('DateStyle'), current_setting('TimeZone'), 'ü'`)
        const usual = ['"$user", public', 'ISO, MDY', 'UTC', 'ü']
        expect(rows).toEqual([['pocketsms', 'pocketsms', 'UTF8', 'off', ...usual]])
        await db.unhurried('analyze pg_class')
        expect(await db.lookUp('select 1')).toMatchObject({ rows: [[1]] })
      } finally {
        await database.close()
      }
    },
  )

  test('an existing embedded Postgres is used beside the settings of the server that share their first letters', async () => {
    process.env.PG_BIN ??= '/nowhere'
    await (await openDb(config, log)).close()
    expect(process.env.PG_BIN).toBeDefined()
  })
})

test("DATABASE_URL's own parameters count before PGSSLMODE and PGAPPNAME", () => {
  Object.assign(process.env, { PGSSLMODE: 'require', PGAPPNAME: 'other', PGUSER: 'nobody' })
  const { Client } = makeFailoverClients(
    'postgres://owner@db.example.com/shop?sslmode=disable&application_name=shop',
  )
  const { connectionParameters: read } = new Client() as unknown as {
    readonly connectionParameters: object
  }
  const own = { user: 'owner', database: 'shop', ssl: false, application_name: 'shop' }
  expect(read).toMatchObject(own)
})
