import { listWithAncestors } from './join-scope.ts'
import {
  type Column,
  findOnlyColumn,
  isPieceKind,
  type JoinedRow,
  joinSql,
  listJoinedRows,
  type Param,
  type Sql,
  sql,
} from './sql-pieces.ts'

/** A comparison of a column with a parameter or the empty text, such as `b."x" >= $1`. */
interface ColumnTest {
  readonly column: Column
  readonly sign: string
  readonly value: Param | ''
}

/** The SQL of a condition; with `test` if it is a single comparison of a column. */
export interface Tested {
  readonly sql: Sql
  readonly test?: ColumnTest
}

const EMPTY_TEXT = "''"

export function makeComparison(left: Sql, sign: string, right: Sql = [EMPTY_TEXT]): Tested {
  const whole = sql`${left} ${sign} ${right}`
  const column = findOnlyColumn(left)
  const [value, ...more] = right
  if (!column || more.length > 0) return { sql: whole }
  if (isPieceKind(value, 'param')) return { sql: whole, test: { column, sign, value } }
  return value === EMPTY_TEXT ? { sql: whole, test: { column, sign, value: '' } } : { sql: whole }
}

/** SQL of an OR's alternatives. Equalities of one column become one `IN`, which can use an index. */
function joinEqualitiesAsIn(tests: readonly Tested[]): Sql[] {
  const groups = Map.groupBy(tests, (one) => {
    const { sign, value, column } = one.test ?? {}
    return sign === '=' && value ? `${column!.row?.alias} ${column!.name} ${value.cast}` : one
  })
  return [...groups.values()].map((group) => {
    const { sql: alone, test } = group[0]!
    const params = group.map((one): Sql => [one.test?.value ?? ''])
    return test && group.length > 1 ? sql`${test.column} IN (${joinSql(params, ', ')})` : alone
  })
}

interface Constant {
  readonly kind: 'constant'
  readonly value: boolean | null
}
export interface Leaf extends Tested {
  readonly kind: 'leaf'
  readonly many: ReadonlySet<JoinedRow>
  /**
   * If one of these joined rows is missing, the condition cannot be true. If one of `notFalse` is missing,
   * the condition cannot be false.
   */
  readonly notTrue: ReadonlySet<JoinedRow>
  readonly notFalse: ReadonlySet<JoinedRow>
  /**
   * A test `list @> …` that can use an index. All rows that meet the condition pass the test, perhaps others,
   * too. If the condition joins only `row`, no others pass: the test then replaces the condition.
   */
  readonly contains?: { readonly sql: Sql; readonly row: JoinedRow }
}
interface Group {
  readonly kind: 'and' | 'or'
  readonly items: readonly Condition[]
}
export type Condition = Constant | Leaf | Group

export const TRUE: Constant = { kind: 'constant', value: true }
export const FALSE: Constant = { kind: 'constant', value: false }
export const NULL: Constant = { kind: 'constant', value: null }

export const toConstant = (value: boolean | null): Constant =>
  value === null ? NULL : value ? TRUE : FALSE

const addAncestors = (rows: readonly JoinedRow[]): Set<JoinedRow> =>
  new Set(rows.flatMap(listWithAncestors))

/**
 * Makes a condition of SQL. If a joined row of `notTrue` is missing, the condition cannot be true. If one of
 * `notFalse` is missing, the condition cannot be false.
 */
export function makeLeaf(
  part: Sql | Tested,
  notTrue: readonly JoinedRow[] = [],
  notFalse: readonly JoinedRow[] = [],
): Leaf {
  const tested = 'sql' in part ? part : { sql: part }
  const many = [...addAncestors(listJoinedRows(tested.sql))].filter((row) => row.inMany)
  return {
    kind: 'leaf',
    ...tested,
    many: new Set(many),
    notTrue: addAncestors(notTrue),
    notFalse: addAncestors(notFalse),
  }
}

/** ANDs conditions. Leaves out `TRUE`. The result is `FALSE` if a condition is `FALSE` or `NULL`. */
export const joinByAnd = (items: readonly Condition[]): Condition =>
  foldConditions('and', items, true)

export const joinByOr = (items: readonly Condition[]): Condition =>
  foldConditions('or', items, false)

function foldConditions(
  kind: 'and' | 'or',
  items: readonly Condition[],
  neutral: boolean,
): Condition {
  const rest: Condition[] = []
  for (const item of items) {
    if (item.kind === 'constant') {
      if ((item.value ?? false) !== neutral) return toConstant(!neutral)
    } else if (item.kind === kind) rest.push(...item.items)
    else rest.push(item)
  }
  if (rest.length === 0) return toConstant(neutral)
  return rest.length === 1 ? rest[0]! : { kind, items: rest }
}

/** `yes` where the SQL `test` is true, else `no`. The test must never be NULL. */
export const buildBranch = (test: Sql, yes: Condition, no: Condition): Condition =>
  joinByOr([joinByAnd([makeLeaf(test), yes]), joinByAnd([makeLeaf(sql`NOT ${test}`), no])])

export function collectMultiRows(condition: Condition): ReadonlySet<JoinedRow> {
  if (condition.kind === 'constant') return new Set()
  if (condition.kind === 'leaf') return condition.many
  return new Set(condition.items.flatMap((item) => [...collectMultiRows(item)]))
}

export function findRequiredRows(condition: Condition): ReadonlySet<JoinedRow> {
  if (condition.kind === 'constant') return new Set()
  if (condition.kind === 'leaf') return condition.notTrue
  const needs = condition.items.map(findRequiredRows)
  if (condition.kind === 'and') return new Set(needs.flatMap((rows) => [...rows]))
  return new Set([...needs[0]!].filter((row) => needs.every((rows) => rows.has(row))))
}

/** Writes a condition as SQL. In an AND, ORs are last because they exclude fewer rows. */
export function writeCondition(condition: Condition): Sql {
  if (condition.kind === 'constant') return [condition.value ? 'true' : 'false']
  if (condition.kind === 'leaf') return condition.sql
  if (condition.kind === 'or') {
    const tests = condition.items.map((item) =>
      item.kind === 'leaf' ? item : { sql: writeCondition(item) },
    )
    return joinSql(joinEqualitiesAsIn(tests), ' OR ')
  }
  const { alternatives = [], tests = [] } = Object.groupBy(condition.items, ({ kind }) =>
    kind === 'or' ? 'alternatives' : 'tests',
  )
  return joinSql(
    [
      ...tests.map(writeCondition),
      ...alternatives.map((one): Sql => ['(', ...writeCondition(one), ')']),
    ],
    ' AND ',
  )
}
