import start from '../../../sql/migrations/0001_start.json' with { type: 'json' }
import { UserError } from '../../../src/platform/api-errors.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { listMigrations, loadStartColumns } from '../../../src/platform/db/schema/known-schema.ts'
import {
  checkSchema,
  isMigrated,
  listAppliedMigrations,
  loadKnownMigrations,
  migrateDatabase,
} from '../../../src/platform/db/schema/migrate.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { openDb } from '../../support/database/open.ts'
import { openTestDb, testConfig } from '../../support/server/start.ts'

const START = ['0001_start.sql']
const ANOTHER = /^The database was made before 0\.3\.0 by another commit: .* docs\/deploy\.md#/

/** A database as the commit left it whose 0001_start.sql is frozen. */
async function openStartDb() {
  const db = await openTestDb()
  await migrateDatabase(db, START)
  return db
}

/** Runs `work` after a change of the database, which is undone at the end. */
async function afterChange(db: Db, change: string, work: (tx: Db) => Promise<void>) {
  const undo = new Error('undo')
  await db
    .transaction(async (tx) => {
      await tx.script(change)
      await work(tx)
      throw undo
    })
    .catch((error) => {
      if (error !== undo) throw error
    })
}

const started = await openStartDb()
const migrated = await openTestDb()
await migrateDatabase(migrated)

const all = listMigrations().map(({ file, sha256 }) => ({ file, sha256 }))

async function expectRefused(db: Db, sentence: RegExp) {
  const before = await listAppliedMigrations(db)
  const error = await migrateDatabase(db).then(
    () => undefined,
    (error: Error) => error,
  )
  expect(error).toBeInstanceOf(UserError)
  expect(error!.message).toMatch(sentence)
  await expect(loadKnownMigrations(db)).rejects.toThrow(sentence)
  expect(await listAppliedMigrations(db)).toEqual(before)
}

test('0001_start.json has the tables and types of 0001_start.sql', async () => {
  const tables = new Map(Object.entries({ ...start.tables, ...start.types }))
  expect(await loadStartColumns(started)).toEqual(tables)
})

test('a new database has a hash for each migration', async () => {
  expect(await checkSchema(migrated)).toEqual(all)
  expect(await isMigrated(migrated)).toBe(true)
})

test('an empty database is known, and needs the migrations', async () => {
  const db = await openTestDb()
  expect(await checkSchema(db)).toEqual([])
})

test('a database of the frozen start is recognized and upgraded, also by two servers at once', async () => {
  const config = await testConfig()
  const [one, two] = await Promise.all([1, 2].map(() => openDb(config, createLogger(config))))
  await migrateDatabase(one!, START)
  expect([await checkSchema(one!), await isMigrated(one!)]).toEqual([
    [{ file: '0001_start.sql', sha256: null }],
    false,
  ])
  const added = await Promise.all([migrateDatabase(one!), migrateDatabase(two!)])
  expect(added.flat()).toEqual(all.map(({ file }) => file).slice(1))
  expect(await checkSchema(two!)).toEqual(all)
})

test.each([
  ['a table of its own', 'create table _notes (id text); create table "Notes" (id text)'],
  [
    'a view and a function of its own',
    `create view v as select 1 as one; create function f() returns int language sql as 'select 1'`,
  ],
  ['an index of its own', 'create index on _jobs (kind, holder)'],
])('a database of the frozen start with %s is upgraded', async (_, change) => {
  await afterChange(started, change, async (tx) => {
    await migrateDatabase(tx)
    expect(await checkSchema(tx)).toEqual(all)
  })
})

test.each([
  [
    'lacks a column',
    'alter table auth_session_tokens drop column account',
    /makes auth_session_tokens/,
  ],
  ['has another column', 'alter table _files add owner text', /makes _files differently/],
  [
    'has a column under another name',
    'alter table sms_dispatch rename refused to why',
    /sms_dispatch/,
  ],
  [
    'has a column of another type',
    'alter table device_handouts alter messages type bigint',
    /device_handouts/,
  ],
  ['lacks a table', 'drop table auth_passkeys', /auth_passkeys/],
  [
    'has another composite type',
    'alter type sms_request drop attribute undo_seconds',
    /sms_request/,
  ],
])('a database without hashes that %s is refused', async (_, change, part) => {
  await afterChange(started, change, async (tx) => {
    await expectRefused(tx, ANOTHER)
    await expectRefused(tx, part)
  })
})

test.each([
  [
    'another text of the first migration',
    `update _migrations set sha256 = md5('x') where file like '0001%'`,
    /0001_start\.sql/,
  ],
  [
    'another text of a later migration',
    `update _migrations set sha256 = md5('x') where file like '0002%'`,
    /0002_hashes\.sql/,
  ],
  [
    'no hash of one migration',
    `update _migrations set sha256 = null where file like '0001%'`,
    /0001_start\.sql/,
  ],
  ['no hash at all', 'update _migrations set sha256 = null', /0001_start\.sql/],
])('a migrated database with %s is refused, and not ready', async (_, change, part) => {
  await afterChange(migrated, change, async (tx) => {
    await expectRefused(tx, ANOTHER)
    await expectRefused(tx, part)
    expect(await isMigrated(tx)).toBe(false)
  })
})

test.each([
  [
    'lacks one of its tables',
    'drop table sms_totals',
    /^The database is incomplete: the table sms_totals is missing/,
  ],
  [
    'lacks the list of its migrations',
    'truncate _migrations',
    /^The database is incomplete: the list of its migrations is missing/,
  ],
  [
    'lacks the table of its migrations',
    'drop table _migrations',
    /the list of its migrations is missing/,
  ],
])('a database that %s, as after half a restore, is refused', async (_, change, sentence) => {
  await afterChange(migrated, change, async (tx) => {
    await expect(migrateDatabase(tx)).rejects.toThrow(sentence)
  })
})

test('a migration that a version left out is applied later, also below newer numbers', async () => {
  const db = await openTestDb()
  const [first, second, ...others] = all.map(({ file }) => file)
  await migrateDatabase(db, [first!, second!])
  await migrateDatabase(db, [first!, ...others])
  await migrateDatabase(db)
  expect(await checkSchema(db)).toEqual(all)
})
