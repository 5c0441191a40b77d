import { createHash } from 'node:crypto'
import { createWriteStream, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import {
  checkBackup,
  MANIFEST,
  type Manifest,
  openArchive,
} from '../../../src/engine/backup/read-archive.ts'
import { findAnyObject, restoreBackup } from '../../../src/engine/backup/restore.ts'
import { writeBackup } from '../../../src/engine/backup/write.ts'
import { afterRestore } from '../../../src/main/after-restore.ts'
import { UserError } from '../../../src/platform/api-errors.ts'
import { checkSchema, migrateDatabase } from '../../../src/platform/db/schema/migrate.ts'
import { openCatalogStore } from '../../support/database/open.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { openTestDb } from '../../support/server/start.ts'

const folder = temporaryFolder()
const good = join(folder, 'good.zip')
const source = await openTestDb()
const target = await openTestDb()
await migrateDatabase(source)
await (await openCatalogStore(source)).close()
await writeBackup(source, good)

const whole = await readWhole(good)
const { contents } = whole

// as the commit wrote it at which the first migration was frozen
const start = join(folder, 'start.zip')
const startSource = await openTestDb()
await migrateDatabase(startSource, ['0001_start.sql'])
await (await openCatalogStore(startSource)).close()
await writeBackup(startSource, start)
const wholeStart = await readWhole(start)

async function readWhole(path: string) {
  const archive = await openArchive(path)
  const contents = new Map<string, Buffer>()
  for (const entry of archive.manifest.tables) {
    const chunks: Uint8Array[] = []
    for await (const chunk of archive.contentOf(entry)) chunks.push(chunk)
    contents.set(`tables/${entry.name}.jsonl`, Buffer.concat(chunks))
  }
  archive.close()
  return { manifest: archive.manifest, contents }
}

type Change = (manifest: Manifest, contents: Map<string, Buffer>) => unknown
type Table = Manifest['tables'][number]

/** A ZIP file with these entries. */
async function zipOf(entries: ReadonlyMap<string, Buffer>): Promise<string> {
  const path = join(folder, 'changed.zip')
  const zip = new ZipFile()
  for (const [name, content] of entries) zip.addBuffer(content, name)
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(path))
  return path
}

/** A backup after a change of what is in it, with right checksums of the ZIP file. */
async function changed(change: Change, of = whole): Promise<string> {
  const [copy, entries] = [structuredClone(of.manifest), new Map(of.contents)]
  const made = change(copy, entries) ?? copy
  return zipOf(
    entries.has(MANIFEST) ? entries : entries.set(MANIFEST, Buffer.from(JSON.stringify(made))),
  )
}

/** The good backup with other bytes. */
const bytesOf = (change: (bytes: Buffer) => Buffer) => async () => {
  const path = join(folder, 'bytes.zip')
  writeFileSync(path, change(readFileSync(good)))
  return path
}
const tableOf = (m: Manifest, name: string) => m.tables.find((table) => table.name === name)!
const withTable = (name: string, values: object | ((table: Table) => object)): Change => {
  return (m) => {
    const table = tableOf(m, name)
    Object.assign(table, typeof values === 'function' ? values(table) : values)
  }
}
const withColumn = (values: object) =>
  withTable('users', ({ columns: [first, ...rest] }) => ({
    columns: [{ ...first, ...values }, ...rest],
  }))
const withView =
  (query: string): Change =>
  (m) =>
    void m.views.push({ name: 'v', query })
const withoutTable =
  (name: string): Change =>
  (m, all) => {
    all.delete(`tables/${name}.jsonl`)
    m.tables.splice(m.tables.indexOf(tableOf(m, name)), 1)
  }
/** Other rows of a table, with the right checksum. */
const withRows =
  (name: string, text: string): Change =>
  (m, all) => {
    const sha256 = createHash('sha256').update(text).digest('hex')
    Object.assign(tableOf(m, name), { sha256, rows: text.split('\n').length - 1 })
    all.set(`tables/${name}.jsonl`, Buffer.from(text))
  }
