import { recordTerminalAudit } from '../auth/superusers/audit.ts'
import type { CatalogStore } from '../collections/catalog/catalog-store.ts'
import type { CatalogDraft } from '../collections/catalog-draft.ts'
import type { Collection } from '../collections/collection.ts'
import { quote, tableName } from '../collections/names.ts'
import { UserError } from '../errors.ts'
import type { Progress } from '../tools/progress.ts'
import { readJson, readRecords } from './files.ts'
import { chunkSize, idOf, insertRows, type Replaced, removeOld } from './insert.ts'
import { checkRelations } from './relations.ts'
import { type FilePosition, type ImportRow, type ReadRow, rowReader } from './rows.ts'
import { importSchema } from './schema.ts'

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
