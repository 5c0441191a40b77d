import { isSqlError, UNIQUE_VIOLATION } from '../db/errors.ts'
import type { Db } from '../db/open.ts'
import { withSavepoint } from '../db/savepoint.ts'
import { type FieldError, fieldError } from '../errors.ts'
import { type Field, type FileField, isMulti } from '../fields/field.ts'
import { fieldType } from '../fields/field-types.ts'
import { type Collection, columnName, InvalidCollection, indexName, quote, tableName } from './catalog.ts'
import { isNeededField, isOptionalField } from './definition/built-in.ts'
import {
  type IndexColumn,
  type IndexExpression,
  isValidIndex,
  parseIndex,
  translateExpression,
} from './sqlite/index-expression.ts'
import { checkNameAllowed, SqliteFault, sqliteErrorText } from './sqlite/sqlite-fault.ts'

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
const byId = (fields: readonly Field[], id: string) => fields.find((field) => field.id === id)

const passing = (field: Field) => quote(columnName(`~${field.id}`))
const columnSql = (field: Field) => quote(columnName(field.name))

/** Fields that change from a single value to a list or back. */
export function converted(old: Collection, next: Collection): Field[] {
  return next.fields.filter((field) => {
    const before = byId(old.fields, field.id)
    return before !== undefined && isMulti(before) !== isMulti(field)
  })
}

function conversion(field: Field, from: string): string {
  if (isMulti(field)) return `case when ${from} = '' then '{}' else array[${from}] end`
  return `coalesce(${from}[cardinality(${from})], '')`
}

/** Renames columns through temporary names, because two fields may swap their names. */
async function renameColumns(db: Db, table: string, old: Collection, next: Collection): Promise<void> {
  const renamed = next.fields.flatMap((field) => {
    const before = byId(old.fields, field.id)
    return before && before.name !== field.name ? [{ before, field }] : []
  })
  for (const { before, field } of renamed)
    await db.query(`alter table ${table} rename column ${columnSql(before)} to ${passing(field)}`)
  for (const { field } of renamed)
    await db.query(`alter table ${table} rename column ${passing(field)} to ${columnSql(field)}`)
}

async function convertColumns(db: Db, table: string, fields: readonly Field[]): Promise<void> {
  for (const field of fields) {
    await db.query(`alter table ${table} rename column ${columnSql(field)} to ${passing(field)}`)
    await db.query(`alter table ${table} add column ${columnDdl(field)}`)
    await db.query(`update ${table} set ${columnSql(field)} = ${conversion(field, passing(field))}`)
    await db.query(`alter table ${table} drop column ${passing(field)}`)
  }
}

async function dropColumns(db: Db, table: string, old: Collection, next: Collection): Promise<void> {
  for (const field of old.fields) {
    if (byId(next.fields, field.id) || isOptionalField(next, field)) continue
    await db.query(`alter table ${table} drop column ${columnSql(field)}`)
  }
}

async function addColumns(db: Db, table: string, old: Collection, next: Collection): Promise<void> {
  for (const field of next.fields) {
    if (byId(old.fields, field.id)) continue
    const unlessThere = isNeededField(next, field) ? 'if not exists ' : ''
    await db.query(`alter table ${table} add column ${unlessThere}${columnDdl(field)}`)
  }
}

/**
 * Changes a collection's table; fields match by id. Throws an InvalidCollection for indexes that fail, or
 * Postgres' error. PocketBase: core/collection_record_table_sync.go
 */
export async function alterTable(db: Db, old: Collection, next: Collection): Promise<void> {
  const renamed = tableName(old) !== tableName(next)
  if (!renamed && same(old.fields, next.fields) && same(old.indexes, next.indexes)) return
  const table = quote(tableName(next))
  const isFileMoved = movesFileColumns(old, next)
  if (isFileMoved) await dropFileTriggers(db, old)
  await dropIndexes(db, old)
  if (renamed) await db.query(`alter table ${quote(tableName(old))} rename to ${table}`)
  await dropColumns(db, table, old, next)
  await renameColumns(db, table, old, next)
  await addColumns(db, table, old, next)
  await convertColumns(db, table, converted(old, next))
  await createIndexes(db, next)
  if (!isFileMoved) return
  await deleteUnreferencedFiles(db, next)
  await addFileTriggers(db, next)
}

const isCaseless = (field: Field) => field.type === 'number' || field.type === 'bool' || isMulti(field)

