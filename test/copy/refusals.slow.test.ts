import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../src/collections/catalog/catalog-store.ts'
import { readConfig } from '../../src/config.ts'
import { copyInstallation } from '../../src/copy/copy.ts'
import { checkLocations, parseLocation } from '../../src/copy/database-location.ts'
import type { Db } from '../../src/db/open.ts'
import { migrate } from '../../src/db/schema/migrate.ts'
import { findAnyObject, NOT_TRANSFERRED, tablesOf } from '../../src/transfer/tables.ts'
import {
  type Environment,
  emptyDatabase,
  removeFolders,
  withDatabase,
} from '../support/database/empty-databases.ts'

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
const KIND = process.env.TEST_BACKEND === 'postgres' ? 'postgres' : 'pglite'
const TIMEOUT = { timeout: 180_000 }

const nameOf = ({ DATABASE_URL, DATA_DIR }: Environment) => DATABASE_URL || DATA_DIR
const copy = (source: Db, target: Db) => copyInstallation(source, target, () => {})

let full: Environment
beforeAll(async () => {
  full = await emptyDatabase(KIND)
  await withDatabase(full, async (db) => {
    await migrate(db)
    await (await openStore(db)).close()
  })
}, 120_000)
afterAll(removeFolders)

test('the command copies, and says what; again it refuses', TIMEOUT, async () => {
  const to = await emptyDatabase(KIND)
  const run = () => {
    const env = { ...process.env, ...full }
    return spawnSync(process.execPath, [CLI, 'copy', '--to', nameOf(to)], { encoding: 'utf8', env })
  }
  const { status, stdout, stderr } = run()
  expect(stderr).toMatch(/^_collections (\d+)\/\1$/m)
  expect(stdout).toMatch(/: \d+ tables with \d+ rows, the same on both sides\.$/m)
  expect(stdout).toMatch(/^ {2}_collections +\d+$/m)
  expect(status).toBe(0)
  const again = run()
  expect(again.stderr).toContain('The target is not empty: it has the table or view ')
  expect(again.status).toBe(1)
})

test.each([
  ['a folder onto itself', './x/../here', './here', 'The target is the source.'],
  ['a folder without data', './nothing', './there', 'There is no pocketsms in the folder ./nothing.'],
])('refuses %s', (_, from, to, sentence) => {
  const here = process.cwd()
  const folder = join(full.DATA_DIR, '..')
  mkdirSync(join(folder, 'here', 'pglite'), { recursive: true })
  process.chdir(folder)
  try {
    const config = readConfig({})
    expect(() => checkLocations(parseLocation(from, config), parseLocation(to, config))).toThrow(sentence)
  } finally {
    process.chdir(here)
  }
})

test.each([
  ['postgres://ann:secret@host/db', 'postgres://ann:***@host/db'],
  ['postgresql://host/db?user=ann&password=secret', 'postgresql://host/db?user=ann&password=***'],
  ['postgres://ann@host/db', 'postgres://ann@host/db'],
  ['./data', './data'],
])('%s is called %s', (text, label) => expect(parseLocation(text, readConfig({})).label).toBe(label))

test('refuses a source on which a server runs', TIMEOUT, async () => {
  const to = await emptyDatabase(KIND)
  if (KIND === 'pglite') {
    const lock = join(full.DATA_DIR, 'pocketsms.pid')
    writeFileSync(lock, String(process.ppid))
    await expect(withDatabase(full, async () => {})).rejects.toThrow(/is in use by process \d+/)
    writeFileSync(lock, '0')
    return
  }
  await withDatabase(full, async (source) => {
    const store = await openStore(source)
    const refused = withDatabase(to, (target) => copy(source, target))
    await expect(refused).rejects.toThrow('A server runs on the source (1 in all).')
    await store.close()
  })
})

test('refuses a target with anything in it, and an empty source', TIMEOUT, async () => {
  const to = await emptyDatabase(KIND)
  await withDatabase(full, (source) =>
    withDatabase(to, async (target) => {
      await expect(copy(target, source)).rejects.toThrow('There is no pocketsms in the source.')
      await target.query('create table mine (id int)')
      const sentence = 'The target is not empty: it has the table or view mine. Copy into a new database.'
      await expect(copy(source, target)).rejects.toThrow(sentence)
    }),
  )
})

test('a copy that fails leaves nothing', TIMEOUT, async () => {
  const to = await emptyDatabase(KIND)
  await withDatabase(full, (source) =>
    withDatabase(to, async (target) => {
      await source.query('alter table webhook_rotations add column odd text')
      await expect(copy(source, target)).rejects.toThrow('The table webhook_rotations has other columns')
      expect(await findAnyObject(target)).toBeUndefined()
      await source.query('alter table webhook_rotations drop column odd')
      await source.query('create table of_others (id int)')
      expect((await copy(source, target)).foreign).toEqual(['of_others'])
    }),
  )
})

test('no table is copied that has numbers of one database alone', TIMEOUT, async () => {
  const OF_ONE_DATABASE = /^(oid|reg\w+|xid8?|pg_lsn|pg_snapshot|tid|cid)(\[\])?$/
  const tables = await withDatabase(full, tablesOf)
  const tied = tables.filter(({ columns }) => columns.some(({ type }) => OF_ONE_DATABASE.test(type)))
  expect(tied.map(({ name }) => name).filter((name) => !NOT_TRANSFERRED.has(name))).toEqual([])
  expect(tied.length).toBeGreaterThan(0)
})
