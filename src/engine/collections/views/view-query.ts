import { isSqlError } from '../../../platform/db/database-errors.ts'
import type { Db } from '../../../platform/db/open.ts'
import { withSavepoint } from '../../../platform/db/savepoint.ts'
import { makeRandomText } from '../../../platform/tools/random.ts'
import type { Field, ValueStorage } from '../../fields/field.ts'
import { findFieldStorage } from '../../fields/field-types.ts'
import { collectProblems } from '../../fields/value-checks.ts'
import type { Catalog, Store } from '../catalog.ts'
import type { Collection } from '../collection.ts'
import { parseNewCollection } from '../definition/read-collection.ts'
import { addField } from '../definition/read-field.ts'
import { writeUnknownNameAsText } from '../from-sqlite/quoted-texts.ts'
import { resolveNames } from '../from-sqlite/resolve-names.ts'
import { tokenizeSql } from '../from-sqlite/sql-tokens.ts'
import { SqliteFault } from '../from-sqlite/sqlite-fault.ts'
import { translateCall, translateMixedCall } from '../from-sqlite/translate-call.ts'
import { translateNames, translateQuery } from '../from-sqlite/translate-query.ts'
import { quoteName, toColumnName } from '../sql-names.ts'
import { checkFieldSettings } from '../validate-field-settings.ts'
import { splitSql } from './parse-select.ts'
import { checkViewAccess } from './view-access.ts'
import { makeUnknownField, suggestFields, type ViewField } from './view-fields.ts'
import { ViewQueryError } from './view-query-error.ts'

const SAMPLE_SIZE = 10
/** SQL that casts a view's column to its field's type. NULL stays NULL, as in PocketBase. */
const CASTS: Readonly<Record<ValueStorage, (column: string) => string>> = {
  text: (column) => `pb_text(${column}) collate "C"`,
  list: (column) => `${column}::text[] collate "C"`,
  number: (column) => `${column}::float8`,
  bool: (column) => `${column}::boolean`,
  json: (column) => `pb_json(${column})`,
  geo: (column) => column,
}

const NO_ID =
  "missing required id column (you can use `(ROW_NUMBER() OVER()) as id` if you don't have one)"
const EMPTY_IDS = 'the query could return records with empty or invalid ids'
const EQUAL_IDS = 'the query could return records with non-unique ids'

/** Whether a submitted query or name caused the error. Every SQL error counts as one. */
export const isQueryFault = (error: unknown): error is Error =>
  error instanceof ViewQueryError || error instanceof SqliteFault || isSqlError(error)

/** SQLSTATEs of a call whose values have types that Postgres does not mix: `coalesce(rank, 'none')`. */
const MIXED_TYPES = new Set(['42804', '22P02'])

interface ReadQuery {
  readonly sql: string
  readonly fields: Field[]
  readonly columns: readonly string[]
  readonly plain: readonly boolean[]
}

/** A view's query cannot begin with these. Refused here, because Postgres' error would name a later word. */
const NO_QUERY = new Set(['alter', 'create', 'delete', 'drop', 'insert', 'update'])

function demandQuery(sql: string): void {
  const first = tokenizeSql(sql).find(({ kind }) => kind !== 'blank')?.text ?? ''
  if (NO_QUERY.has(first.toLowerCase())) throw new SqliteFault(`near "${first}": syntax error`)
}

/** The query without outer semicolons. Throws a ViewQueryError or SqliteFault if it is no single SELECT. */
function requireOneStatement(query: string): string {
  const sql = query.trim().replace(/^;+|;+$/g, '')
  if (splitSql(sql, ';').length > 1)
    throw new ViewQueryError('multiple statements are not supported')
  demandQuery(sql)
  return sql
}

/** Throws a ViewQueryError if a query uses what views may not use. Does not run the query. */
async function checkAccess(tx: Db, sql: string, catalog: Catalog): Promise<void> {
  const name = `_view_${makeRandomText(15)}`
  await tx.query(`create view ${quoteName(name)} as select 1 as one from (${sql}\n) q`)
  await checkViewAccess(tx, name, catalog.all)
  await tx.query(`drop view ${quoteName(name)}`)
}

