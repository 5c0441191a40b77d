import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ZipFile } from 'yazl'
import { Archive } from '../../src/backup/archive.ts'
import { checkBackup } from '../../src/backup/check.ts'
import { MANIFEST, type Manifest } from '../../src/backup/manifest.ts'
import { restoreBackup } from '../../src/backup/restore.ts'
import { writeBackup } from '../../src/backup/write.ts'
import { openStore } from '../../src/collections/catalog/catalog-store.ts'
import type { Db } from '../../src/db/open.ts'
import { migrate } from '../../src/db/schema/migrate.ts'
import { UserError } from '../../src/errors.ts'
import { findAnyObject } from '../../src/transfer/tables.ts'
import { openTestDb } from '../support/server/start.ts'

const folder = mkdtempSync(join(tmpdir(), 'pocketsms-backup-'))
const good = join(folder, 'good.zip')
let source: Db
let target: Db
let manifest: Manifest
let contents: Map<string, Buffer>

beforeAll(async () => {
  source = await openTestDb()
  target = await openTestDb()
  await migrate(source)
  await (await openStore(source)).close()
  await writeBackup(source, good)
  const archive = await Archive.open(good)
  manifest = archive.manifest
  contents = new Map()
  for (const entry of manifest.tables) {
    const chunks: Uint8Array[] = []
    for await (const chunk of archive.contentOf(entry)) chunks.push(chunk)
    contents.set(`tables/${entry.name}.jsonl`, Buffer.concat(chunks))
  }
  archive.close()
})
afterAll(async () => {
  await Promise.all([source.close(), target.close()])
  rmSync(folder, { recursive: true, force: true })
})

/** A ZIP file with these entries. */
async function zipOf(entries: ReadonlyMap<string, Buffer>, path: string): Promise<void> {
  const zip = new ZipFile()
  for (const [name, content] of entries) zip.addBuffer(content, name)
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(path))
}

type Change = (manifest: Manifest, contents: Map<string, Buffer>) => unknown

/** The good backup after a change of what is in it, with right checksums of the ZIP file. */
async function changed(change: Change): Promise<string> {
  const path = join(folder, 'changed.zip')
  const [copy, entries] = [structuredClone(manifest), new Map(contents)]
  const made = change(copy, entries)
  const text = JSON.stringify(made ?? copy)
  await zipOf(entries.has(MANIFEST) ? entries : entries.set(MANIFEST, Buffer.from(text)), path)
  return path
}

const tableOf = (manifest: Manifest, name: string) => manifest.tables.find((table) => table.name === name)!
const bytesOf = (change: (bytes: Buffer) => Buffer) => async () => {
  const path = join(folder, 'bytes.zip')
  writeFileSync(path, change(readFileSync(good)))
  return path
}
const DAMAGED = /^The file is not a backup of pocketsms, or it is damaged: /

describe('a file is refused by the check and by the restore, which changes nothing', () => {
  test.each<[string, () => Promise<string>, string | RegExp]>([
    ['that is not there', async () => join(folder, 'none.zip'), /^The backup cannot be read: ENOENT/],
    ['that is empty', bytesOf(() => Buffer.alloc(0)), DAMAGED],
    ['of text', bytesOf(() => Buffer.from('hello'.repeat(100))), DAMAGED],
    ['that was cut', bytesOf((bytes) => bytes.subarray(0, bytes.length - 1)), DAMAGED],
    ['that was cut in half', bytesOf((bytes) => bytes.subarray(0, bytes.length / 2)), DAMAGED],
    ['without its beginning', bytesOf((bytes) => bytes.subarray(100)), DAMAGED],
    [
      'with another byte in a table',
      bytesOf((bytes) => {
        const at = bytes.indexOf('tables/_collections.jsonl') + 60
        bytes[at] = bytes[at]! ^ 1
        return bytes
      }),
      DAMAGED,
    ],
    ['without a manifest', () => changed((_, all) => all.set(MANIFEST, Buffer.from('{}'))), /format: /],
    [
      'of PocketBase',
      async () => {
        const path = join(folder, 'pb.zip')
        await zipOf(new Map([['data.db', Buffer.alloc(100)]]), path)
        return path
      },
      /it has no manifest\.json/,
    ],
    [
      'without a table',
      () => changed((_, all) => void all.delete('tables/users.jsonl')),
      /users\.jsonl is missing/,
    ],
    [
      'with one more entry',
      () => changed((_, all) => void all.set('tables/evil.jsonl', Buffer.alloc(1))),
      DAMAGED,
    ],
    [
      'with other rows',
      () => changed((_, all) => void all.set('tables/_params.jsonl', Buffer.from('["a","b"]\n'))),
      /checksum of the table _params/,
    ],
    [
      'with other figures',
      () =>
        changed((m) => {
          tableOf(m, 'users').rows = 3
        }),
      /checksum of the table users/,
    ],
    ['with a table twice', () => changed((m) => void m.tables.push(m.tables[0]!)), /is in it twice/],
    [
      'of a newer format',
      () => changed((m) => ({ ...m, format: { ...m.format, version: 2 } })),
      /newer version of pocketsms\. Install/,
    ],
  ])('%s', async (_, make, sentence) => {
    const path = await make()
    await expect(checkBackup(path)).rejects.toThrow(sentence)
    await expect(checkBackup(path)).rejects.toThrow(UserError)
    await expect(restoreBackup(target, path)).rejects.toThrow(sentence)
    expect(await findAnyObject(target)).toBeUndefined()
  })
})

