import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { checkBackup } from '../../src/engine/backup/read-archive.ts'
import { restoreBackup } from '../../src/engine/backup/restore.ts'
import { loadCollectionRows } from '../../src/engine/collections/catalog.ts'
import { afterRestore } from '../../src/main/after-restore.ts'
import type { Db } from '../../src/platform/db/open.ts'
import { checkSchema, migrateDatabase } from '../../src/platform/db/schema/migrate.ts'
import { createLogger } from '../../src/platform/log.ts'
import { dumpSchema } from '../platform/db/dump-schema.ts'
import { type OpenDb, openCatalogStore, openDb } from '../support/database/open.ts'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { makeSamples } from '../support/sample-records.ts'
import { listReleases, openRelease } from '../support/server/other-version.ts'
import { type RunningProgram, serve } from '../support/server/program.ts'
import { PROGRAM_HOME } from '../support/server/program-files.ts'
import {
  type Client,
  client,
  makeUser,
  must,
  PASSWORD,
  pairDevice,
  signIn,
} from '../support/server/server-with-devices.ts'
import { openTestDb, SUPERUSER, testConfig } from '../support/server/start.ts'

// A server of each release fills a database with data of every collection; then this version takes over, on
// the same database and from a backup of the release.

const removals: (() => void)[] = []
afterAll(() => {
  for (const remove of removals) remove()
})

/** Starts a version on a database. */
async function start(url: string, home: string): Promise<RunningProgram> {
  const port = String(await freePort())
  return serve({ DATABASE_URL: url, HOST: '127.0.0.1', PORT: port }, home)
}

const openUrl = async (url: string): Promise<OpenDb> => {
  const config = await testConfig({ DATABASE_URL: url })
  return openDb(config, createLogger(config))
}

/** What a release leaves: its database, a database restored from its backup, and who used it. */
async function prepare(name: string) {
  const release = openRelease(name)
  removals.push(release.remove)
  const upgradedUrl = (await testConfig()).databaseUrl!
  const run = (...words: string[]) =>
    execFileSync(process.execPath, [join(release.home, 'bin/pocketsms.js'), ...words], {
      env: { ...process.env, DATABASE_URL: upgradedUrl },
      stdio: 'ignore',
    })
  run('superuser', 'upsert', SUPERUSER.email, SUPERUSER.password)
  const old = await start(upgradedUrl, release.home)
  const before = await fill(old.url, upgradedUrl)
  const backup = join(temporaryFolder(), 'release.zip')
  run('backup', '--to', backup)
  await old.stop()
  const restoredUrl = (await testConfig()).databaseUrl!
  await checkBackup(backup)
  await restoreBackup(await openUrl(restoredUrl), backup, { afterRestore, resume: true })
  return [
    { what: `a database of ${name}`, url: upgradedUrl, before },
    { what: `a restored backup of ${name}`, url: restoredUrl, before },
  ]
}

/** Data of all kinds, by the routes of the release, and a row in each table that has none by then. */
async function fill(url: string, databaseUrl: string) {
  const root = await signIn(url, '_superusers', SUPERUSER.email, SUPERUSER.password)
  const ann = await makeUser(url, root, { email: 'ann@example.com' })
  const phone = await pairDevice(url, ann)
  const create = async (collection: string, values: object) =>
    (
      await must(ann, 'POST', `/api/collections/${collection}/records`, {
        ...values,
        user: ann.id,
      }).catch(() =>
        must(root, 'POST', `/api/collections/${collection}/records`, { ...values, user: ann.id }),
      )
    ).id as string
  await makeSamples('old', create)
  await must(root, 'POST', '/api/collections', {
    name: 'notes',
    type: 'base',
    listRule: '',
    fields: [
      { name: 'title', type: 'text' },
      { name: 'scan', type: 'file', maxSelect: 1 },
    ],
  })
  await must(root, 'POST', '/api/collections/notes/records', { title: 'kept' })
  await must(ann, 'POST', '/api/sms/send', { recipients: ['+4915112345678'], body: 'before' })
  await must(phone, 'POST', '/api/devices/incoming', {
    items: [{ from: '+4915100000001', body: 'Hello', received_at: new Date().toISOString() }],
  })
  const db = await openUrl(databaseUrl)
  await fillEmptyTables(db)
  return { ann, phone, lists: await countRecords(root, db) }
}

