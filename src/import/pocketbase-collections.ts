import { cpSync, existsSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SQLOutputValue } from 'node:sqlite'
import {
  type CatalogDraft,
  type Collection,
  InvalidCollection,
  quote,
  tableName,
  USERS_ID,
} from '../collections/catalog.ts'
import { BUILT_IN_IDS } from '../collections/definition/built-in.ts'
import { dropCollection } from '../collections/edit.ts'
import { importCollections } from '../collections/import-collections.ts'
import { indexText, parseIndex } from '../collections/sqlite/index-expression.ts'
import { withSavepoint } from '../db/savepoint.ts'
import { type FieldError, UserError } from '../errors.ts'
import type { Field } from '../fields/field.ts'
import { UPLOAD_PREFIX } from '../files/upload-space.ts'
import { isObject, parseJson } from '../tools/json.ts'

export type StoredRow = Readonly<Record<string, SQLOutputValue | undefined>>

export type PocketBaseData = ReturnType<typeof openPocketBase>

/**
 * Opens a copy of `data.db` and its write-ahead log, because SQLite adds files beside a database. Deletes the
 * copy; `removeUploads` does so after a kill. Throws a UserError if `data.db` is missing or not PocketBase's.
 */
export function openPocketBase(folder: string) {
  if (!existsSync(join(folder, 'data.db')))
    throw new UserError(`${folder} is not a PocketBase data directory: it has no data.db.`)
  const copy = mkdtempSync(join(tmpdir(), `${UPLOAD_PREFIX}import-`))
  // not imported above: Node 22 would print a warning at each start
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  try {
    for (const name of ['data.db', 'data.db-wal']) {
      if (existsSync(join(folder, name))) cpSync(join(folder, name), join(copy, name))
    }
    const db = new DatabaseSync(join(copy, 'data.db'), { readBigInts: true })
    const columns = db.prepare("select name from pragma_table_info('_collections')").all()
    if (!columns.some(({ name }) => name === 'fields'))
      throw new UserError(`${folder}: data.db has no collections of PocketBase 0.23 or later.`)
    return {
      /** Rows of a table in order of insertion. Integers are bigint. */
      rows: (table: string): Iterable<StoredRow> =>
        db.prepare(`select * from ${quote(table)} order by rowid`).iterate(),
      count: (table: string) => Number(db.prepare(`select count(*) n from ${quote(table)}`).get()!.n),
      close: () => db.close(),
    }
  } catch (error) {
    throw error instanceof UserError ? error : unreadable(folder, error)
  } finally {
    // the copies can be deleted already, because SQLite has them open
    void rm(copy, { recursive: true, force: true }).catch(() => {})
  }
}

export const unreadable = (folder: string, cause: unknown) =>
  new UserError(`${folder}: data.db cannot be read: ${(cause as Error).message}.`, { cause })

export function textOf(value: SQLOutputValue | undefined): string {
  if (value === null || value === undefined) return ''
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value)
}

/** A collection in PocketBase's export format, with secrets. */
export type ExportedCollection = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly name: string
  readonly type: string
}

/** Receives a sentence for each thing left out or changed. */
export type Report = (sentence: string) => void

const RULES = ['listRule', 'viewRule', 'createRule', 'updateRule', 'deleteRule']

/** Converts a row of PocketBase's `_collections` to its export format. Throws a UserError if damaged. */
function readCollection(row: StoredRow): ExportedCollection {
  const parsed = [row.options, row.fields, row.indexes].map((text) => parseJson(textOf(text) || '{}'))
  const [options, fields, indexes] = parsed
  if (!isObject(options) || !Array.isArray(fields) || !fields.every(isObject) || !Array.isArray(indexes))
    throw new UserError(`data.db cannot be read: its collection ${textOf(row.name)} is damaged.`)
  return {
    ...options,
    id: textOf(row.id),
    name: textOf(row.name),
    type: textOf(row.type),
    system: Boolean(row.system),
    fields,
    indexes,
    ...Object.fromEntries(RULES.map((name) => [name, row[name] === null ? null : textOf(row[name])])),
    created: textOf(row.created),
    updated: textOf(row.updated),
  }
}

export const readCollections = (data: PocketBaseData): ExportedCollection[] =>
  [...data.rows('_collections')].map(readCollection)

/** Creates all collections but views. Throws a UserError for a taken name or an invalid collection. */
export async function importPocketBaseTables(
  draft: CatalogDraft,
  raws: readonly ExportedCollection[],
  report: Report,
): Promise<Collection[]> {
  refuseTakenNames(draft, raws)
  const tables = raws.filter(({ type }) => type !== 'view').map((raw) => withQuotaRule(raw, report))
  for (const raw of tables) {
    await takeFieldIds(draft, raw)
    await saveSource(draft, raw, report)
  }
  return tables.map(({ id }) => draft.catalog.find(id)!)
}