/** Translates a query to Postgres and asks for its columns. If that fails, asks with the query as it is. */
async function readQueryColumns(
  store: Store,
  query: string,
  calls = translateCall,
): Promise<{ sql: string; columns: string[] }> {
  const { db, catalog } = store
  const ask = (sql: string) =>
    db.transaction((tx) =>
      withSavepoint(tx, async () => {
        await checkAccess(tx, sql, catalog)
        // a parameter makes it a prepared statement, which cannot contain a second statement
        const { fields } = await tx.query(`select * from (${sql}\n) q limit $1::int`, [0])
        return { sql, columns: fields.map(({ name }) => name) }
      }),
    )
  const translated = translateQuery(resolveNames(query, catalog), catalog, calls)
  const own = translateNames(query, catalog)
  try {
    return await ask(translated)
  } catch (error) {
    if (!isSqlError(error)) throw error
    const withText = writeUnknownNameAsText(query, error)
    if (withText !== undefined) return readQueryColumns(store, withText, calls)
    if (MIXED_TYPES.has(error.code) && calls === translateCall)
      return readQueryColumns(store, query, translateMixedCall)
    if (own === translated) throw error
    return ask(own)
  }
}

/** Expressions without an alias, which SQLite takes for the column's name, and no field may have. */
const UNNAMED = /^\w+(?:\([\s\S]*\)$|[-+*/%])/

/** Translates a view's query and finds its fields. Throws a ViewQueryError or Postgres' error. */
export async function translateViewQuery(store: Store, query: string): Promise<ReadQuery> {
  const single = requireOneStatement(query)
  const suggested = suggestFields(single, store.catalog)
  const { sql, columns } = await readQueryColumns(store, single)
  const found = columns.map((column, i) => {
    const twice = countSameNames(columns, i)
    const unnamed = suggested.length === columns.length ? suggested[i]!.field.name : ''
    if (UNNAMED.test(unnamed)) return makeUnknownField(unnamed)
    if (twice > 0) return makeUnknownField(`${suggested[i]?.field.name ?? column}:${twice}`)
    return suggested.find((one) => isFieldColumn(one, column)) ?? makeUnknownField(column)
  })
  const fields = found.map(({ field }) => field).reduce<Field[]>(addField, [])
  if (!fields.some(({ name }) => name === 'id')) throw new ViewQueryError(NO_ID, fields)
  return { sql, columns, fields, plain: found.map(({ plain }) => plain) }
}

/** Reads a view's query, checks its fields and the ids of some rows. PocketBase: core/view.go, DryRunView */
export async function readQueryAndSample(store: Store, query: string): Promise<ReadQuery> {
  const read = await translateViewQuery(store, query)
  const wrong = findViewFieldFault(read.fields, store.catalog)
  if (wrong !== undefined) throw new ViewQueryError(wrong, read.fields)
  const sample = `select v.id from (${writeViewSelect(read)}) v limit $1::int`
  const { rows } = await store.db.query(sample, [SAMPLE_SIZE])
  const ids = rows.map(([id]) => String(id ?? ''))
  if (ids.includes('')) throw new ViewQueryError(EMPTY_IDS, read.fields)
  if (new Set(ids).size < ids.length) throw new ViewQueryError(EQUAL_IDS, read.fields)
  return read
}

const countSameNames = (columns: readonly string[], place: number) =>
  columns.slice(0, place).filter((name) => name.toLowerCase() === columns[place]!.toLowerCase())
    .length

/** Whether the column is of this field. Postgres changes aliases without quotes to lower case. */
const isFieldColumn = ({ field }: ViewField, column: string) =>
  field.name.toLowerCase() === column.toLowerCase()

export function writeViewSelect({ sql, fields, columns, plain }: ReadQuery): string {
  const list = fields.map((field, i) => {
    const column = `q.${quoteName(columns[i]!)}`
    return `${plain[i] ? column : CASTS[findFieldStorage(field)](column)} as ${quoteName(toColumnName(field.name))}`
  })
  return `select ${list.join(', ')} from (${sql}\n) q`
}

function findViewFieldFault(fields: Field[], catalog: Catalog): string | undefined {
  const collection = { ...parseNewCollection({ type: 'view', name: 'view' }), fields } as Collection
  for (const [i, field] of fields.entries()) {
    const problems = checkFieldSettings(field, { collection, stored: undefined, catalog })
    const [found] = Object.entries(collectProblems(problems) ?? {})
    if (!found) continue
    const message = String(found[1].message)
    return `invalid field "${field.name}" (${i}): ${found[0]}: ${message[0]!.toLowerCase()}${message.slice(1)}`
  }
}
