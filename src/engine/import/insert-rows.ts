import { isSqlError, UNIQUE_VIOLATION } from '../../platform/db/database-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { withSavepoint } from '../../platform/db/savepoint.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import type { Collection } from '../collections/collection.ts'
import { findViolatedFields } from '../collections/table-indexes.ts'
import { hashPassword } from '../fields/bcrypt.ts'
import { logChange } from '../records/log-changes.ts'
import { columnsOf } from '../records/record-row.ts'
import {
  type FilePosition,
  type ImportRow,
  makeRecordError,
  readRowId,
} from './read-import-rows.ts'

/** Hashes the passwords of rows off the main thread, in parallel. */
async function hashPasswords(collection: Collection, rows: readonly ImportRow[]): Promise<void> {
  const hash = async (row: ImportRow, i: number, cost: number) => {
    if (row[i]) row[i] = await hashPassword(String(row[i]), cost)
  }
  for (const [i, field] of collection.fields.entries())
    if (field.type === 'password') await Promise.all(rows.map((row) => hash(row, i, field.cost)))
}

/** Rows per statement. For 200,000 rows of 20 columns, 1,000 to 5,000 are equally fast. */
const CHUNK = 2_000
/** Rows per statement if passwords must be hashed, 60 ms each. Small steps show progress. */
const CHUNK_WITH_PASSWORDS = 50

/** SQL that inserts any number of rows in their order, from one JSON text. */
function insertStatement(collection: Collection): string {
  const { table, quoted, types } = columnsOf(collection)
  // $1 has values of json columns as strings
  const defined = types.map((type, i) => `"${i}" ${type === 'json' ? 'text' : type}`)
  const selected = types.map((type, i) => `"${i}"::${type}`)
  return `insert into ${table} (${quoted.join(', ')}) select ${selected.join(', ')}
    from json_to_recordset($1::json) as rows(${defined.join(', ')})`
}

/** Vacuums and analyzes: else the planner misjudges the new rows, and counts have to read all of them. */
export const vacuumCollection = (store: CatalogStore, collection: Collection) =>
  store.forEverybody('command').db.query(`vacuum (analyze) ${columnsOf(collection).table}`)

/** Rows per step for a collection. `hashed`: passwords are hashes already. */
export const chooseChunkSize = ({ type }: Collection, hashed = false): number =>
  type === 'auth' && !hashed ? CHUNK_WITH_PASSWORDS : CHUNK

/** Token keys by record id, of records that were deleted to be replaced; '' if a record has none. */
type Replaced = ReadonlyMap<string, string>

/** Inserts rows. `replaced`: token keys to keep. `hashed`: passwords are hashes. UserError for a bad row. */
export async function insertRows(
  db: Db,
  place: FilePosition,
  rows: readonly ImportRow[],
  {
    replaced = new Map(),
    hashed = false,
  }: { readonly replaced?: Replaced; readonly hashed?: boolean } = {},
): Promise<void> {
  const { collection } = place
  keepTokenKeys(collection, rows, replaced)
  if (!hashed) await hashPasswords(collection, rows)
  await insertChunk(db, place, insertStatement(collection), rows)
  // for realtime subscribers: a replaced record counts as an update
  const ids = Object.groupBy(
    rows.map((row) => readRowId(collection, row)),
    (id) => (replaced.has(id) ? 'update' : 'create'),
  )
  await logChange({ db }, collection, 'update', ids.update ?? [])
  await logChange({ db }, collection, 'create', ids.create ?? [])
}

async function insertChunk(
  db: Db,
  place: FilePosition,
  statement: string,
  chunk: readonly ImportRow[],
) {
  const insert = (rows: readonly ImportRow[]) =>
    withSavepoint(db, () => db.query(statement, [JSON.stringify(rows.map(toRowObject))]))
  try {
    await insert(chunk)
  } catch (error) {
    if (!isSqlError(error, UNIQUE_VIOLATION)) throw error
    for (const row of chunk)
      await insert([row]).catch((cause) => {
        if (!isSqlError(cause, UNIQUE_VIOLATION)) throw cause
        const fields = findViolatedFields(place.collection, cause.constraint ?? '').join(', ')
        throw makeRecordError(
          place,
          readRowId(place.collection, row),
          'another record has the same value',
          fields,
        )
      })
    throw error
  }
}

const toRowObject = (row: ImportRow) => Object.fromEntries(row.map((value, i) => [i, value]))

/** Deletes the records that will be replaced. Returns their token keys. */
export async function deleteReplaced(
  db: Db,
  collection: Collection,
  ids: readonly string[],
): Promise<Replaced> {
  const table = columnsOf(collection).table
  const kept = collection.type === 'auth' ? '"tokenKey"' : `''`
  const old = await db.query(
    `delete from ${table} where id = any($1::text[]) returning id, ${kept}`,
    [ids],
  )
  return new Map(old.rows.map(([id, tokenKey]) => [String(id), String(tokenKey)]))
}

function keepTokenKeys(
  collection: Collection,
  rows: readonly ImportRow[],
  replaced: Replaced,
): void {
  if (collection.type !== 'auth' || replaced.size === 0) return
  const key = collection.fields.findIndex(({ name }) => name === 'tokenKey')
  for (const row of rows) row[key] = replaced.get(readRowId(collection, row)) ?? row[key]!
}