const withEntry =
  (name: string, text: string): Change =>
  (_, all) =>
    void all.set(name, Buffer.from(text))
const by =
  (change: Change, of = whole) =>
  () =>
    changed(change, of)

const ANOTHER_COMMIT = /^The backup was made before 0\.3\.0 by another commit: /

const DAMAGED = /^The file is not a backup of pocketsms, or it is damaged: /

async function expectUserError(work: Promise<unknown>, sentence: RegExp) {
  const error = await work.then(
    () => undefined,
    (error: Error) => error,
  )
  expect(error).toBeInstanceOf(UserError)
  expect(error!.message).toMatch(sentence)
}

async function expectRefused(path: string, sentence: RegExp) {
  await expectUserError(restoreBackup(target, path, { afterRestore }), sentence)
  expect(await findAnyObject(target)).toBeUndefined()
}

test.each<[string, () => Promise<string>, RegExp]>([
  [
    'that does not exist',
    async () => join(folder, 'none.zip'),
    /^The backup cannot be read: ENOENT/,
  ],
  ['that is empty', bytesOf(() => Buffer.alloc(0)), DAMAGED],
  ['of text', bytesOf(() => Buffer.from('hello'.repeat(100))), DAMAGED],
  ['that was cut', bytesOf((bytes) => bytes.subarray(0, bytes.length - 1)), DAMAGED],
  ['that was cut in half', bytesOf((bytes) => bytes.subarray(0, bytes.length / 2)), DAMAGED],
  ['without its beginning', bytesOf((bytes) => bytes.subarray(100)), DAMAGED],
  ['with a changed byte in a table', bytesOf(flipByte), DAMAGED],
  ['without a manifest', by(withEntry(MANIFEST, '{}')), /format: /],
  [
    'of PocketBase',
    () => zipOf(new Map([['data.db', Buffer.alloc(100)]])),
    /it has no manifest\.json/,
  ],
  [
    'without a table',
    by((_, all) => void all.delete('tables/users.jsonl')),
    /users\.jsonl is missing/,
  ],
  [
    'with changed rows',
    by(withEntry('tables/_params.jsonl', '["a","b"]\n')),
    /checksum of the table _params/,
  ],
  ['with changed figures', by(withTable('users', { rows: 3 })), /checksum of the table users/],
  ['with a table twice', by((m) => void m.tables.push(m.tables[0]!)), /is in it twice/],
  [
    'of a newer format',
    by((m) => ({ ...m, format: { ...m.format, version: 2 } })),
    /newer version of pocketsms\. Install/,
  ],
  [
    'of a newer version',
    by((m) => void m.migrations.push('9999_later.sql')),
    /newer version of pocketsms \(.*\)\. /,
  ],
  ['without hashes', by((m) => ({ ...m, hashes: {} })), ANOTHER_COMMIT],
  ['without its key of hashes', by(({ hashes: _, ...m }) => m), ANOTHER_COMMIT],
  [
    'without one hash',
    by(({ hashes, ...m }) => ({ ...m, hashes: { ...hashes, '0002_hashes.sql': undefined } })),
    ANOTHER_COMMIT,
  ],
  [
    'with another first migration',
    by((m) => ({ ...m, hashes: { ...m.hashes, '0001_start.sql': 'ab' } })),
    ANOTHER_COMMIT,
  ],
  [
    'of a commit before the frozen start',
    by(
      withTable('_files', ({ columns }) => ({ columns: columns.slice(1) })),
      wholeStart,
    ),
    ANOTHER_COMMIT,
  ],
  [
    'of a commit that lacks a table of the frozen start',
    by(withoutTable('auth_factors'), wholeStart),
    ANOTHER_COMMIT,
  ],
])(
  'a file %s is refused with $2 by the check and by the restore, which changes nothing',
  async (_, make, sentence) => {
    const path = await make()
    await expectUserError(checkBackup(path), sentence)
    await expectRefused(path, sentence)
  },
)

function flipByte(bytes: Buffer): Buffer {
  const at = bytes.indexOf('tables/_collections.jsonl') + 60
  bytes[at] = bytes[at]! ^ 1
  return bytes
}

