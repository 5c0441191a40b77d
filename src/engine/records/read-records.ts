import { notFound } from '../../platform/api-errors.ts'
import type { Catalog, Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { toTableName } from '../collections/sql-names.ts'
import { compileFilter } from '../filter/compile-filter.ts'
import type { CompiledFilter, QueryStructure } from '../filter/compiled-filter.ts'
import { findAnswerMeter, type RequestInfo } from '../request/request.ts'
import { isRuleFault } from './check-rules.ts'
import { readGuarded, writeGuardedSql } from './limit-read-bytes.ts'
import { writeInPast } from './past-tables.ts'
import {
  columnsOf,
  type RecordColumns,
  type RecordRow,
  toValues,
  type Values,
} from './record-row.ts'
import { findStatementName } from './statement-name.ts'

export interface RowStatement {
  readonly text: string
  readonly columns: RecordColumns
  readonly name: string | undefined
  /** The method of Db that runs the SQL. `lookUp`: few rows by key. `shaped`: a client's filter shapes it. */
  readonly way: 'lookUp' | 'firstRows' | 'shaped' | 'query'
  /** Whether the last parameter limits the bytes of the rows, which are counted while they are read. */
  readonly isGuarded: boolean
}

interface StatementParts {
  readonly text: string
  readonly values: number
  readonly extra: number
  /** For SQL that Postgres plans only once: `free` with a client's filter, else `ruled`. */
  readonly plannedOnce: 'ruled' | 'free' | undefined
  readonly way: RowStatement['way']
  readonly isGuarded: boolean
}

export function writeRowStatement(
  catalog: Catalog,
  collection: Collection,
  parts: StatementParts,
): RowStatement {
  const { plannedOnce, way, isGuarded } = parts
  const text = isGuarded ? writeGuardedSql(collection, parts) : parts.text
  const name = plannedOnce && findStatementName(catalog, text, plannedOnce === 'free')
  return { text, columns: columnsOf(collection), name, way, isGuarded }
}

const statements = new WeakMap<QueryStructure, Map<string, RowStatement>>()

/** The cached statement for a filter and `kind`, made by `write` if missing. Not cached without `kind`. */
export function findOrWriteStatement(
  structure: QueryStructure,
  kind: string | undefined,
  write: () => RowStatement,
): RowStatement {
  if (kind === undefined) return write()
  const known = statements.get(structure) ?? new Map<string, RowStatement>()
  const statement = known.get(kind) ?? write()
  statements.set(structure, known.set(kind, statement))
  return statement
}

/** Runs a statement. If `isGuarded`, throws 400 for too many bytes, RetryLater if memory is short. */
export async function selectRecordRows(
  { db }: Pick<Store, 'db'>,
  { text, name, way, isGuarded }: RowStatement,
  params: readonly unknown[],
  request: RequestInfo,
): Promise<readonly RecordRow[]> {
  if (!isGuarded) return (await db[way](text, params, name)).rows as unknown as RecordRow[]
  return readGuarded(db, findAnswerMeter(request), async (limit) => {
    const { rows } = await db[way](text, [...params, limit], name)
    return rows as unknown as RecordRow[]
  })
}

interface Selection {
  readonly collection: Collection
  /** An API rule; '' allows all records. */
  readonly rule: string
  readonly request: RequestInfo
  /** SQL of a condition on the row `alias`; its first parameter is `$position`. */
  readonly where: (position: number, alias: string) => string
  readonly params: readonly unknown[]
  /** SQL of an additional value at the end of each row. Its first parameter is `$position`. */
  readonly extra?: (position: number) => string
  readonly orderBy?: string
  readonly isLookUp?: boolean
  /** Whether to find rows by `where`, then test the rule. Otherwise Postgres may do the reverse (200 ms). */
  readonly isFirst?: boolean
  readonly idsOnly?: boolean
  /** The number of rows, or SQL of it. */
  readonly limit?: number | ((position: number) => string)
  /** Whether rows may be large. Their bytes are then counted while they are read. */
  readonly isGuarded?: boolean
  /** Cache key: selections with equal `kind` and rule have the same SQL. Not cached if absent. */
  readonly kind?: string
}

export const makeIdCondition = (id: string) => ({
  where: (position: number) => `b."id" = $${position}::text`,
  params: [id],
})

/** Reads the rows that match `where` and the rule, each with `extra` at its end. Throws FilterError. */
export async function selectRows(
  store: Store,
  selection: Selection,
): Promise<readonly RecordRow[]> {
  const { collection, rule, request } = selection
  const compiled = compileFilter(store.catalog, { collection, rule, filter: '', sort: '', request })
  if (compiled.never) return []
  const params = [...compiled.params, ...selection.params]
  const { structure } = compiled
  const statement = findOrWriteStatement(structure, selection.kind, () => {
    const isShaped = request.context === 'expand' || collection.type === 'view'
    // no lookup if the rule reads other tables or a view, which may be slow
    const isLookUp = selection.isLookUp === true && structure.readsOneTable
    return writeRowStatement(store.catalog, collection, {
      text: selectSql(compiled, selection),
      values: params.length,
      extra: selection.extra ? 1 : 0,
      plannedOnce: 'ruled',
      way: isLookUp ? 'lookUp' : isShaped ? 'shaped' : 'query',
      isGuarded: selection.isGuarded ?? false,
    })
  })
  if (!store.past) return selectRecordRows(store, statement, params, request)
  const tables = [...structure.tables, toTableName(collection)]
  const text = writeInPast(store.catalog, statement.text, tables, store.past)
  return selectRecordRows(store, { ...statement, text, name: undefined }, params, request)
}

function selectSql(compiled: CompiledFilter, selection: Selection): string {
  const { collection, where, extra, orderBy } = selection
  const position = compiled.params.length + 1
  const columns = selection.idsOnly
    ? 'b."id"'
    : columnsOf(collection).select + (extra ? `, ${extra(position)}` : '')
  const { limit } = selection
  const end = typeof limit === 'function' ? limit(position) : limit
  const order = (orderBy ? ` ORDER BY ${orderBy}` : '') + (end === undefined ? '' : ` LIMIT ${end}`)
  if (selection.isFirst && compiled.where && collection.type !== 'view') {
    const found = `(SELECT t.* FROM ${columnsOf(collection).table} t WHERE ${where(position, 't')} OFFSET 0) b`
    return `SELECT ${columns} FROM ${found}${compiled.structure.joins} WHERE ${compiled.where}${order}`
  }
  const condition = compiled.where
    ? `(${compiled.where}) AND ${where(position, 'b')}`
    : where(position, 'b')
  return `SELECT ${columns} FROM ${compiled.from} WHERE ${condition}${order}`
}

/** A record as read from the database. `version` is its `xmin`, which every write changes. */
export interface StoredRecord {
  readonly old: Readonly<Values>
  readonly version: string
}

/** Locks the row of a record, if there is one, until the transaction ends. */
export const lockRecord = ({ db }: Pick<Store, 'db'>, collection: Collection, id: string) =>
  db.query(`select 1 from ${columnsOf(collection).table} where id = $1 for update`, [id])

/** Reads a record if the rule allows it. Throws 404 if not, or if the rule fails with an error. */
export async function selectRecordRow(
  store: Store,
  collection: Collection,
  id: string,
  rule: string,
  request: RequestInfo,
): Promise<StoredRecord> {
  const extra = () => 'b.xmin::text'
  try {
    const [row] = await selectRows(store, {
      collection,
      rule,
      request,
      ...makeIdCondition(id),
      extra,
      isLookUp: true,
    })
    if (!row) throw notFound()
    return { old: toValues(collection, row), version: String(row[columnsOf(collection).count]) }
  } catch (error) {
    throw isRuleFault(error) ? notFound() : error
  }
}
