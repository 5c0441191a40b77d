import type { CatalogDraft } from '../collections/catalog-draft.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import type { Collection } from '../collections/collection.ts'
import { quote, tableName } from '../collections/names.ts'
import { UserError } from '../errors.ts'
import { isObject, readJson } from './files.ts'
import { idOf, insertRows } from './insert.ts'
import type { Progress } from './progress.ts'
import { checkRelations } from './relations.ts'
import { type Place, type Row, readRows } from './rows.ts'
import { importSchema } from './schema.ts'

interface Part extends Place {
  readonly rows: Row[]
}

/**
 * Brings in collections (`schema`: PocketBase's export) and records (`fixtures`: `{"collection": [{record}, …]}`,
 * ids and dates as they stand, passwords in plain text), all or nothing. The same again gives the same. Answers a
 * sentence that says what came in; throws a UserError that says where a file is wrong.
 */
export async function importFiles(
  store: CatalogStore,
  files: { readonly schema?: string | undefined; readonly fixtures?: string | undefined },
  progress: Progress,
): Promise<string> {
  const schema = files.schema === undefined ? undefined : readJson(files.schema)
  const fixtures = files.fixtures === undefined ? undefined : readJson(files.fixtures)
  const done = await store.change(async (draft) => {
    const collections =
      files.schema === undefined ? 0 : await importSchema(draft, files.schema, schema, progress)
    const parts = files.fixtures === undefined ? [] : readParts(draft, files.fixtures, fixtures)
    await insertParts(draft, parts, progress)
    return { collections, parts }
  })
  for (const { collection } of done.parts) await tidy(store, collection)
  const records = done.parts.reduce((sum, { rows }) => sum + rows.length, 0)
  return `Imported ${done.collections} collections and ${records} records.`
}

function readParts(draft: CatalogDraft, file: string, fixtures: unknown): Part[] {
  if (!isObject(fixtures)) throw new UserError(`${file}: an object of collections expected.`)
  return Object.entries(fixtures).map(([name, records]) => {
    const collection = draft.catalog.find(name)
    if (!collection) throw new UserError(`${file}: there is no collection ${name}.`)
    if (collection.type === 'view')
      throw new UserError(`${file}: ${name} is a view, it has no records of its own.`)
    if (!Array.isArray(records))
      throw new UserError(`${file}: collection ${name}: a list of records expected.`)
    return { file, collection, rows: readRows({ file, collection }, records) }
  })
}

/** Records may refer to each other in any order: their relations are looked at when all are there. */
async function insertParts(draft: CatalogDraft, parts: readonly Part[], progress: Progress): Promise<void> {
  await draft.db.query('set local statement_timeout = 0')
  for (const part of parts) {
    const { name } = part.collection
    await insertRows(draft.db, part, part.rows, (done) => progress(name, done, part.rows.length))
  }
  for (const part of parts) {
    const ids = part.rows.map((row) => idOf(part.collection, row))
    await checkRelations(draft, part, ids)
  }
}

/** Many new rows: without this the planner knows nothing of them, and counts read every row. */
const tidy = (store: CatalogStore, collection: Collection) =>
  store.db.query(`vacuum (analyze) ${quote(tableName(collection))}`)
