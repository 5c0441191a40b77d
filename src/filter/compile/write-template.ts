import { leftJoin } from '../resolve/exists.ts'
import { type FilterRow, table } from '../resolve/row.ts'
import { type Condition, writeCondition } from '../sql/condition.ts'
import { withAncestors } from '../sql/joined.ts'
import {
  isKind,
  type JoinedRow,
  joinSql,
  onlyColumn,
  type Param,
  rowsIn,
  SELECT,
  type Sql,
  Writer,
} from '../sql/sql.ts'
import type { CompiledFilter, Predicate } from './compiled-filter.ts'
import type { OrderKey } from './sort.ts'

export interface Template {
  readonly compiled: Omit<CompiledFilter, 'params'>
  readonly params: readonly Param[]
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
export function writeTemplate({ base, condition, order, sortsByOwnField, free }: Parts): Template {
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
