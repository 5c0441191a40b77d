import type { Collection, Store } from '../collections/catalog.ts'
import { compile } from '../filter/compile/compile.ts'
import type { CompiledFilter } from '../filter/compile/compiled-filter.ts'
import type { RequestInfo } from '../request/request.ts'
import { columnsOf, type RecordRow } from './columns.ts'
import { keptStatement, readRows, rowStatement } from './read-rows.ts'

/** A query on a collection, with its rule. */
export interface Selection {
  readonly collection: Collection
  /** '' for none. */
  readonly rule: string
  readonly request: RequestInfo
  /** SQL of a condition on the row `alias`; its first parameter is `$position`. */
  readonly where: (position: number, alias: string) => string
  readonly params: readonly unknown[]
  /** SQL of an additional value at the end of each row. */
  readonly extra?: (position: number) => string
  readonly orderBy?: string
  /** Whether `where` finds few rows by id. */
  readonly isLookUp?: boolean
  /** Whether to test `where` before the rule, of which Postgres expects few rows for a new user (200 ms). */
  readonly isFirst?: boolean
  /** Whether rows contain only the id. */
  readonly idsOnly?: boolean
  readonly limit?: number
  /** Whether rows may be large, so that their bytes are counted while they are read. */
  readonly isGuarded?: boolean
  /** Selections of the same kind and rule have the same SQL, which is cached. */
  readonly kind?: string
}

/** A selection's condition: the record with this id. */
export const byId = (id: string) => ({
  where: (position: number) => `b."id" = $${position}::text`,
  params: [id],
})

/** The rows that a rule allows, each with `extra` at its end. Throws FilterError. */
export async function selectRows(store: Store, selection: Selection): Promise<readonly RecordRow[]> {
  const { collection, rule, request } = selection
  const compiled = compile(store.catalog, { collection, rule, filter: '', sort: '', request })
  if (compiled.never) return []
  const params = [...compiled.params, ...selection.params]
  return readRows(store, statementOf(store, compiled, selection, params.length), params, request)
}

/** The statement of a selection, cached by its `kind`. */
function statementOf({ catalog }: Store, compiled: CompiledFilter, selection: Selection, values: number) {
  const { collection, request, kind, extra, isGuarded = false } = selection
  const { structure } = compiled
  return keptStatement(structure, kind, () => {
    const isShaped = request.context === 'expand' || collection.type === 'view'
    // a rule that reads other tables, or a view's query, may be slow
    const isLookUp = selection.isLookUp === true && structure.readsOneTable
    return rowStatement(catalog, collection, {
      text: selectSql(compiled, selection),
      values,
      extra: extra ? 1 : 0,
      plannedOnce: 'ruled',
      way: isLookUp ? 'lookUp' : isShaped ? 'shaped' : 'query',
      isGuarded,
    })
  })
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
    const found = `(SELECT t.* FROM ${columnsOf(collection).table} t WHERE ${where(position, 't')} OFFSET 0) b`
    return `SELECT ${columns} FROM ${found}${compiled.structure.joins} WHERE ${compiled.where}${order}`
  }
  const condition = compiled.where ? `(${compiled.where}) AND ${where(position, 'b')}` : where(position, 'b')
  return `SELECT ${columns} FROM ${compiled.from} WHERE ${condition}${order}`
}
