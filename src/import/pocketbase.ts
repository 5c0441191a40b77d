import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { SQLOutputValue } from 'node:sqlite'
import { recordTerminalAudit } from '../auth/superusers/audit.ts'
import { INSTALLER_EMAIL } from '../auth/superusers/superusers.ts'
import type { CatalogStore } from '../collections/catalog/catalog-store.ts'
import { type CatalogDraft, type Collection, quote, SUPERUSERS, tableName } from '../collections/catalog.ts'
import { BUILT_IN_IDS } from '../collections/definition/built-in.ts'
import { UserError } from '../errors.ts'
import type { Field, Value } from '../fields/field.ts'
import { parseDate } from '../fields/types/date.ts'
import { fieldType } from '../fields/types/field-types.ts'
import { SETTINGS } from '../settings/settings.ts'
import { writeSettings } from '../settings/settings-store.ts'
import { parseJson } from '../tools/json.ts'
import type { Progress } from '../tools/progress.ts'
import { chunkSize, insertRows, tidy } from './insert.ts'
import {
  type ExportedCollection,
  importPocketBaseTables,
  importPocketBaseViews,
  type Report,
  readCollections,
} from './pocketbase-collections.ts'
import type { ImportRow } from './rows.ts'
import { warnOfRules } from './rule-warnings.ts'
import { openPocketBase, type PocketBaseData, type StoredRow, textOf, unreadable } from './sqlite.ts'
import { openStorage, type Storage } from './storage.ts'

export interface FolderImport {
  readonly draft: CatalogDraft
  readonly data: PocketBaseData
  readonly raws: readonly ExportedCollection[]
  readonly storage: Storage
  readonly progress: Progress
  readonly report: Report
}

/**
 * Imports a PocketBase data directory (0.23 or later) into an empty store, all or nothing. Users stay signed
 * in. Never writes to the source. Returns a summary with a line per omission; throws a UserError.
 */
export const importPocketBase = (store: CatalogStore, folder: string, progress: Progress) =>
  importFolder(store, folder, progress, async (work) => {
    const { draft, data, raws, report } = work
    const collections = await importPocketBaseTables(draft, raws, report)
    let records = 0
    for (const collection of collections) records += await importRecords(work, collection)
    const views = raws.filter(({ type }) => type === 'view')
    await importPocketBaseViews(draft, views, report)
    await importSettings(draft, data, report)
    return { collections, records }
  })

/** Imports a data directory into an empty store, all or nothing, by `bring`, which returns what it made. */
export async function importFolder(
  store: CatalogStore,
  folder: string,
  progress: Progress,
  bring: (work: FolderImport) => Promise<{ collections: readonly Collection[]; records: number }>,
): Promise<string> {
  const data = openPocketBase(folder)
  const notes: string[] = []
  const report: Report = (sentence) => notes.push(`- ${sentence}`)
  const storage = openStorage(folder, progress)
  try {
    const raws = readCollections(data)
    const tables = raws.filter(({ type }) => type !== 'view')
    const total = tables.reduce((sum, { name }) => sum + data.count(name), 0)
    const done = await store.change(async (draft) => {
      await draft.db.limitStatements(0)
      await refuseUnlessEmpty(draft)
      const brought = await bring({ draft, data, raws, storage, progress, report })
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
  for (const collection of draft.catalog.all) {
    if (!collection.system && !BUILT_IN_IDS.has(collection.id)) {
      throw new UserError(
        `The store is not empty: it has the collection ${collection.name}. Import into a new one.`,
      )
    }
    const others = collection.name === SUPERUSERS ? ' where email <> $1' : ' where $1::text is not null'
    const sql = `select 1 from ${quote(tableName(collection))}${others} limit 1`
    const { rows } = await draft.db.query(sql, [INSTALLER_EMAIL])
    if (rows.length > 0) {
      throw new UserError(
        `The store is not empty: there are records in ${collection.name}. Import into a new one.`,
      )
    }
  }
  const superusers = draft.catalog.find(SUPERUSERS)!
  await draft.db.query(`delete from ${quote(tableName(superusers))}`)
}

/** Imports the rows of `table` into a collection; `convert` renames columns. Returns their number. */
export async function importRecords(
  { draft, data, storage, progress }: FolderImport,
  collection: Collection,
  table = collection.name,
  convert = (row: StoredRow): StoredRow => row,
): Promise<number> {
  const total = data.count(table)
  let done = 0
  let rows: ImportRow[] = []
  for (const stored of data.rows(table)) {
    const row = convert(stored)
    rows.push(collection.fields.map((field) => storedValue(field, row[field.name])))
    if (rows.length < chunkSize(collection, true) && done + rows.length < total) continue
    await insertRows(draft.db, { file: 'data.db', collection }, rows, { hashed: true })
    await storage.importOf(draft, collection, rows)
    done += rows.length
    rows = []
    progress(table, done, total)
  }
  return done
}

/** Imports settings that this server has; an encrypted row cannot be read. */
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

/** Converts a SQLite value. What the field cannot hold becomes empty, as PocketBase shows it. */
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