/** Inserts a row with the least that its columns take into each table that is empty. */
async function fillEmptyTables(db: Db): Promise<void> {
  const { rows } = await db.query(`
    select c.relname, json_object_agg(a.attname, case
      when a.atttypid in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'float8'::regtype, 'numeric'::regtype) then '1'
      when a.atttypid = 'bool'::regtype then 'false'
      when a.atttypid = 'timestamptz'::regtype then 'now()'
      when a.atttypid = 'json'::regtype then quote_literal('{}')
      when t.typcategory = 'A' then quote_literal('{}')
      else quote_literal('x') end)
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attidentity = ''
    group by c.relname`)
  for (const [table, columns] of rows) {
    const [found] = (await db.query(`select exists (select from "${table}")`)).rows
    if (found![0]) continue
    const values: Record<string, string> = JSON.parse(String(columns))
    const names = Object.keys(values).map((name) => `"${name}"`)
    const sql = `insert into "${table}" (${names}) values (${Object.values(values)})`
    // a few have conditions between their columns
    await db.query(sql).catch(() => {})
  }
}

/** How many records each collection has, as its list says to a superuser. */
async function countRecords(root: Client, db: Db): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { data } of await loadCollectionRows(db)) {
    const { name } = JSON.parse(data)
    const { totalItems } = await must(root, 'GET', `/api/collections/${name}/records`)
    counts.set(name, totalItems)
  }
  return counts
}

/** The lines of each table, in any order: an added column is the last one. */
function splitTables(schema: string): Map<string, string[]> {
  const parts = schema.split(/^(?=create (?:table|type|view) |-- )/m)
  const lines = parts.map((part): [string, string[]] => [
    part.split('(')[0]!,
    part
      .split('\n')
      .map((line) => line.replace(/,$/, ''))
      .sort(),
  ])
  return new Map(lines)
}

/** The definitions of collections by name, without what each database makes for itself. */
async function describeCollections(db: Db): Promise<Map<string, unknown>> {
  const rows = await loadCollectionRows(db)
  return new Map(rows.map(({ data }) => [JSON.parse(data).name, withoutOwn(JSON.parse(data))]))
}

const withoutOwn = ({ fields, ...collection }: { fields: { name: string }[] }) =>
  JSON.parse(
    JSON.stringify(
      { ...collection, fields: fields.toSorted((a, b) => (a.name < b.name ? -1 : 1)) },
      (key, value) => (['created', 'updated', 'secret'].includes(key) ? undefined : value),
    ),
  )

const left: Awaited<ReturnType<typeof prepare>> = []
for (const name of listReleases()) left.push(...(await prepare(name)))

describe.each(left)('with $what, this version', async ({ url, before }) => {
  const server = await start(url, PROGRAM_HOME)
  const db = await openUrl(url)
  const root = await signIn(server.url, '_superusers', SUPERUSER.email, SUPERUSER.password)
  const ann = client(server.url, before.ann.id, before.ann.token)
  const phone = client(server.url, before.phone.id, before.phone.token)

  test('lists the records of each collection', async () => {
    const now = await countRecords(root, db)
    const kept = [...before.lists].filter(([name]) => now.has(name))
    expect(kept.length).toBeGreaterThan(30)
    expect(new Map(kept.map(([name]) => [name, now.get(name)]))).toEqual(new Map(kept))
  })

  test('lets people sign in, and knows their sessions', async () => {
    await signIn(server.url, 'users', before.ann.email, PASSWORD)
    expect((await ann.call('POST', '/api/collections/users/auth-refresh')).status).toBe(200)
    expect((await ann.call('GET', '/api/collections/contacts/records')).body.totalItems).toBe(1)
  })

  test('hands out texts from before and new ones to the phone, and takes its texts', async () => {
    await must(ann, 'POST', '/api/sms/send', { recipients: ['+4915112345679'], body: 'after' })
    const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 10 })
    const bodies = items.map(({ body }: { body: string }) => body)
    expect(bodies).toEqual(expect.arrayContaining(['before', 'after']))
    const from = '+4915100000002'
    const received = [{ from, body: 'Hello', received_at: new Date().toISOString() }]
    await must(phone, 'POST', '/api/devices/incoming', { items: received })
    const filter = encodeURIComponent(`from = '${from}'`)
    const list = await must(ann, 'GET', `/api/collections/sms_messages/records?filter=${filter}`)
    expect(list.items).toMatchObject([{ body: 'Hello' }])
  })

  test('has the schema and the built-in collections of a new database', async () => {
    const fresh = await openTestDb()
    await migrateDatabase(fresh)
    await (await openCatalogStore(fresh)).close()
    const now = splitTables(await dumpSchema(db))
    const names = [...now].filter(([name]) => !/^create table notes /.test(name))
    const expected = splitTables(await dumpSchema(fresh))
    expect(new Map(names)).toEqual(expected)
    const collections = await describeCollections(db)
    collections.delete('notes')
    expect(collections).toEqual(await describeCollections(fresh))
    expect(await checkSchema(db)).toEqual(await checkSchema(fresh))
  })

  test('says that it is ready and migrated', async () => {
    const ready = await fetch(`${server.url}/api/ready`)
    expect(await ready.json()).toMatchObject({ ready: true, database: { migrated: true } })
  })
})