const fieldOf = ({ fields }: { readonly fields: readonly Field[] }, { name }: IndexColumn) =>
  fields.find((field) => field.name.toLowerCase() === name.toLowerCase())

function indexedColumn(column: IndexColumn, fields: readonly Field[]): string {
  const { name, collate, sort } = column
  const translated = translateExpression(name, fields)
  const bare = /^("([^"]|"")+"|\w+)$/.test(translated) ? translated : `(${translated})`
  const field = fieldOf({ fields }, column)
  const folds = collate.toLowerCase() === 'nocase' && !(field && isCaseless(field))
  const folded = folds ? `lower(${bare} collate "C")` : bare
  return folded + (sort && ` ${sort}`)
}

/** Postgres' `create index` for an index that a collection defines in SQLite's syntax. */
export function indexDdl(index: IndexExpression, collection: Collection): string {
  const columns = index.columns.map((column) => indexedColumn(column, collection.fields))
  const where = index.where && ` where ${translateExpression(index.where, collection.fields)}`
  return `create ${index.unique ? 'unique ' : ''}index ${quote(indexName(index.name))} on ${quote(tableName(collection))} (${columns.join(', ')})${where}`
}

/** Throws errors that SQLite reports for an index and Postgres does not. `place`: the index's position. */
function onlyInSqlite({ name, schema }: IndexExpression, { indexes }: Collection, place: number): void {
  checkNameAllowed(name)
  if (!/^(main|temp)?$/i.test(schema)) throw new SqliteFault(`unknown database \`${schema}\``)
  const first = indexes.findIndex((sql) => parseIndex(sql).name.toLowerCase() === name.toLowerCase())
  if (first < place) throw new SqliteFault(`index ${name} already exists`)
}

function notUnique({ name, columns }: IndexExpression, collection: Collection): SqliteFault {
  const fields = columns.map((column) => fieldOf(collection, column)?.name)
  const which = fields.includes(undefined)
    ? `index '${name}'`
    : fields.map((field) => `${collection.name}.${field}`).join(', ')
  return new SqliteFault(`UNIQUE constraint failed: ${which}`, 'constraint failed', 2067)
}

async function createIndex(db: Db, place: number, collection: Collection): Promise<FieldError | undefined> {
  const index = { ...parseIndex(collection.indexes[place]!), table: collection.name }
  if (!isValidIndex(index))
    return fieldError('validation_invalid_index_expression', 'Invalid CREATE INDEX expression.')
  try {
    onlyInSqlite(index, collection, place)
    await withSavepoint(db, () => db.query(indexDdl(index, collection)))
  } catch (error) {
    const fault = isSqlError(error, UNIQUE_VIOLATION) ? notUnique(index, collection) : (error as Error)
    const reason = `Failed to create index ${index.name} - ${sqliteErrorText(fault)}.`
    return fieldError('validation_invalid_index_expression', reason)
  }
}

const DEPENDED_UPON = '2BP01'
const KEY = `select conname from pg_constraint where conrelid = $1::regclass and contype = 'p'`

async function renewKey(db: Db, table: string): Promise<void> {
  const [key] = (await db.query(KEY, [table])).rows
  if (!key) return
  const name = quote(String(key[0]))
  await withSavepoint(db, () =>
    db.query(`alter table ${table} drop constraint ${name}, add constraint ${name} primary key (id)`),
  ).catch((error: unknown) => {
    if (!isSqlError(error, DEPENDED_UPON)) throw error
  })
}

/**
 * Creates indexes in reverse order: if a row violates several, Postgres reports the oldest, SQLite the
 * newest. Throws an InvalidCollection with all errors.
 */
async function createIndexes(db: Db, collection: Collection): Promise<void> {
  const errors: Record<string, FieldError> = {}
  for (const i of [...collection.indexes.keys()].reverse()) {
    const error = await createIndex(db, i, collection)
    if (error) errors[i] = error
  }
  if (Object.keys(errors).length > 0) throw new InvalidCollection(collection, { indexes: errors })
  const isUnique = collection.indexes.some((sql) => parseIndex(sql).unique)
  if (isUnique) await renewKey(db, quote(tableName(collection)))
}

async function dropIndexes(db: Db, collection: Collection): Promise<void> {
  for (const sql of collection.indexes)
    await db.query(`drop index if exists ${quote(indexName(parseIndex(sql).name))}`)
}

