import { attempt } from '../collections/attempt.ts'
import type { Collection } from '../collections/collection.ts'
import { violatedFields } from '../collections/indexes.ts'
import { columnName, quote, tableName } from '../collections/names.ts'
import { isSqlError, UNIQUE_VIOLATION } from '../db/errors.ts'
import type { Db } from '../db/open.ts'
import { type Field, isMulti } from '../fields/field.ts'
import { noteChange } from '../records/changes.ts'
import { hashPasswords, type Place, type Row, recordFault } from './rows.ts'

/** Rows a statement. 200,000 rows of 20 columns: 1,000 to 5,000 a time are equally fast. */
const CHUNK = 2_000
/** Passwords take 60 ms each: smaller steps show that something happens. */
const CHUNK_WITH_PASSWORDS = 50

/** How a value travels inside a JSON text, and the column it becomes. */
function column(field: Field, key: string): { define: string; select: string } {
  const name = quote(key)
  if (isMulti(field)) return { define: `${name} text[]`, select: name }
  if (field.type === 'number') return { define: `${name} float8`, select: name }
  if (field.type === 'bool') return { define: `${name} boolean`, select: name }
  if (field.type === 'json' || field.type === 'geoPoint')
    return { define: `${name} text`, select: `${name}::json` }
  return { define: `${name} text`, select: name }
}

/** One statement for any number of rows: they come as one JSON text, in their order. */
function insertStatement(collection: Collection): string {
  const columns = collection.fields.map((field, i) => column(field, String(i)))
  const names = collection.fields.map(({ name }) => quote(columnName(name)))
  return `insert into ${quote(tableName(collection))} (${names.join(', ')})
    select ${columns.map(({ select }) => select).join(', ')}
    from json_to_recordset($1::json) as rows(${columns.map(({ define }) => define).join(', ')})`
}

/**
 * Writes rows into a collection's table, in their order, replacing records with the same ids. Tells `told` how many
 * are done. `hashed`: passwords come as hashes. Throws a UserError that names the record if one breaks a unique index.
 */
export async function insertRows(
  db: Db,
  place: Place,
  rows: readonly Row[],
  told: (done: number) => void,
  { hashed = false }: { readonly hashed?: boolean } = {},
): Promise<void> {
  const { collection } = place
  const statement = insertStatement(collection)
  const replaced = await takeOver(db, collection, rows)
  const size = collection.type === 'auth' && !hashed ? CHUNK_WITH_PASSWORDS : CHUNK
  for (let from = 0; from < rows.length; from += size) {
    const chunk = rows.slice(from, from + size)
    if (!hashed) await hashPasswords(collection, chunk)
    await insertChunk(db, place, statement, chunk)
    await noteChunk(db, collection, chunk, replaced)
    told(from + chunk.length)
  }
}

async function insertChunk(db: Db, place: Place, statement: string, chunk: readonly Row[]): Promise<void> {
  const insert = (rows: readonly Row[]) =>
    attempt(db, () => db.query(statement, [JSON.stringify(rows.map(toObject))]))
  try {
    await insert(chunk)
  } catch (error) {
    if (!isSqlError(error, UNIQUE_VIOLATION)) throw error
    for (const row of chunk)
      await insert([row]).catch((cause) => Promise.reject(duplicate(place, row, cause)))
    throw error
  }
}

/** Who listens hears of imported records as of any others. */
async function noteChunk(
  db: Db,
  collection: Collection,
  chunk: readonly Row[],
  replaced: ReadonlySet<string>,
): Promise<void> {
  const ids = chunk.map((row) => idOf(collection, row))
  await noteChange(
    { db },
    collection,
    'update',
    ids.filter((id) => replaced.has(id)),
  )
  await noteChange(
    { db },
    collection,
    'create',
    ids.filter((id) => !replaced.has(id)),
  )
}

const toObject = (row: Row) => Object.fromEntries(row.map((value, i) => [i, value]))

function duplicate(place: Place, row: Row, error: unknown): unknown {
  if (!isSqlError(error, UNIQUE_VIOLATION)) return error
  const fields = violatedFields(place.collection, error.constraint ?? '').join(', ')
  return recordFault(place, idOf(place.collection, row), 'another record has the same value', fields)
}

/** A row's id. */
export const idOf = ({ fields }: Collection, row: Row) =>
  String(row[fields.findIndex(({ name }) => name === 'id')])

/**
 * Removes the records that are about to be replaced; their token keys, which no file has, live on. Answers their
 * ids.
 */
async function takeOver(db: Db, collection: Collection, rows: readonly Row[]): Promise<Set<string>> {
  const table = quote(tableName(collection))
  const ids = rows.map((row) => idOf(collection, row))
  const key = collection.fields.findIndex(({ name }) => name === 'tokenKey')
  const kept = collection.type === 'auth' ? '"tokenKey"' : `''`
  const old = await db.query(`delete from ${table} where id = any($1::text[]) returning id, ${kept}`, [ids])
  const keys = new Map(old.rows.map(([id, tokenKey]) => [String(id), String(tokenKey)]))
  if (collection.type !== 'auth') return new Set(keys.keys())
  for (const row of rows) row[key] = keys.get(idOf(collection, row)) ?? row[key]!
  return new Set(keys.keys())
}
