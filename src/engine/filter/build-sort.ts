import type { Collection } from '../collections/collection.ts'
import { selectSql, sortOutermostFirst } from './build-exists.ts'
import type { SortColumn } from './compiled-filter.ts'
import { type Condition, collectMultiRows, findRequiredRows, joinByAnd, TRUE } from './condition.ts'
import type { Context } from './filter-row.ts'
import { rewordFilterError } from './function-call.ts'
import { listWithAncestors } from './join-scope.ts'
import { FORMS, type OperandStorage } from './operand.ts'
import { FilterError } from './parse-filter.ts'
import { resolveName } from './resolve-token.ts'
import {
  bindRows,
  findOnlyColumn,
  type JoinedRow,
  joinSql,
  listJoinedRows,
  makeColumn,
  ROWID,
  type Sql,
  sql,
} from './sql-pieces.ts'

const MAX_KEYS = 8
const MAX_KEY_BYTES = 255
/** A byte of a member of JSON, see the grammar: it counts once. */
const ENCODED = /%[0-9A-F]{2}/g

interface SortKey {
  readonly name: string
  readonly direction: 'ASC' | 'DESC'
}

export interface OrderKey {
  readonly sql: Sql
  readonly column: SortColumn | undefined
}

/** Parses a `sort` parameter like `-created,name`. Throws a FilterError for too many keys. Contract 3.1. */
export function readSort(sort: string): SortKey[] {
  if (sort === '') return []
  const keys = sort.split(',').map((key): SortKey => {
    const name = key.trim()
    if (name.startsWith('-')) return { name: name.slice(1), direction: 'DESC' }
    return { name: name.startsWith('+') ? name.slice(1) : name, direction: 'ASC' }
  })
  if (keys.length > MAX_KEYS) throw new FilterError(`max sort expressions limit reached`)
  if (keys.some(({ name }) => Buffer.byteLength(name.replace(ENCODED, '_')) > MAX_KEY_BYTES))
    throw new FilterError('max sort field length limit reached')
  return keys
}

/**
 * Keys of ORDER BY. The last one is the order of insertion. If a path leads to several rows, the first row
 * that meets `condition` counts.
 * `collation` is SQL (`findCollation`) and sorts texts, for people: rows without a value are last, in both
 * directions. By default, the bytes of texts do.
 */
export function buildOrder(
  context: Context,
  keys: readonly SortKey[],
  condition: Condition,
  collation?: string,
): OrderKey[] {
  const isView = context.base.collection.type === 'view'
  const order: OrderKey[] = []
  for (const key of keys) {
    if (key.name === '@random') order.push(orderKey(['random()']))
    else if (key.name === '@rowid' && isView) throw new FilterError('no such column: _rowid_')
    else if (key.name === '@rowid') order.push(orderKey([makeColumn(null, ROWID)], key.direction))
    else order.push(...buildKey(context, key, condition, collation))
  }
  const isUnique = keys.some(({ name }) => name === 'id' || name === '@rowid')
  if (!isUnique && !isView) order.push(orderKey([makeColumn(null, ROWID)]))
  return order
}

function orderKey(value: Sql, direction?: SortKey['direction']): OrderKey {
  const { row, name } = findOnlyColumn(value) ?? {}
  const written = direction ? [...value, ` ${direction}`] : value
  return { sql: written, column: row === null ? { column: name!, direction } : undefined }
}

/** Whether a name is a field of the collection, or `@rowid` (the order of insertion). */
export const isOwnField = ({ fields }: Collection, name: string): boolean =>
  name === '@rowid' || fields.some((field) => field.name === name)

function buildKey(
  context: Context,
  { name, direction }: SortKey,
  condition: Condition,
  collation: string | undefined,
): OrderKey[] {
  const invalid = `invalid sort field "${name}"`
  const resolved = () => resolveName(context, name)
  const operand = rewordFilterError(resolved, () => invalid)
  // a count or `:isset` is the same for all rows, so it sorts nothing
  if (operand.kind === 'known' && !operand.pattern && !operand.isEmpty) return []
  if (operand.kind === 'known' || operand.isEmpty !== undefined) throw new FilterError(invalid)
  const nulls = direction === 'ASC' && !collation ? ' NULLS FIRST' : ' NULLS LAST'
  return sortKeys(operand.storage, operand.sql, collation).map((key) => {
    const one = orderKey(selectFirstRow(key, condition), direction)
    return operand.nullable ? { sql: [...one.sql, nulls], column: undefined } : one
  })
}

/** SQL of a sort key. If its path leads to several rows, takes the first row that meets `condition`. */
function selectFirstRow(key: Sql, condition: Condition): Sql {
  const line = listJoinedRows(key).flatMap(listWithAncestors)
  const rows = new Set(line.filter((row) => row.inMany))
  if (rows.size === 0) return key
  const filter = keepSharedConditions(condition, rows)
  for (const row of collectMultiRows(filter)) rows.add(row)
  const orders = sortOutermostFirst(rows).flatMap((row) =>
    row.many && row.source.order ? [row.source.order(row)] : [],
  )
  const order = joinSql(orders, ', ')
  const chosen = selectSql(filter, rows, findRequiredRows(filter), key)
  return order.length > 0
    ? sql`(${chosen} ORDER BY ${bindRows(order, rows)} LIMIT 1)`
    : sql`(${chosen} LIMIT 1)`
}

function keepSharedConditions(condition: Condition, rows: ReadonlySet<JoinedRow>): Condition {
  if (![...collectMultiRows(condition)].some((row) => rows.has(row))) return TRUE
  return condition.kind === 'and'
    ? joinByAnd(condition.items.map((item) => keepSharedConditions(item, rows)))
    : condition
}

/** The values to sort by. JSON sorts null first, then numbers, then texts. */
function sortKeys(storage: OperandStorage, value: Sql, collation: string | undefined): Sql[] {
  if (storage === 'text' && collation) return [sql`(${value}) COLLATE ${collation}`]
  if (storage === 'list' || storage === 'geo') return [FORMS[storage].text(value)]
  if (storage !== 'json') return [value]
  const text = sql`pb_json_string(${value})`
  return [
    collation
      ? sql`(CASE WHEN ${text} = '' THEN NULL ELSE pb_json_rank(${value}) END)`
      : sql`pb_json_rank(${value})`,
    sql`pb_json_number(${value})`,
    sql`${text} COLLATE ${collation ?? '"C"'}`,
  ]
}
