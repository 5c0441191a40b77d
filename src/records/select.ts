import type { Catalog, Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { quote, tableName } from '../collections/names.ts'
import { compile } from '../filter/compile/compile.ts'
import type { CompiledFilter } from '../filter/compile/compiled-filter.ts'
import type { RequestInfo } from '../request/request.ts'
import { memoize } from '../tools/memoize.ts'
import { clientOf } from './client-shaped.ts'
import { columnsOf, type RecordRow } from './columns.ts'
import { guardedSql, meterOf, readerOf, readGuarded } from './guarded-read.ts'

/** A query on a collection beside its rule. */
export interface Selection {
  readonly collection: Collection
  /** '' for none. */
  readonly rule: string
  readonly request: RequestInfo
  /** SQL on row `alias`; its first parameter is `$position`. */
  readonly where: (position: number, alias: string) => string
  readonly params: readonly unknown[]
  /** SQL of another value at the end of each row. */
  readonly extra?: (position: number) => string
  readonly orderBy?: string
  /** `where` finds few rows by id. */
  readonly isLookUp?: boolean
  /** `where` comes before the rule. The planner underestimates a new user: 200 ms for 30 of 200,000. */
  readonly isFirst?: boolean
  /** Each row has only the id. */
  readonly idsOnly?: boolean
  /** Maximum rows. */
  readonly limit?: number
  /** Rows may be large: their bytes are counted while read. */
  readonly isGuarded?: boolean
}

/** The rows that a rule allows, each with `extra` at its end; undefined for a null rule. FilterError. */
export async function selectRows(
  store: Store,
  selection: Selection,
): Promise<readonly RecordRow[] | undefined> {
  const { collection, rule, request, params } = selection
  const compiled = compile(store.catalog, { collection, rule, filter: '', sort: '', request })
  if (compiled.never) return undefined
  const plain = selectSql(compiled, selection)
  const values = [...compiled.params, ...params]
  const text = selection.isGuarded ? guardedSql(collection, plain, 0, values.length + 1) : plain
  const name = statementName(store.catalog, text)
  // A rule on other rows, or a view's query, may be slow.
  const isLookUp = selection.isLookUp === true && compiled.structure.readsOneTable
  const client = clientOf(collection, request)
  const read = readerOf(store, text, { client, name, isLookUp })
  if (!selection.isGuarded) return read(values)
  return readGuarded(store, meterOf(request), (limit) => read([...values, limit]))
}

function selectSql(compiled: CompiledFilter, selection: Selection): string {
  const { collection, where, extra, orderBy } = selection
  const position = compiled.params.length + 1
  const columns = selection.idsOnly
    ? 'b."id"'
    : columnsOf(collection).select + (extra ? `, ${extra(position)}` : '')
  const limit = selection.limit === undefined ? '' : ` LIMIT ${selection.limit}`
  const order = (orderBy ? ` ORDER BY ${orderBy}` : '') + limit
  if (selection.isFirst && compiled.where && collection.type !== 'view') {
    const found = `(SELECT t.* FROM ${quote(tableName(collection))} t WHERE ${where(position, 't')} OFFSET 0) b`
    return `SELECT ${columns} FROM ${found}${compiled.structure.joins} WHERE ${compiled.where}${order}`
  }
  const condition = compiled.where ? `(${compiled.where}) AND ${where(position, 'b')}` : where(position, 'b')
  return `SELECT ${columns} FROM ${compiled.from} WHERE ${condition}${order}`
}

/** Each name costs memory in every connection. */
const MAX_NAMES = 300
/** Of these, names for client-made statements. */
const MAX_FREE_NAMES = 150

const namesOf = memoize((_: Catalog) => new Map<string, string>())

/** Name of a prepared statement, new after each change of a collection; undefined for too many. */
export function statementName(catalog: Catalog, text: string, isFree = false): string | undefined {
  const known = namesOf(catalog)
  let name = known.get(text)
  if (name === undefined && known.size < (isFree ? MAX_FREE_NAMES : MAX_NAMES)) {
    name = `records ${catalog.version} ${known.size}`
    known.set(text, name)
  }
  return name
}