/** Fields of the violated unique index `constraint`: `id` for the primary key, none for an unknown index. */
export function violatedFields(collection: Collection, constraint: string): string[] {
  const index = collection.indexes.map(parseIndex).find(({ name }) => indexName(name) === constraint)
  if (!index) return /_pkey\d*$/.test(constraint) ? ['id'] : []
  return index.columns.flatMap((column) => fieldOf(collection, column)?.name ?? [])
}

/** A field's column: name, type and default. Contract 2.11 */
const columnDdl = (field: Field) => `${quote(columnName(field.name))} ${fieldType(field).column(field)}`

/** Analyzes tables early: without statistics Postgres expects few rows per user and may sort 100,000 rows. */
const STATISTICS = 'autovacuum_analyze_threshold = 250, autovacuum_analyze_scale_factor = 0.02'

/** Creates a collection's table. Postgres names constraints: a renamed table may still have fixed names. */
export async function createTable(db: Db, collection: Collection): Promise<void> {
  // an imported collection may have two fields of one name: validation refuses it later
  const fields = new Map(collection.fields.map((field) => [field.name, columnDdl(field)]))
  const columns = [...fields.values(), '_rowid bigint generated always as identity unique']
  await db.query(`create table ${quote(tableName(collection))} (${columns.join(', ')}) with (${STATISTICS})`)
  await createIndexes(db, collection)
  await addFileTriggers(db, collection)
}

const COLUMNS = `
select attname from pg_attribute
where attrelid = to_regclass(quote_ident($1)) and attnum > 0 and not attisdropped`

/** The names of a table's columns; none if there is no such table. */
export async function columnsOf(db: Db, table: string): Promise<ReadonlySet<string>> {
  const { rows } = await db.query(COLUMNS, [table])
  return new Set(rows.map(([name]) => String(name)))
}

const fileFields = ({ fields }: Collection): FileField[] => fields.filter((field) => field.type === 'file')
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

const namesSql = (fields: readonly FileField[]) =>
  fields
    .map((field) => (isMulti(field) ? `b.${columnSql(field)}` : `array[b.${columnSql(field)}]`))
    .join(' || ')

const place = (collection: Collection) => {
  const fields = fileFields(collection)
  return [namesSql(fields), ...fields.map(({ id }) => id)].join()
}

const movesFileColumns = (old: Collection, next: Collection): boolean => place(old) !== place(next)

/** Adds triggers that call the SQL function _files_named to delete files that a record no longer names. */
async function addFileTriggers(db: Db, collection: Collection): Promise<void> {
  const fields = fileFields(collection)
  if (fields.length === 0) return
  const table = quote(tableName(collection))
  const call = `execute function _files_named(${literal(collection.id)}, ${literal(namesSql(fields))})`
  const isOther = fields.map((field) => `old.${columnSql(field)} is distinct from new.${columnSql(field)}`)
  const late = 'deferrable initially deferred for each row'
  await db.query(
    `create constraint trigger _files_changed after update on ${table} ${late} when (${isOther.join(' or ')}) ${call}`,
  )
  // only for rows with files: otherwise deleting a million messages would take seconds more
  const names = fields.map((field) => `old.${columnSql(field)} <> '${isMulti(field) ? '{}' : ''}'`)
  await db.query(
    `create constraint trigger _files_deleted after delete on ${table} ${late} when (${names.join(' or ')}) ${call}`,
  )
}

/** Drops the file triggers, because Postgres does not change columns that a trigger uses. */
async function dropFileTriggers(db: Db, collection: Collection): Promise<void> {
  const table = quote(tableName(collection))
  await db.query(`drop trigger if exists _files_changed on ${table}`)
  await db.query(`drop trigger if exists _files_deleted on ${table}`)
}

/** Deletes a collection's files that none of its records names. */
async function deleteUnreferencedFiles(db: Db, collection: Collection): Promise<void> {
  const fields = fileFields(collection)
  if (fields.length === 0) return dropFiles(db, collection)
  await db.query(
    `delete from _files f where f.collection = $1 and not exists (
      select from ${quote(tableName(collection))} b where b.id = f.record and f.name = any (${namesSql(fields)}))`,
    [collection.id],
  )
}

export async function dropFiles(db: Db, { id }: Collection): Promise<void> {
  await db.query('delete from _files where collection = $1', [id])
}
