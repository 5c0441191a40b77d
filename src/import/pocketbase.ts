import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SQLOutputValue } from 'node:sqlite'
import { recordTerminalAudit } from '../auth/audit.ts'
import { INSTALLER_EMAIL } from '../auth/superusers.ts'
import { type CatalogDraft, type Collection, quote, SUPERUSERS, tableName } from '../collections/catalog.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import { BUILT_IN_IDS } from '../collections/definition/built-in.ts'
import { UserError } from '../errors.ts'
import { parseDate } from '../fields/date.ts'
import type { Field, Value } from '../fields/field.ts'
import { chosenTexts, fieldType } from '../fields/field-types.ts'
import { storeFile } from '../files/stored-files.ts'
import { readUpload } from '../files/upload.ts'
import type { Extensions } from '../records/extension.ts'
import { SETTINGS } from '../settings/settings.ts'
import { writeSettings } from '../settings/settings-store.ts'
import { parseJson } from '../tools/json.ts'
import type { Progress } from '../tools/progress.ts'
import { countLeftOut, dropLostRelations, type LeftOut } from './left-out.ts'
import {
  type ExportedCollection,
  importPocketBaseTables,
  importPocketBaseViews,
  openPocketBase,
  type PocketBaseData,
  type Report,
  readCollections,
  type StoredRow,
  textOf,
  unreadable,
} from './pocketbase-collections.ts'
import { chunkSize, type ImportRow, idOf, insertRows, tidy } from './rows.ts'

export interface FolderImport {
  readonly draft: CatalogDraft
  readonly data: PocketBaseData
  readonly raws: readonly ExportedCollection[]
  readonly storage: Storage
  readonly progress: Progress
  readonly report: Report
  readonly leftOut: LeftOut
}

/**
 * Imports a PocketBase data directory (0.23 or later) into an empty store: all that the API would take, or
 * nothing. Users stay signed in. Never writes to the source. Returns a summary. Throws a UserError for data
 * that cannot be imported.
 */
export const importPocketBase = (
  store: CatalogStore,
  extensions: Extensions,
  folder: string,
  progress: Progress,
) =>
  importFolder(store, extensions, folder, progress, async (work) => {
    const { draft, data, raws, report } = work
    const collections = await importPocketBaseTables(draft, raws, report)
    let records = 0
    for (const collection of collections) records += await importRecords(work, collection)
    records -= await dropLostRelations(draft, work.leftOut, collections)
    const views = raws.filter(({ type }) => type === 'view')
    await importPocketBaseViews(draft, views, report)
    await importSettings(draft, data, report)
    return { collections, records }
  })

/** Imports a data directory into an empty store, all or nothing, by calling `bring`. Returns a summary. */
export async function importFolder(
  store: CatalogStore,
  extensions: Extensions,
  folder: string,
  progress: Progress,
  bring: (work: FolderImport) => Promise<{ collections: readonly Collection[]; records: number }>,
): Promise<string> {
  const data = openPocketBase(folder)
  const notes: string[] = []
  const report: Report = (sentence) => notes.push(`- ${sentence}`)
  const storage = openStorage(folder, progress)
  const leftOut = countLeftOut(extensions)
  try {
    const raws = readCollections(data)
    const tables = raws.filter(({ type }) => type !== 'view')
    const total = tables.reduce((sum, { name }) => sum + data.count(name), 0)
    const done = await store.change(async (draft) => {
      await draft.db.limitStatements(0)
      await refuseUnlessEmpty(draft)
      const brought = await bring({ draft, data, raws, storage, progress, report, leftOut })
      leftOut.report(report)
      if (existsSync(join(folder, 'auxiliary.db')))
        report('logs: left behind, requests are logged on standard output here.')
      const fields = brought.collections.map(({ name }) => name)
      await recordTerminalAudit(draft.db, { action: 'import', fields })
      const { missing, left } = storage.counts()
      if (missing > 0) report(`files: ${missing} that records name are not in the folder storage.`)
      if (left > 0) report(`files: ${left} that no record names were left behind.`)
      warnOfRules(draft.catalog.all, report)
      return brought
    })
    for (const collection of store.catalog.all) if (collection.type !== 'view') await tidy(store, collection)
    const views = store.catalog.all.filter(({ type }) => type === 'view').length
    const counts = `Imported ${done.collections.length} collections, ${views} views, ${done.records} of ${total} records and ${storage.counts().imported} files.`
    return [counts, ...notes].join('\n')
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_SQLITE_ERROR' ? unreadable(folder, error) : error
  } finally {
    data.close()
  }
}

async function refuseUnlessEmpty(draft: CatalogDraft): Promise<void> {
  const refuse = (what: string) => {
    throw new UserError(`The store is not empty: ${what}. Import into a new one.`)
  }
  for (const collection of draft.catalog.all) {
    if (!collection.system && !BUILT_IN_IDS.has(collection.id))
      refuse(`it has the collection ${collection.name}`)
    const others = collection.name === SUPERUSERS ? ' where email <> $1' : ' where $1::text is not null'
    const sql = `select 1 from ${quote(tableName(collection))}${others} limit 1`
    const { rows } = await draft.db.query(sql, [INSTALLER_EMAIL])
    if (rows.length > 0) refuse(`there are records in ${collection.name}`)
  }
  const superusers = draft.catalog.find(SUPERUSERS)!
  await draft.db.query(`delete from ${quote(tableName(superusers))}`)
}

/**
 * Imports the rows of `table`, changed by `convert`, into a collection. Leaves out those that the API would
 * refuse. Returns the number of imported rows.
 */
