import pg from 'pg'
import { buildIndexes, listIndexWarnings } from '../../../src/gateway/messages/history-indexes.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { migrateDatabase } from '../../../src/platform/db/schema/migrate.ts'
import { readSqlFiles } from '../../../src/platform/db/schema/sql-files.ts'
import { loadIndexStates as statesOf } from '../../../src/platform/db/schema/trigrams.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { type OpenDb, openCatalogStore, openDb } from '../../support/database/open.ts'
import { openPreparedDb, openTestDb, testConfig } from '../../support/server/start.ts'

const silent = createLogger({ logLevel: 'silent' })
const ROWS = 20_000
const insert = (from: number, to: number) => `
  insert into sms_messages (id, body, "to", created, updated)
  select 'message' || n, 'Hello number ' || n, '+49' || n, pb_text(now()), pb_text(now())
  from generate_series(${from}, ${to}) n`

const readIndexStates = (db: Db) =>
  statesOf(
    db,
    readSqlFiles('indexes/large-history').map(({ name }) => name),
  )
const states = async (db: Db) => new Set((await readIndexStates(db)).values())
const dropAll = async (db: Db) => {
  for (const name of (await readIndexStates(db)).keys())
    await db.query(`drop index if exists ${name}`)
}

test('a new database needs no index for a large history, and no warning', async () => {
  const db = await openTestDb()
  await migrateDatabase(db)
  await (await openCatalogStore(db)).close()
  expect([...(await states(db))]).toEqual(['missing'])
  expect(await listIndexWarnings(db)).toEqual([])
})

describe('a large table', () => {
  let db: OpenDb
  beforeAll(async () => {
    db = await openPreparedDb()
    await dropAll(db)
    await db.query(insert(1, ROWS))
    await db.query('analyze sms_messages')
  })

  test('a large table gets no index while a server starts, but a warning', async () => {
    await (await openCatalogStore(db)).close()
    expect([...(await states(db))]).toEqual(['missing'])
    expect((await listIndexWarnings(db, ROWS))[0]).toMatch(
      /^The index sms_messages_\w+ is not built yet\./,
    )
  })

  test('a large table gets its indexes in the background while rows are inserted', async () => {
    await buildIndexes(db, silent)
    expect((await readIndexStates(db)).get('sms_messages_by_time')).toBe('missing')
    await Promise.all([buildIndexes(db, silent, ROWS), db.query(insert(ROWS + 1, ROWS + 10))])
    expect([...(await states(db))]).toEqual(['ready'])
    expect(await listIndexWarnings(db)).toEqual([])
  })
})

test('a table that lacks a column gets the other indexes', async () => {
  const db = await openPreparedDb()
  await dropAll(db)
  await db.query('alter table sms_messages drop column body')
  await buildIndexes(db, silent, 0)
  const found = await readIndexStates(db)
  expect(found.get('sms_messages_body_trigrams')).toBe('missing')
  expect(found.get('sms_messages_by_time')).toBe('ready')
})

describe('on a server', () => {
  const open = async () => {
    const config = await testConfig({}, 'prepared')
    const db = await openDb(config, silent)
    const other = await openDb(config, silent)
    return { db, other, url: config.databaseUrl! }
  }
  const connect = async (url: string) => {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }

  test('two nodes at once build each index once', async () => {
    const { db, other } = await open()
    await dropAll(db)
    await Promise.all([buildIndexes(db, silent, 0), buildIndexes(other, silent, 0)])
    expect([...(await states(db))]).toEqual(['ready'])
  })

  test('an index left half-built by a crash is dropped and built again', async () => {
    const { db, url } = await open()
    await db.query('drop index sms_messages_by_time')
    const writer = await connect(url)
    await writer.query('begin; insert into sms_messages (id) values ($$unfinished$$)')
    const builder = await connect(url)
    const build = builder.query(
      'create index concurrently sms_messages_by_time on sms_messages (created desc, _rowid)',
    )
    const failed = expect(build).rejects.toThrow()
    await expect
      .poll(async () => (await readIndexStates(db)).get('sms_messages_by_time'))
      .toBe('building')
    expect(await listIndexWarnings(db, 0)).toEqual([expect.stringContaining('is being built')])
    await db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where query like 'create index concurrently%'
        and datname = current_database()`,
    )
    await failed
    await writer.query('rollback')
    await expect
      .poll(async () => (await readIndexStates(db)).get('sms_messages_by_time'))
      .toBe('partial')
    await buildIndexes(db, silent, 0)
    expect([...(await states(db))]).toEqual(['ready'])
  })

  test('a role that may not install the extension works without trigrams and logs the reason', async () => {
    const { db, url } = await open()
    const admin = await connect(
      Object.assign(new URL(process.env.TEST_POSTGRES_URL!), { pathname: new URL(url).pathname })
        .href,
    )
    await admin.query('drop extension pg_trgm cascade')
    await admin.query('drop schema pocketsms_extensions')
    const [database, role] = [new URL(url).pathname.slice(1), new URL(url).username]
    await admin.query(`revoke create on database ${database} from ${role}`)
    await dropAll(db)
    await buildIndexes(db, silent, 0)
    const found = await readIndexStates(db)
    expect(found.get('sms_messages_body_trigrams')).toBe('missing')
    expect(found.get('sms_messages_by_time')).toBe('ready')
    const warnings = await listIndexWarnings(db, 0)
    expect(warnings).toHaveLength(3)
    expect(warnings[0]).toMatch(/sms_messages_body_trigrams is not possible\. .*pg_trgm/)
    await (await openCatalogStore(db)).close()
  })
})
