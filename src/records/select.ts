import type { Catalog, Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { type Compiled, compile } from '../filter/compile.ts'
import type { RequestInfo } from '../filter/request.ts'
import { columnsOf, type Row } from './columns.ts'
import { remember } from './remember.ts'

/** What is asked of a collection besides its rule. */
export interface Selection {
  readonly collection: Collection
  /** '' for none. */
  readonly rule: string
  readonly request: RequestInfo
  /** SQL over `b`; its first parameter is `$position`. */
  readonly where: (position: number) => string
  readonly params: readonly unknown[]
  /** SQL of one more value at the end of each row. */
  readonly extra?: (position: number) => string
  readonly orderBy?: string
  /** `where` finds a few rows, by their ids. */
  readonly isLookUp?: boolean
}

/**
 * Rows of a collection that its rule lets through, each with the value of `extra` at its end. Undefined when the
 * rule can let none through, so that nothing was asked. Throws FilterError for a rule that makes no sense.
 */
export async function selectRows(store: Store, selection: Selection): Promise<Row[] | undefined> {
  const { collection, rule, request, params } = selection
  const compiled = compile(store.catalog, { collection, rule, filter: '', sort: '', request })
  if (compiled.never) return undefined
  const text = selectSql(compiled, selection)
  const values = [...compiled.params, ...params]
  const name = statementName(store.catalog, text)
  const isLookUp = selection.isLookUp && readsOneTable(collection, compiled)
  const { rows } = await (isLookUp ? store.db.lookUp(text, values, name) : store.db.query(text, values, name))
  return rows as unknown as Row[]
}

/** A rule that asks of other rows, or a view's query, may take long. */
const readsOneTable = (collection: Collection, { from, where }: Compiled): boolean =>
  collection.type !== 'view' && !from.includes(' JOIN ') && !where.includes('SELECT ')

function selectSql(compiled: Compiled, { collection, where, extra, orderBy }: Selection): string {
  const position = compiled.params.length + 1
  const condition = compiled.where ? `(${compiled.where}) AND ${where(position)}` : where(position)
  const columns = columnsOf(collection).select + (extra ? `, ${extra(position)}` : '')
  return `SELECT ${columns} FROM ${compiled.from} WHERE ${condition}${orderBy ? ` ORDER BY ${orderBy}` : ''}`
}

/** Each costs memory in every connection to Postgres. */
const MAX_NAMES = 300
/** So many of them may be for what clients make up. */
const MAX_FREE_NAMES = 150

const namesOf = remember((_: Catalog) => new Map<string, string>())

/**
 * A name for a statement: Postgres then parses and plans it once a connection. `isFree`: a client's filter has made its
 * text. A change of any collection makes new names. Undefined when there are too many.
 */
export function statementName(catalog: Catalog, text: string, isFree = false): string | undefined {
  const known = namesOf(catalog)
  let name = known.get(text)
  if (name === undefined && known.size < (isFree ? MAX_FREE_NAMES : MAX_NAMES)) {
    name = `records ${catalog.version} ${known.size}`
    known.set(text, name)
  }
  return name
}