/** Saves a collection. Renames an index whose name is taken, leaves out an impossible one, reports both. */
export async function saveOne(
  draft: CatalogDraft,
  raw: ExportedCollection,
  report: Report,
): Promise<Collection> {
  try {
    const [saved] = await withSavepoint(draft.db, () => importCollections(draft, [raw]))
    return saved!.collection
  } catch (error) {
    const faults = error instanceof InvalidCollection ? error.data.indexes : undefined
    if (!faults) throw new UserError(`collection ${raw.name}: ${(error as Error).message}`, { cause: error })
    const indexes = [...(raw.indexes as string[])]
    for (const [i, { message }] of Object.entries(faults as Record<string, FieldError>)) {
      const index = parseIndex(indexes[Number(i)]!)
      const name = `${index.name}_${raw.id}`
      if (/already exists/.test(message) && !index.name.endsWith(raw.id)) {
        report(`${raw.name}: its index ${index.name} is called ${name} here, since that name is taken.`)
        indexes[Number(i)] = indexText({ ...index, name })
      } else {
        report(`${raw.name}: an index was left out (${indexes[Number(i)]}): ${message}`)
        indexes[Number(i)] = ''
      }
    }
    return saveOne(draft, { ...raw, indexes: indexes.filter((index) => index !== '') }, report)
  }
}

/** Saves a collection with its dates and token secrets. Reports indexes that are renamed or left out. */
async function saveSource(draft: CatalogDraft, raw: ExportedCollection, report: Report): Promise<Collection> {
  const saved = await saveOne(draft, raw, report)
  const { created, updated } = raw as unknown as Collection
  const token = 'authToken' in raw ? { authToken: raw.authToken } : {}
  await draft.put({ ...saved, created, updated, ...token } as Collection)
  return saved
}

/** How many rows of a view to try to read: some errors of its query occur only for certain rows. */
const SAMPLE_SIZE = 1_000

async function saveView(draft: CatalogDraft, raw: ExportedCollection, report: Report): Promise<void> {
  const view = await saveSource(draft, raw, report)
  try {
    const sample = `select * from ${quote(tableName(view))} limit $1`
    await withSavepoint(draft.db, () => draft.db.query(sample, [SAMPLE_SIZE]))
  } catch (error) {
    await dropCollection(draft, view)
    throw error
  }
}

/** Creates views. Tries failed ones again, because a view may read another. Reports those left out. */
export async function importPocketBaseViews(
  draft: CatalogDraft,
  views: readonly ExportedCollection[],
  report: Report,
): Promise<void> {
  for (let waiting = views; waiting.length > 0; ) {
    const failed = new Map<ExportedCollection, unknown>()
    for (const raw of waiting) await saveView(draft, raw, report).catch((error) => failed.set(raw, error))
    if (failed.size === waiting.length)
      for (const [{ name }, error] of failed)
        report(
          `${name}: the view was left out, its query does not work on Postgres: ${(error as Error).message}`,
        )
    waiting = failed.size === waiting.length ? [] : [...failed.keys()]
  }
}

/** A condition added to imported rules, so that users cannot raise their own quota. */
const QUOTA_GUARD = '@request.body.monthly_quota:isset = false'

/** Throws a UserError if the source has another collection under the name or id of a built-in one. */
function refuseTakenNames(draft: CatalogDraft, raws: readonly ExportedCollection[]): void {
  const own = draft.catalog.all.filter(({ id }) => BUILT_IN_IDS.has(id))
  const taken = raws.filter(({ id, name }) =>
    own.some((one) => one.id !== id && one.name.toLowerCase() === name.toLowerCase()),
  )
  if (taken.length > 0) {
    const names = taken.map(({ name }) => name).join(', ')
    throw new UserError(
      `pocketsms has collections of its own with these names: ${names}. Rename them in PocketBase, then import again.`,
    )
  }
  for (const { id, name } of own) {
    const renamed = raws.find((raw) => raw.id === id && raw.name !== name)
    if (!renamed) continue
    throw new UserError(
      `pocketsms needs the collection ${renamed.name} under the name ${name}. Rename it in PocketBase, then import again.`,
    )
  }
}

function withQuotaRule(raw: ExportedCollection, report: Report): ExportedCollection {
  if (raw.id !== USERS_ID) return raw
  const guarded = (text: unknown) => {
    if (typeof text !== 'string' || text.includes(QUOTA_GUARD)) return text
    return text.trim() === '' ? QUOTA_GUARD : `(${text}\n) && ${QUOTA_GUARD}`
  }
  const rules = { createRule: guarded(raw.createRule), updateRule: guarded(raw.updateRule) }
  if (rules.createRule !== raw.createRule || rules.updateRule !== raw.updateRule)
    report(`users: its create and update rules got "${QUOTA_GUARD}", so that nobody lifts the own quota.`)
  return { ...raw, ...rules }
}

/** Gives built-in fields the ids of the source's fields with the same name. UserError if types differ. */
async function takeFieldIds(draft: CatalogDraft, raw: ExportedCollection): Promise<void> {
  const there = draft.catalog.all.find(({ id }) => id === raw.id)
  if (!there) return
  const sources = raw.fields as readonly Field[]
  const fields = there.fields.map((field) => {
    const source = sources.find(({ name }) => name.toLowerCase() === field.name.toLowerCase())
    // a field of the source may have our field's id under another name: PocketBase keeps ids at renames
    const isTaken = !source && sources.some(({ id }) => id === field.id)
    if (!source) return isTaken ? { ...field, id: `pocketsms_${field.name}` } : field
    if (source.type === field.type) return { ...field, id: source.id }
    throw new UserError(
      `pocketsms needs the field ${field.name} of ${raw.name} to be of type ${field.type}, not ${source.type}. Rename it in PocketBase, then import again.`,
    )
  })
  await draft.put({ ...there, fields } as Collection)
}
