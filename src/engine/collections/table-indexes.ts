import { type FieldError, makeFieldError } from '../../platform/api-errors.ts'
import { isSqlError, UNIQUE_VIOLATION } from '../../platform/db/database-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { withSavepoint } from '../../platform/db/savepoint.ts'
import { type Field, isMulti } from '../fields/field.ts'
import { InvalidCollection } from './catalog.ts'
import type { Collection } from './collection.ts'
import { checkNameAllowed, explainSqliteError, SqliteFault } from './from-sqlite/sqlite-fault.ts'
import { translateExpression } from './from-sqlite/translate-expression.ts'
import {
  type IndexColumn,
  type IndexExpression,
  isValidIndex,
  parseIndex,
} from './index-definition.ts'
import { quoteName, toIndexName, toTableName } from './sql-names.ts'

const isCaselessIndex = (field: Field) =>
  field.type === 'number' || field.type === 'bool' || isMulti(field)

const findIndexedField = (
  { fields }: { readonly fields: readonly Field[] },
  { name }: IndexColumn,
) => fields.find((field) => field.name.toLowerCase() === name.toLowerCase())

function writeIndexedColumn(column: IndexColumn, fields: readonly Field[]): string {
  const { name, collate, sort } = column
  const translated = translateExpression(name, fields)
  const bare = /^("([^"]|"")+"|\w+)$/.test(translated) ? translated : `(${translated})`
  const field = findIndexedField({ fields }, column)
  const folds = collate.toLowerCase() === 'nocase' && !(field && isCaselessIndex(field))
  const folded = folds ? `lower(${bare} collate "C")` : bare
  return folded + (sort && ` ${sort}`)
}

/** Postgres' `create index` for an index that a collection defines in SQLite's syntax. */
export function writeIndexDdl(index: IndexExpression, collection: Collection): string {
  const columns = index.columns.map((column) => writeIndexedColumn(column, collection.fields))
  const where = index.where && ` where ${translateExpression(index.where, collection.fields)}`
  return `create ${index.unique ? 'unique ' : ''}index ${quoteName(toIndexName(index.name))} on ${quoteName(toTableName(collection))} (${columns.join(', ')})${where}`
}

/** Throws errors that SQLite reports for an index and Postgres does not. `place`: the index's position. */
function refuseSqliteIndex(
  { name, schema }: IndexExpression,
  { indexes }: Collection,
  place: number,
): void {
  checkNameAllowed(name)
  if (!/^(main|temp)?$/i.test(schema)) throw new SqliteFault(`unknown database \`${schema}\``)
  const first = indexes.findIndex(
    (sql) => parseIndex(sql).name.toLowerCase() === name.toLowerCase(),
  )
  if (first < place) throw new SqliteFault(`index ${name} already exists`)
}

function makeNotUniqueError(
  { name, columns }: IndexExpression,
  collection: Collection,
): SqliteFault {
  const fields = columns.map((column) => findIndexedField(collection, column)?.name)
  const which = fields.includes(undefined)
    ? `index '${name}'`
    : fields.map((field) => `${collection.name}.${field}`).join(', ')
  return new SqliteFault(`UNIQUE constraint failed: ${which}`, 'constraint failed', 2067)
}

async function createIndex(
  db: Db,
  place: number,
  collection: Collection,
): Promise<FieldError | undefined> {
  const index = { ...parseIndex(collection.indexes[place]!), table: collection.name }
  if (!isValidIndex(index))
    return makeFieldError('validation_invalid_index_expression', 'Invalid CREATE INDEX expression.')
  try {
    refuseSqliteIndex(index, collection, place)
    await withSavepoint(db, () => db.query(writeIndexDdl(index, collection)))
  } catch (error) {
    const fault = isSqlError(error, UNIQUE_VIOLATION)
      ? makeNotUniqueError(index, collection)
      : (error as Error)
    const reason = `Failed to create index ${index.name} - ${explainSqliteError(fault)}.`
    return makeFieldError('validation_invalid_index_expression', reason)
  }
}

const DEPENDED_UPON = '2BP01'
const KEY = `select conname from pg_constraint where conrelid = $1::regclass and contype = 'p'`

async function renewKey(db: Db, table: string): Promise<void> {
  const [key] = (await db.query(KEY, [table])).rows
  if (!key) return
  const name = quoteName(String(key[0]))
  await withSavepoint(db, () =>
    db.query(
      `alter table ${table} drop constraint ${name}, add constraint ${name} primary key (id)`,
    ),
  ).catch((error: unknown) => {
    if (!isSqlError(error, DEPENDED_UPON)) throw error
  })
}

/**
 * Creates indexes in reverse order: if a row violates several, Postgres reports the oldest, SQLite the
 * newest. Throws an InvalidCollection with all errors.
 */
export async function createIndexes(db: Db, collection: Collection): Promise<void> {
  const errors: Record<string, FieldError> = {}
  for (const i of [...collection.indexes.keys()].reverse()) {
    const error = await createIndex(db, i, collection)
    if (error) errors[i] = error
  }
  if (Object.keys(errors).length > 0) throw new InvalidCollection(collection, { indexes: errors })
  const isUnique = collection.indexes.some((sql) => parseIndex(sql).unique)
  if (isUnique) await renewKey(db, quoteName(toTableName(collection)))
}

export async function dropIndexes(db: Db, collection: Collection): Promise<void> {
  for (const sql of collection.indexes)
    await db.query(`drop index if exists ${quoteName(toIndexName(parseIndex(sql).name))}`)
}

/** Fields of the violated unique index `constraint`: `id` for the primary key, none for an unknown index. */
export function findViolatedFields(collection: Collection, constraint: string): string[] {
  const index = collection.indexes
    .map(parseIndex)
    .find(({ name }) => toIndexName(name) === constraint)
  if (!index) return /_pkey\d*$/.test(constraint) ? ['id'] : []
  return index.columns.flatMap((column) => findIndexedField(collection, column)?.name ?? [])
}
