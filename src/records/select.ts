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

/** What is asked of a collection besides its rule. */
export interface Selection {
  readonly collection: Collection
  /** '' for none. */
  readonly rule: string
  readonly request: RequestInfo
  /** SQL over the row `alias`; its first parameter is `$position`. */
  readonly where: (position: number, alias: string) => string
  readonly params: readonly unknown[]
  /** SQL of one more value at the end of each row. */
  readonly extra?: (position: number) => string
  readonly orderBy?: string
  /** `where` finds a few rows, by their ids. */
  readonly isLookUp?: boolean
  /**
   * `where` finds them before the rule is asked. Of a user who came since Postgres last counted it takes all
   * rows for one, and would begin with those: 200 ms for 30 records of one who has 200,000.
   */
  readonly isFirst?: boolean
  /** Only the ids are read, as the one value of each row. */
  readonly idsOnly?: boolean
  /** No more rows than that. */
  readonly limit?: number
  /** The rows may be large: their bytes are counted while they are read. */
  readonly isGuarded?: boolean
}

/**
 * Rows of a collection that its rule lets through, each with the value of `extra` at its end. Undefined when
 * the rule can let none through, so that nothing was asked. Throws FilterError for a rule that makes no
 * sense.
 */
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
  // a rule that asks of other rows, or a view's query, may take long
  const isLookUp = selection.isLookUp === true && compiled.structure.readsOneTable
  const client = clientOf(collection, request)
  const read = readerOf(store, text, { client, name, isLookUp })
  if (!selection.isGuarded) return read(values)
  return readGuarded(store, meterOf(request), { text, params: values, client, read })
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

/** Each costs memory in every connection to Postgres. */
const MAX_NAMES = 300
/** So many of them may be for what clients make up. */
const MAX_FREE_NAMES = 150

const namesOf = memoize((_: Catalog) => new Map<string, string>())

/**
 * A name for a statement: Postgres then parses and plans it once a connection. `isFree`: a client's filter
 * has made its text. A change of any collection makes new names. Undefined when there are too many.
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