test.each<[string, Change, RegExp]>([
  [
    'whose table has unknown columns',
    withColumn({ name: 'x' }),
    /The table users has other columns/,
  ],
  [
    'whose column type is SQL',
    withColumn({ type: 'text); drop table users; --' }),
    /other columns/,
  ],
  ['whose view has two statements', withView('select 1; drop table users'), DAMAGED],
  [
    'whose view reads a file',
    withView(`select pg_read_file('PG_VERSION') as id`),
    /"pg_read_file"/,
  ],
  [
    'whose view reads an internal table',
    withView('select value as id from _params'),
    /read "_params"/,
  ],
  ['whose digest is wrong', withTable('users', { digest: '1' }), /rows of the table users/],
  ['without the collections', withoutTable('_collections'), /it has no collections/],
  ['without a table that belongs to it', withoutTable('users'), /the table users is missing/],
  ['with rows that are not JSON lists', withRows('_params', 'null\n'), DAMAGED],
  ['with a number in a row', withRows('_params', '["x",1]\n'), DAMAGED],
  ['with rows that are too short', withRows('_params', '["x"]\n'), DAMAGED],
  ['with rows that Postgres refuses', withRows('_params', '["x","y"]\n["x","y"]\n'), DAMAGED],
  ['with rows that end early', withRows('_params', '["x","y'), DAMAGED],
])(
  'a forged backup %s is refused with $2 by the restore, which changes nothing',
  async (_, change, sentence) => {
    await expectRefused(await changed(change), sentence)
  },
)

test('a forged backup with invalid collections is refused', async () => {
  const line = JSON.parse(
    contents.get('tables/_collections.jsonl')!.toString().split('\n')[0]!,
  ) as string[]
  const text = JSON.stringify(line.map((value) => (value.startsWith('{') ? '["x","y"]' : value)))
  await expectRefused(await changed(withRows('_collections', `${text}\n`)), DAMAGED)
})

test('a restore into a database that is not empty is refused', async () => {
  await target.query('create table mine (id int)')
  await expect(restoreBackup(target, good, { afterRestore })).rejects.toThrow(
    'The database is not empty: it has the table or view mine.',
  )
  await target.query('drop table mine')
})

test('a failed restore with replacement keeps the old data', async () => {
  const path = await changed(withTable('users', { digest: '1' }))
  const count = async () => (await source.query('select count(*) from _collections')).rows[0]![0]
  const before = await count()
  await expect(
    restoreBackup(source, path, { replace: async () => {}, afterRestore }),
  ).rejects.toThrow(DAMAGED)
  expect(await count()).toBe(before)
})

test('a backup never overwrites a file and leaves no unfinished one', async () => {
  await expect(writeBackup(source, good)).rejects.toThrow('good.zip is there already.')
  await expect(writeBackup(source, join(folder, 'no/where.zip'))).rejects.toThrow(
    /cannot be written: ENOENT/,
  )
  await expect(writeBackup(target, join(folder, 'nothing.zip'))).rejects.toThrow(
    'There is no pocketsms',
  )
  const stopped = AbortSignal.abort(new UserError('Stopped.'))
  await expect(
    writeBackup(source, join(folder, 'stopped.zip'), { signal: stopped }),
  ).rejects.toThrow('Stopped.')
  expect(readdirSync(folder).filter((name) => /where|nothing|stopped|partial/.test(name))).toEqual(
    [],
  )
})

test('a backup of the commit with the frozen start is checked, restored and upgraded', async () => {
  expect(wholeStart.manifest).toMatchObject({ migrations: ['0001_start.sql'], hashes: {} })
  await checkBackup(start)
  const db = await openTestDb()
  await restoreBackup(db, start, { afterRestore })
  expect(await checkSchema(db)).toEqual(await checkSchema(source))
})

test('a database of another commit is not backed up', async () => {
  await startSource.script('alter table _files add owner text')
  await expectUserError(
    writeBackup(startSource, join(folder, 'another.zip')),
    /^The database was made before 0\.3\.0 by another commit: /,
  )
})
