import type { CatalogStore } from '../collections/catalog/catalog-store.ts'
import type { Collection } from '../collections/catalog.ts'
import { violatedFields } from '../collections/table/indexes.ts'
import { isSqlError, UNIQUE_VIOLATION } from '../db/errors.ts'
import type { Db } from '../db/open.ts'
import { withSavepoint } from '../db/savepoint.ts'
import { logChange } from '../records/changes.ts'
import { columnsOf } from '../records/columns.ts'
import { type FilePosition, hashPasswords, type ImportRow, recordFault } from './rows.ts'

/** Rows per statement. For 200,000 rows of 20 columns, 1,000 to 5,000 are equally fast. */
const CHUNK = 2_000
/** A password takes 60 ms, so smaller steps show progress. */
const CHUNK_WITH_PASSWORDS = 50

/** Inserts any number of rows, sent as one JSON text, in their order. */
function insertStatement(collection: Collection): string {
  const { table, quoted, types } = columnsOf(collection)
  // values of json columns are text in the rows
  const defined = types.map((type, i) => `"${i}" ${type === 'json' ? 'text' : type}`)
  const selected = types.map((type, i) => `"${i}"::${type}`)
  return `insert into ${table} (${quoted.join(', ')}) select ${selected.join(', ')}
    from json_to_recordset($1::json) as rows(${defined.join(', ')})`
}

/** Updates statistics: without them the planner misjudges the new rows, and counts read them all. */
export const tidy = (store: CatalogStore, collection: Collection) =>
  store.forEverybody('command').db.query(`vacuum (analyze) ${columnsOf(collection).table}`)

/** Rows per step for a collection. `hashed`: passwords are hashes already. */
export const chunkSize = ({ type }: Collection, hashed = false): number =>
  type === 'auth' && !hashed ? CHUNK_WITH_PASSWORDS : CHUNK

/** Token keys of records that were deleted to be replaced, by id; '' for none. */
export type Replaced = ReadonlyMap<string, string>

/** Inserts rows in order; `replaced` ones keep token keys, `hashed`: passwords are hashes. UserError. */
export async function insertRows(
  db: Db,
  place: FilePosition,
  rows: readonly ImportRow[],
  { replaced = new Map(), hashed = false }: { readonly replaced?: Replaced; readonly hashed?: boolean } = {},
): Promise<void> {
  const { collection } = place
  keepTokenKeys(collection, rows, replaced)
  if (!hashed) await hashPasswords(collection, rows)
  await insertChunk(db, place, insertStatement(collection), rows)
  await noteChunk(db, collection, rows, replaced)
}

async function insertChunk(db: Db, place: FilePosition, statement: string, chunk: readonly ImportRow[]) {
  const insert = (rows: readonly ImportRow[]) =>
    withSavepoint(db, () => db.query(statement, [JSON.stringify(rows.map(toObject))]))
  try {
    await insert(chunk)
  } catch (error) {
    if (!isSqlError(error, UNIQUE_VIOLATION)) throw error
    for (const row of chunk)
      await insert([row]).catch((cause) => Promise.reject(duplicate(place, row, cause)))
    throw error
  }
}

/** Logs imported records as changes for realtime. */
async function noteChunk(db: Db, collection: Collection, chunk: readonly ImportRow[], replaced: Replaced) {
  const { updated = [], created = [] } = Object.groupBy(
    chunk.map((row) => idOf(collection, row)),
    (id) => (replaced.has(id) ? 'updated' : 'created'),
  )
  await logChange({ db }, collection, 'update', updated)
  await logChange({ db }, collection, 'create', created)
}

const toObject = (row: ImportRow) => Object.fromEntries(row.map((value, i) => [i, value]))

function duplicate(place: FilePosition, row: ImportRow, error: unknown): unknown {
  if (!isSqlError(error, UNIQUE_VIOLATION)) return error
  const fields = violatedFields(place.collection, error.constraint ?? '').join(', ')
  return recordFault(place, idOf(place.collection, row), 'another record has the same value', fields)
}

export const idOf = ({ fields }: Collection, row: ImportRow) =>
  String(row[fields.findIndex(({ name }) => name === 'id')])

/** Deletes the records that will be replaced. Returns their token keys. */
export async function removeOld(db: Db, collection: Collection, ids: readonly string[]): Promise<Replaced> {
  const table = columnsOf(collection).table
  const kept = collection.type === 'auth' ? '"tokenKey"' : `''`
  const old = await db.query(`delete from ${table} where id = any($1::text[]) returning id, ${kept}`, [ids])
  return new Map(old.rows.map(([id, tokenKey]) => [String(id), String(tokenKey)]))
}

function keepTokenKeys(collection: Collection, rows: readonly ImportRow[], replaced: Replaced): void {
  if (collection.type !== 'auth' || replaced.size === 0) return
  const key = collection.fields.findIndex(({ name }) => name === 'tokenKey')
  for (const row of rows) row[key] = replaced.get(idOf(collection, row)) ?? row[key]!
}
