import { UserError } from '../../platform/api-errors.ts'
import { isObject } from '../../platform/tools/json.ts'
import type { ReportProgress } from '../../platform/tools/progress.ts'
import { readText } from '../../platform/tools/read-named-file.ts'
import { recordTerminalAudit } from '../auth/write-audit-log.ts'
import { type CatalogDraft, InvalidCollection, type Store } from '../collections/catalog.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import type { Collection } from '../collections/collection.ts'
import {
  ImportFault,
  importCollections,
  validateImported,
} from '../collections/import-collections.ts'
import { quoteName, toColumnName, toTableName } from '../collections/sql-names.ts'
import { isMulti, type RelationField } from '../fields/field.ts'
import { checkRule } from '../records/check-rules.ts'
import type { Extensions } from '../records/collection-extension.ts'
import { beginImport } from './begin-import.ts'
import { chooseChunkSize, deleteReplaced, insertRows, vacuumCollection } from './insert-rows.ts'
import {
  type FilePosition,
  type ImportRow,
  makeRecordError,
  readImportRows,
  readRowId,
} from './read-import-rows.ts'

interface Part extends FilePosition {
  readonly rows: readonly ImportRow[]
}

/**
 * Imports collections (`schema`: PocketBase's export) and records (`{"collection": [{record}, …]}`), all or
 * nothing. May be repeated. Returns a summary; throws a UserError for invalid files.
 */
export async function importFiles(
  store: CatalogStore,
  extensions: Extensions,
  files: { readonly schema?: string | undefined; readonly fixtures?: string | undefined },
  progress: ReportProgress,
): Promise<string> {
  const done = await store.change(async (draft) => {
    const collections =
      files.schema === undefined ? 0 : await importSchema(draft, files.schema, progress)
    const parts =
      files.fixtures === undefined
        ? []
        : await importRecords(draft, extensions, files.fixtures, progress)
    const fields = parts.map(({ collection }) => collection.name)
    await recordTerminalAudit(draft.db, { action: 'import', fields })
    return { collections, parts }
  })
  for (const { collection } of done.parts) await vacuumCollection(store, collection)
  const records = done.parts.reduce((sum, { rows }) => sum + rows.length, 0)
  return `Imported ${done.collections} collections and ${records} records.`
}

async function importRecords(
  draft: CatalogDraft,
  extensions: Extensions,
  file: string,
  progress: ReportProgress,
): Promise<Part[]> {
  const parts = readFixtureParts(draft, extensions, file)
  await beginImport(draft.db, extensions)
  for (const part of parts) await insertFixturePart(draft, part, progress)
  // check relations last: records may refer to each other in any order
  for (const part of parts) await checkRelations(draft, part)
  return parts
}

function readFixtureParts(draft: CatalogDraft, extensions: Extensions, file: string): Part[] {
  const content = readFixtureJson(file)
  if (!isObject(content)) throw new UserError(`${file}: an object of collections expected.`)
  return Object.entries(content).map(([name, records]) => {
    const collection = draft.catalog.find(name)
    if (!collection) throw new UserError(`${file}: there is no collection ${name}.`)
    if (collection.type === 'view')
      throw new UserError(`${file}: ${name} is a view, it has no records of its own.`)
    if (!Array.isArray(records))
      throw new UserError(`${file}: collection ${name}: a list of records expected.`)
    return { file, collection, rows: readImportRows({ file, collection }, records, extensions) }
  })
}

/** Writes records that were checked. Existing records with their ids are deleted first. */
async function insertFixturePart(
  { db }: CatalogDraft,
  part: Part,
  progress: ReportProgress,
): Promise<void> {
  const { collection, rows } = part
  const replaced = await deleteReplaced(db, collection, listRowIds(part))
  const step = chooseChunkSize(collection)
  for (let done = 0; done < rows.length; done += step) {
    const chunk = rows.slice(done, done + step)
    await insertRows(db, part, chunk, { replaced })
    progress(collection.name, done + chunk.length, rows.length)
  }
}

const listRowIds = ({ collection, rows }: Part) => rows.map((row) => readRowId(collection, row))

async function importSchema(
  draft: CatalogDraft,
  file: string,
  progress: ReportProgress,
): Promise<number> {
  const schema = readFixtureJson(file)
  if (!Array.isArray(schema) || !schema.every(isObject))
    throw new UserError(`${file}: a list of collections expected, as PocketBase exports it.`)
  try {
    await validateImported(draft, await importCollections(draft, schema, 'keep-needed'), checkRule)
  } catch (error) {
    if (!(error instanceof InvalidCollection || error instanceof ImportFault)) throw error
    throw new UserError(`${file}: ${error.message}`)
  }
  progress('collections', schema.length, schema.length)
  return schema.length
}

/** SQL: finds a relation to a missing record in the records with ids $1. Returns both records' ids. */
function writeLostStatement(
  collection: Collection,
  field: RelationField,
  target: Collection,
): string {
  const name = `b.${quoteName(toColumnName(field.name))}`
  const values = isMulti(field) ? name : `array_remove(array[${name}], '')`
  return `select b.id, v.id from ${quoteName(toTableName(collection))} b, unnest(${values}) v(id)
    where b.id = any($1::text[]) and not exists (select 1 from ${quoteName(toTableName(target))} t where t.id = v.id) limit 1`
}

async function checkRelations(store: Store, place: Part): Promise<void> {
  for (const field of place.collection.fields) {
    if (field.type !== 'relation') continue
    const target = store.catalog.find(field.collectionId)
    if (!target) continue
    const { rows } = await store.db.query(writeLostStatement(place.collection, field, target), [
      listRowIds(place),
    ])
    if (!rows[0]) continue
    const [id, lost] = rows[0].map(String)
    throw makeRecordError(place, id!, `${target.name} has no record ${lost}`, field.name)
  }
}

function readFixtureJson(file: string): unknown {
  const text = readText(file)
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new UserError(`${file} is not JSON: ${(error as Error).message}`)
  }
}