export async function importRecords(
  { draft, data, storage, progress, leftOut }: FolderImport,
  collection: Collection,
  table = collection.name,
  convert = (row: StoredRow): StoredRow => row,
): Promise<number> {
  const total = data.count(table)
  let [done, left] = [0, 0]
  let rows: ImportRow[] = []
  for (const stored of data.rows(table)) {
    const row = convert(stored)
    const values = collection.fields.map((field) => storedValue(field, row[field.name]))
    if (leftOut.isFaulty(collection, values, table)) left++
    else rows.push(values)
    if (rows.length < chunkSize(collection, true) && done + left + rows.length < total) continue
    await insertRows(draft.db, { file: 'data.db', collection }, rows, { hashed: true })
    await storage.importOf(draft, collection, rows)
    done += rows.length
    rows = []
    progress(table, done, total)
  }
  return done
}

/** Imports the settings that also exist in pocketsms. If they are encrypted, only reports that. */
async function importSettings(draft: CatalogDraft, data: PocketBaseData, report: Report): Promise<void> {
  const row = [...data.rows('_params')].find(({ id }) => id === 'settings')
  if (!row) return
  const stored = parseJson(textOf(row.value))
  if (stored === undefined) return report('settings: left out, they are encrypted.')
  const settings = SETTINGS.over(stored, SETTINGS.fresh())
  if (settings.s3.enabled) report('settings: files in S3 were not copied.')
  if (settings.backups.cron) report('settings: backups on a schedule are not made here; see README.md.')
  await writeSettings(draft.db, settings)
}

/** Converts a SQLite value. One that does not fit the field becomes its empty value, as in PocketBase. */
function storedValue(field: Field, raw: SQLOutputValue | undefined): Value {
  const type = fieldType(field)
  if (raw === null || raw === undefined) return type.zero(field)
  if (field.type === 'number') return Number.isFinite(Number(raw)) ? Number(raw) : type.zero(field)
  if (field.type === 'bool') return Boolean(Number(raw))
  if (field.type === 'password') return textOf(raw)
  const text = textOf(raw)
  if (field.type === 'autodate') return parseDate(text)
  if (field.type === 'json' && text === '') return null
  return type.fromInput(field, text)
}

/** Suffix of the file of attributes that PocketBase writes beside each file. */
const FACTS = '.attrs'
const PLAIN_NAME = /^[^./\\][^/\\]*$/

type Storage = ReturnType<typeof openStorage>

/** Imports the files `storage/COLLECTION/RECORD/NAME` that records name, without thumbnails. */
function openStorage(source: string, progress: Progress) {
  const folder = join(source, 'storage')
  const total = countFiles(folder)
  let imported = 0
  let missing = 0

  async function importOne({ db }: CatalogDraft, collection: string, record: string, name: string) {
    const path = join(folder, collection, record, name)
    if (![record, name].every((part) => PLAIN_NAME.test(part)) || !existsSync(path)) {
      missing++
      return
    }
    const { size, mtime: modified } = statSync(path)
    const content = { size, pieces: (bytes: number) => createReadStream(path, { highWaterMark: bytes }) }
    const type = typeOf(path) ?? (await readUpload(name, content)).sniffed.type
    await storeFile(db, { collection, record, name }, { type, modified }, content)
    progress('files', ++imported, total)
  }

  return {
    counts: () => ({ imported, missing, left: total - imported }),
    async importOf(draft: CatalogDraft, collection: Collection, rows: readonly ImportRow[]): Promise<void> {
      const places = collection.fields.flatMap((field, i) => (field.type === 'file' ? [i] : []))
      for (const row of places.length > 0 ? rows : []) {
        const names = new Set(places.flatMap((i) => chosenTexts(row[i]!)))
        for (const name of names) await importOne(draft, collection.id, idOf(collection, row), name)
      }
    },
  }
}

function countFiles(folder: string): number {
  if (!existsSync(folder)) return 0
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith(FACTS) && !/[\\/]thumbs_/.test(entry.parentPath),
  ).length
}

/** The type that PocketBase's file of attributes names; undefined if there is none. */
function typeOf(path: string): string | undefined {
  if (!existsSync(path + FACTS)) return undefined
  const facts = parseJson(readFileSync(path + FACTS, 'utf8')) as Record<string, unknown> | null | undefined
  const type = facts?.['user.content_type']
  return typeof type === 'string' && type !== '' ? type : undefined
}

/** Warns of rules that let guests read users, or let users set fields by which other rules decide. */
function warnOfRules(collections: readonly Collection[], report: Report): void {
  const rules = collections.flatMap((collection) =>
    Object.entries(collection)
      .filter(([key]) => key.endsWith('Rule'))
      .map(([key, text]) => ({ name: `${collection.name}.${key}`, text: String(text ?? '') })),
  )
  for (const collection of collections) {
    if (collection.type !== 'auth') continue
    for (const name of ['listRule', 'viewRule'] as const) {
      if (collection[name]?.trim() !== '') continue
      report(`WARNING: ${collection.name}.${name} is empty: it lets guests read all its records.`)
    }
    for (const { name, hidden, system } of collection.fields) {
      const readers = rules.filter(({ text }) => reads(text, 'auth', name)).map((rule) => rule.name)
      if (hidden || system || readers.length === 0) continue
      for (const rule of ['createRule', 'updateRule'] as const) {
        const text = collection[rule]
        const isGuarded = text == null || reads(text, 'body', name)
        // no warning if the rule demands a value that the user already has in the field
        if (isGuarded || (reads(text, 'auth', name) && !text.includes('||'))) continue
        report(
          `WARNING: ${collection.name}.${rule} lets users choose their own "${name}", on which these rules decide: ${readers.join(', ')}.`,
        )
      }
    }
  }
}

const reads = (rule: string, part: 'auth' | 'body', field: string) =>
  new RegExp(`@request\\.${part}\\.${field}\\b`).test(rule)