const FORGED = '["x","y"]\n'
const hashOf = async (text: string) =>
  (await import('node:crypto')).createHash('sha256').update(text).digest('hex')

describe('a forged backup is refused by the restore, which changes nothing', () => {
  test.each<[string, Change, string | RegExp]>([
    [
      'of a newer version',
      (m) => void m.migrations.push('9999_later.sql'),
      /newer version of pocketsms \(.*\)\. Install that version/,
    ],
    [
      'whose table has other columns',
      (m) => {
        tableOf(m, 'users').columns[0]!.name = 'x'
      },
      /The table users has other columns/,
    ],
    [
      'whose type is SQL',
      (m) => {
        tableOf(m, 'users').columns[0]!.type = 'text); drop table users; --'
      },
      /other columns/,
    ],
    [
      'whose view is two statements',
      (m) => void m.views.push({ name: 'v', query: 'select 1; drop table users' }),
      DAMAGED,
    ],
    [
      'whose view reads a file',
      (m) => void m.views.push({ name: 'v', query: `select pg_read_file('PG_VERSION') as id` }),
      /a view may not call the function "pg_read_file"/,
    ],
    [
      'whose view reads an internal table',
      (m) => void m.views.push({ name: 'v', query: 'select value as id from _params' }),
      /a view may not read "_params"/,
    ],
    [
      'whose digest is wrong',
      (m) => {
        tableOf(m, 'users').digest = '1'
      },
      /rows of the table users/,
    ],
    [
      'without the collections',
      (m, all) => {
        m.tables.splice(
          m.tables.findIndex(({ name }) => name === '_collections'),
          1,
        )
        all.delete('tables/_collections.jsonl')
      },
      /it has no collections/,
    ],
    [
      'without a table that belongs to it',
      (m, all) => {
        m.tables.splice(
          m.tables.findIndex(({ name }) => name === 'users'),
          1,
        )
        all.delete('tables/users.jsonl')
      },
      /the table users is missing/,
    ],
  ])('%s', async (_, change, sentence) => {
    const path = await changed(change)
    await expect(restoreBackup(target, path)).rejects.toThrow(sentence)
    await expect(restoreBackup(target, path)).rejects.toThrow(UserError)
    expect(await findAnyObject(target)).toBeUndefined()
  })

  test.each([
    ['that are none', 'null\n'],
    ['with a number', '["x",1]\n'],
    ['that are too short', '["x"]\n'],
    ['that Postgres does not take', '["x","y"]\n["x","y"]\n'],
    ['that end early', '["x","y'],
  ])('with rows %s', async (_, text) => {
    const sha256 = await hashOf(text)
    const path = await changed((m, all) => {
      Object.assign(tableOf(m, '_params'), { sha256, rows: text.split('\n').length - 1 })
      all.set('tables/_params.jsonl', Buffer.from(text))
    })
    await expect(restoreBackup(target, path)).rejects.toThrow(DAMAGED)
    expect(await findAnyObject(target)).toBeUndefined()
  })

  test('whose collections are none', async () => {
    const line = JSON.parse(contents.get('tables/_collections.jsonl')!.toString().split('\n')[0]!) as string[]
    const text = `${JSON.stringify(line.map((value) => (value.startsWith('{') ? FORGED : value)))}\n`
    const sha256 = await hashOf(text)
    const path = await changed((m, all) => {
      Object.assign(tableOf(m, '_collections'), { sha256, rows: 1 })
      all.set('tables/_collections.jsonl', Buffer.from(text))
    })
    await expect(restoreBackup(target, path)).rejects.toThrow(DAMAGED)
    expect(await findAnyObject(target)).toBeUndefined()
  })
})

test('a database that is not empty stays as it is', async () => {
  await target.query('create table mine (id int)')
  await expect(restoreBackup(target, good)).rejects.toThrow(
    'The database is not empty: it has the table or view mine.',
  )
  await target.query('drop table mine')
})

test('a failed replacement leaves what was there', async () => {
  const path = await changed((m) => {
    tableOf(m, 'users').digest = '1'
  })
  const count = async () => (await source.query('select count(*) from _collections')).rows[0]![0]
  const before = await count()
  await expect(restoreBackup(source, path, { replace: true })).rejects.toThrow(DAMAGED)
  expect(await count()).toBe(before)
})

test('a file that is there is not overwritten, and none is left half written', async () => {
  await expect(writeBackup(source, good)).rejects.toThrow('good.zip is there already.')
  await expect(writeBackup(source, join(folder, 'no/where.zip'))).rejects.toThrow(/cannot be written: ENOENT/)
  await expect(writeBackup(target, join(folder, 'nothing.zip'))).rejects.toThrow('There is no pocketsms')
  const stopped = AbortSignal.abort(new UserError('Stopped.'))
  await expect(writeBackup(source, join(folder, 'stopped.zip'), { signal: stopped })).rejects.toThrow(
    'Stopped.',
  )
  expect(readdirSync(folder).filter((name) => /where|nothing|stopped|partial/.test(name))).toEqual([])
})
