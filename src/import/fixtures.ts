import { recordTerminalAudit } from '../auth/superusers/audit.ts'
import type { CatalogStore } from '../collections/catalog/catalog-store.ts'
import type { Store } from '../collections/catalog.ts'
import type { CatalogDraft } from '../collections/catalog-draft.ts'
import type { Collection } from '../collections/collection.ts'
import { checkImported, ImportFault, importCollections } from '../collections/edit/import.ts'
import { InvalidCollection } from '../collections/invalid.ts'
import { columnName, quote, tableName } from '../collections/names.ts'
import { UserError } from '../errors.ts'
import { isMulti, type RelationField } from '../fields/field.ts'
import { checkRule } from '../rules/check-rule.ts'
import type { Progress } from '../tools/progress.ts'
import { isObject, readJson, readRecords } from './files.ts'
import { chunkSize, idOf, insertRows, type Replaced, removeOld } from './insert.ts'
import { type FilePosition, type ImportRow, type ReadRow, recordFault, rowReader } from './rows.ts'

/** What is kept in memory of one collection's records. */
interface Part extends FilePosition {
  readonly ids: string[]
}

/**
 * Imports collections (`schema`: PocketBase's export) and records (`fixtures`: `{"collection": [{record},
 * …]}`, with ids, dates and plain-text passwords), all or nothing. Repeating it gives the same result.
 * Returns a summary; throws a UserError that locates a fault. The file is read twice, first to check it;
 * memory holds some thousand records and all ids.
 */
export async function importFiles(
  store: CatalogStore,
  files: { readonly schema?: string | undefined; readonly fixtures?: string | undefined },
  progress: Progress,
): Promise<string> {
  const schema = files.schema === undefined ? undefined : readJson(files.schema)
  const done = await store.change(async (draft) => {
    const collections =
      files.schema === undefined ? 0 : await importSchema(draft, files.schema, schema, progress)
    const parts = files.fixtures === undefined ? [] : await importRecords(draft, files.fixtures, progress)
    await recordTerminalAudit(draft.db, {
      action: 'import',
      fields: parts.map(({ collection }) => collection.name),
    })
    return { collections, parts }
  })
  for (const { collection } of done.parts) await tidy(store, collection)
  const records = done.parts.reduce((sum, { ids }) => sum + ids.length, 0)
  return `Imported ${done.collections} collections and ${records} records.`
}

async function importRecords(draft: CatalogDraft, file: string, progress: Progress): Promise<Part[]> {
  const parts = checkFile(draft, file)
  await draft.db.limitStatements(0)
  await insertFile(draft, file, parts, progress)
  // Records may refer to each other in any order.
  for (const part of parts.values()) await checkRelations(draft, part, part.ids)
  return [...parts.values()]
}

function checkFile(draft: CatalogDraft, file: string): Map<string, Part> {
  const parts = new Map<string, Part>()
  let read: ReadRow
  for (const { name, item } of readRecords(file)) {
    if (item === undefined) {
      if (parts.has(name)) throw new UserError(`${file}: the collection ${name} stands twice.`)
      const part = { file, collection: findTable(draft, file, name), ids: [] }
      parts.set(name, part)
      read = rowReader(part)
    } else {
      const { collection, ids } = parts.get(name)!
      ids.push(idOf(collection, read!(item)))
    }
  }
  return parts
}

function findTable(draft: CatalogDraft, file: string, name: string): Collection {
  const collection = draft.catalog.find(name)
  if (!collection) throw new UserError(`${file}: there is no collection ${name}.`)
  if (collection.type === 'view')
    throw new UserError(`${file}: ${name} is a view, it has no records of its own.`)
  return collection
}

/** Writes the records of a checked file; existing ones with these ids are deleted first. */
async function insertFile(
  { db }: CatalogDraft,
  file: string,
  parts: ReadonlyMap<string, Part>,
  progress: Progress,
): Promise<void> {
  let read: ReadRow
  let replaced: Replaced
  let rows: ImportRow[] = []
  let done = 0
  for (const { name, item } of readRecords(file)) {
    const part = parts.get(name)!
    if (item === undefined) {
      read = rowReader(part)
      replaced = await removeOld(db, part.collection, part.ids)
      done = 0
      continue
    }
    rows.push(read!(item))
    const isLast = done + rows.length === part.ids.length
    if (!isLast && rows.length < chunkSize(part.collection)) continue
    await insertRows(db, part, rows, { replaced: replaced! })
    done += rows.length
    rows = []
    progress(part.collection.name, done, part.ids.length)
  }
}

/** Without new statistics the planner misjudges the new rows, and counts read them all. */
const tidy = (store: CatalogStore, collection: Collection) =>
  store.db.query(`vacuum (analyze) ${quote(tableName(collection))}`)

/** Imports the collections of a schema file; returns their number. Throws a UserError. */
async function importSchema(
  draft: CatalogDraft,
  file: string,
  schema: unknown,
  progress: Progress,
): Promise<number> {
  if (!Array.isArray(schema) || !schema.every(isObject)) {
    throw new UserError(`${file}: a list of collections expected, as PocketBase exports it.`)
  }
  try {
    await checkImported(draft, await importCollections(draft, schema, 'keep-needed'), checkRule)
  } catch (error) {
    if (!(error instanceof InvalidCollection || error instanceof ImportFault)) throw error
    throw new UserError(`${file}: ${error.message}`)
  }
  progress('collections', schema.length, schema.length)
  return schema.length
}

/** SQL: one of `ids` whose relation has no target, and the missing target. */
function lostStatement(collection: Collection, field: RelationField, target: Collection): string {
  const name = `b.${quote(columnName(field.name))}`
  const values = isMulti(field) ? name : `array_remove(array[${name}], '')`
  return `select b.id, v.id from ${quote(tableName(collection))} b, unnest(${values}) v(id)
    where b.id = any($1::text[]) and not exists (select 1 from ${quote(tableName(target))} t where t.id = v.id) limit 1`
}

/** Throws a UserError for the first record that refers to a missing one. */
async function checkRelations(store: Store, place: FilePosition, ids: readonly string[]): Promise<void> {
  for (const field of place.collection.fields) {
    if (field.type !== 'relation') continue
    const target = store.catalog.find(field.collectionId)
    if (!target) continue
    const { rows } = await store.db.query(lostStatement(place.collection, field, target), [ids])
    if (!rows[0]) continue
    const [id, lost] = rows[0].map(String)
    throw recordFault(place, id!, `${target.name} has no record ${lost}`, field.name)
  }
}
