import { leftJoin } from '../resolve/exists.ts'
import { type FilterRow, table } from '../resolve/row.ts'
import { and, type Condition, type Leaf, leaf, requiredRows, writeCondition } from '../sql/condition.ts'
import { withAncestors } from '../sql/joined.ts'
import {
  bindRows,
  columnOf,
  isKind,
  type JoinedRow,
  joinSql,
  onlyColumn,
  type Param,
  rowsIn,
  SELECT,
  type Sql,
  sql,
  Writer,
} from '../sql/sql.ts'
import type { CompiledFilter, Predicate } from './compiled-filter.ts'
import type { OrderKey } from './sort.ts'

/** Maximum ids to pass from the first query to the second. */
export const MAX_RELATED = 100

export interface Template {
  readonly compiled: Omit<CompiledFilter, 'params'>
  readonly params: readonly Param[]
  /** The query for related records, then the main one; the parameter at `place` is their ids. */
  readonly related?: {
    readonly text: string
    readonly params: readonly Param[]
    readonly main: Template
    readonly place: number
  }
}

interface Parts {
  readonly base: FilterRow
  readonly condition: Condition
  readonly order: readonly OrderKey[]
  /** See QueryStructure and CompiledFilter. */
  readonly sortsByOwnField: boolean
  readonly free: boolean
}

/** Writes a condition and an order as SQL, with their structure. */
export function writeTemplate(parts: Parts): Template {
  const order = parts.order.flatMap(({ sql }) => sql)
  const split = !parts.base.values && parts.free ? splitRelated(parts.condition, order) : undefined
  const template = writeAlone(parts)
  if (!split) return template
  const writer = new Writer()
  const { row, related, rest, ids } = split
  const { text } = writer.write(
    sql`${SELECT}${columnOf(row, 'id')} FROM ${row.source.from} ${row.alias} WHERE ${bindRows(writeCondition(related), new Set([row]))} LIMIT ${String(MAX_RELATED + 1)}`,
  )
  const main = writeAlone({ ...parts, condition: rest })
  return { ...template, related: { text, params: writer.params, main, place: main.params.indexOf(ids) } }
}

function writeAlone({ base, condition, order, sortsByOwnField, free }: Parts): Template {
  const never = condition.kind === 'constant' && condition.value !== true
  const test = condition.kind === 'constant' ? [] : writeCondition(condition)
  const keys = order.map(({ sql }) => sql)
  const orderSql = joinSql(keys, ', ')
  const joined = [...new Set(rowsIn([...test, ...orderSql]).flatMap(withAncestors))].sort(byAlias)
  const first = base.values ? ['(SELECT 1) b'] : [...table(base.collection), ' b']
  const source = [...first, ...joined.flatMap(leftJoin)]
  const writer = new Writer()
  const from = writer.write(source)
  const where = writer.write(never ? ['false'] : test)
  const orderBy = writer.write(orderSql).text
  const structure = {
    condition: predicateOf(condition, writer),
    columns: namesIn(test, (one) => isKind(one, 'column') && one.row === null),
    sortKeys: order.map(({ column }) => column),
    sortsByOwnField,
    readsOneTable: base.collection.type !== 'view' && joined.length === 0 && !test.includes(SELECT),
    tables: namesIn([...source, ...test], (one) => isKind(one, 'table')),
    from,
    joins: from.text.slice(writer.write(first).text.length),
    where,
  }
  return {
    compiled: { from: from.text, where: where.text, orderBy, never, free, structure },
    params: writer.params,
  }
}

/** The distinct names of columns or tables in pieces of SQL. */
function namesIn(part: Sql, isWanted: (one: Sql[number]) => boolean): string[] {
  const names = new Set<string>()
  for (const one of part) if (typeof one === 'object' && 'name' in one && isWanted(one)) names.add(one.name)
  return [...names]
}

const byAlias = (a: JoinedRow, b: JoinedRow) => Number(a.alias.slice(1)) - Number(b.alias.slice(1))

const OPAQUE: Predicate = { kind: 'opaque' }

function predicateOf(condition: Condition, writer: Writer): Predicate {
  if (condition.kind === 'constant') return { kind: condition.value ? 'and' : 'or', items: [] }
  if (condition.kind !== 'leaf')
    return { kind: condition.kind, items: condition.items.map((item) => predicateOf(item, writer)) }
  const { row, name } = onlyColumn(condition.sql) ?? {}
  if (row === null) return { kind: 'flag', column: name! }
  const { test } = condition
  if (!test || test.column.row) return OPAQUE
  const { sign, value, column } = test
  const place = value === '' ? value : { index: writer.index(value), cast: value.cast }
  return { kind: 'comparison', column: column.name, sign, value: place }
}

/**
 * Splits off the tests of one related record, to run first: `device.name = "x"` finds devices, whose ids
 * replace it in `rest`. Undefined if another test or the order uses the record, or it may be missing. Without
 * ids the planner does not know how many messages a device has and sorts all: 300 ms for 30 of 33,000.
 */
function splitRelated(condition: Condition, order: Sql) {
  const items = condition.kind === 'and' ? condition.items : [condition]
  const joined = new Set(items.flatMap((item) => rowsIn(sqlOf(item))).flatMap(withAncestors))
  for (const row of rowsIn(order).flatMap(withAncestors)) joined.add(row)
  const [row, ...others] = joined
  const reference = row?.source.reference
  if (!row || others.length > 0 || !reference || row.parent || rowsIn(order).length > 0) return undefined
  const related = items.filter((item) => rowsIn(sqlOf(item)).length > 0)
  if (!related.every((item) => isOfRow(item, row)) || !requiredRows(and(related)).has(row)) return undefined
  const ids: Param = { kind: 'param', cast: 'text[]', bind: () => [] }
  const named = leaf(sql`${reference} = ANY(${ids})`)
  const rest = and([...items.filter((item) => !related.includes(item)), named])
  return { row, related: and(related), rest, ids }
}

/** Whether a test reads only columns of this row. */
const isOfRow = (item: Condition, row: JoinedRow): boolean =>
  leavesOf(item).every(
    (one) =>
      !one.sql.includes(SELECT) &&
      one.sql.every((piece) => {
        if (typeof piece === 'string') return true
        if (piece.kind === 'column') return piece.row === row
        return piece.kind === 'param'
      }),
  )

const leavesOf = (condition: Condition): Leaf[] => {
  if (condition.kind === 'constant') return []
  return condition.kind === 'leaf' ? [condition] : condition.items.flatMap(leavesOf)
}

const sqlOf = (condition: Condition): Sql => leavesOf(condition).flatMap((one) => one.sql)
