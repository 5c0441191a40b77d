import type { Catalog } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { buildCondition } from './build-condition.ts'
import { nestRowsInExists, writeLeftJoin } from './build-exists.ts'
import { buildOrder, isOwnField, type OrderKey, readSort } from './build-sort.ts'
import type { CompiledFilter, FilterQuery, Predicate } from './compiled-filter.ts'
import {
  type Condition,
  FALSE,
  joinByAnd,
  joinByOr,
  makeLeaf,
  writeCondition,
} from './condition.ts'
import { type Context, type FilterRow, type ReachedRows, writeTable } from './filter-row.ts'
import { JoinScope, listWithAncestors } from './join-scope.ts'
import { parseFilter, type Tree } from './parse-filter.ts'
import {
  findOnlyColumn,
  isPieceKind,
  type JoinedRow,
  joinSql,
  listJoinedRows,
  makeColumn,
  type Param,
  SELECT,
  type Sql,
  sql,
} from './sql-pieces.ts'
import { Writer } from './writer.ts'

export function makeTemplate(
  catalog: Catalog,
  { collection, rule, sort, collation, candidate, request }: FilterQuery,
  client: Tree | null,
  isTrusted: boolean,
): Template {
  const reached: ReachedRows = new Map()
  const base: FilterRow = {
    collection,
    at: null,
    nullable: !candidate && collection.type === 'view',
    ...(candidate && { known: 'candidate' }),
  }
  const auth = request.auth ? catalog.find(request.auth.collection.id) : undefined
  const forRule: Context = {
    catalog,
    auth,
    scope: new JoinScope(),
    base,
    reached: null,
    isClient: false,
  }
  const forClient: Context = { ...forRule, reached: isTrusted ? null : reached, isClient: true }
  const conditions: Condition[] = []
  if (rule !== '') conditions.push(buildCondition(forRule, parseFilter(rule).root))
  if (client) conditions.push(buildCondition(forClient, client.root))
  const keys = readSort(sort)
  // this call only finds the rows that the sort joins: their list rules are added below
  if (keys.length > 0) buildOrder(forClient, keys, joinByAnd([]), collation)
  const sortsByOwnField = keys.length < 2 && keys.every(({ name }) => isOwnField(collection, name))
  for (const [row, target] of reached) conditions.push(...buildListRule(forRule, row, target))
  const condition = joinByAnd(conditions)
  const order =
    candidate || condition === FALSE ? [] : buildOrder(forClient, keys, condition, collation)
  const free = client !== null || sort !== ''
  return writeTemplate(base, nestRowsInExists(condition), order, sortsByOwnField, free)
}

/** The condition that a joined row satisfies its listRule. PocketBase: updateQueryWithCollectionListRule */
function buildListRule(context: Context, row: JoinedRow, collection: Collection): Condition[] {
  if (!collection.listRule) return []
  const base: FilterRow = { collection, at: row, nullable: true }
  const within: Context = { ...context, base, scope: context.scope.apart() }
  const rule = buildCondition(within, parseFilter(collection.listRule).root)
  return [joinByOr([makeLeaf(sql`${makeColumn(row, 'id')} IS NULL`), rule])]
}

export interface Template {
  readonly compiled: Omit<CompiledFilter, 'params'>
  readonly params: readonly Param[]
}

function writeTemplate(
  base: FilterRow,
  condition: Condition,
  order: readonly OrderKey[],
  sortsByOwnField: boolean,
  free: boolean,
): Template {
  const never = condition.kind === 'constant' && condition.value !== true
  const test = condition.kind === 'constant' ? [] : writeCondition(condition)
  const keys = order.map(({ sql }) => sql)
  const orderSql = joinSql(keys, ', ')
  const joined = [
    ...new Set(listJoinedRows([...test, ...orderSql]).flatMap(listWithAncestors)),
  ].sort((a, b) => Number(a.alias.slice(1)) - Number(b.alias.slice(1)))
  const first = base.known ? ['(SELECT 1) b'] : [...writeTable(base.collection), ' b']
  const source = [...first, ...joined.flatMap(writeLeftJoin)]
  const writer = new Writer()
  const from = writer.write(source)
  const where = writer.write(never ? ['false'] : test)
  const orderBy = writer.write(orderSql).text
  const structure = {
    condition: buildPredicate(condition, writer),
    columns: collectSqlNames(test, (one) => isPieceKind(one, 'column') && one.row === null),
    sortKeys: order.map(({ column }) => column),
    sortsByOwnField,
    readsOneTable: base.collection.type !== 'view' && joined.length === 0 && !test.includes(SELECT),
    tables: collectSqlNames([...source, ...test], (one) => isPieceKind(one, 'table')),
    from,
    joins: from.text.slice(writer.write(first).text.length),
    where,
  }
  return {
    compiled: { from: from.text, where: where.text, orderBy, never, free, structure },
    params: writer.params,
  }
}

function collectSqlNames(part: Sql, isWanted: (one: Sql[number]) => boolean): string[] {
  const names = new Set<string>()
  for (const one of part)
    if (typeof one === 'object' && 'name' in one && isWanted(one)) names.add(one.name)
  return [...names]
}

const OPAQUE: Predicate = { kind: 'opaque' }

function buildPredicate(condition: Condition, writer: Writer): Predicate {
  if (condition.kind === 'constant') return { kind: condition.value ? 'and' : 'or', items: [] }
  if (condition.kind !== 'leaf')
    return {
      kind: condition.kind,
      items: condition.items.map((item) => buildPredicate(item, writer)),
    }
  const { row, name } = findOnlyColumn(condition.sql) ?? {}
  if (row === null) return { kind: 'flag', column: name! }
  const { test } = condition
  if (!test || test.column.row) return OPAQUE
  const { sign, value, column } = test
  const place = value === '' ? value : { index: writer.index(value), cast: value.cast }
  return { kind: 'comparison', column: column.name, sign, value: place }
}
