import { makeSides, type Side } from './comparison-side.ts'
import { type Condition, makeComparison, makeLeaf, NULL, toConstant } from './condition.ts'
import type { Operand } from './operand.ts'
import { joinSql, type Sql, sql } from './sql-pieces.ts'

type Comparer = '=' | '<>' | '<' | '<=' | '>' | '>='

/** Whether a comparison holds for two different values. `isLess`: the left one is less. */
const isSignTrue = (sign: Comparer, isLess: boolean) => sign.includes(isLess ? '<' : '>')

/** Compares as SQLite does: NULL if either operand is NULL. */
export const buildRelational = (sign: Comparer, left: Operand, right: Operand): Condition =>
  orderSides(sign, ...makeSides(left, right))

function orderSides(sign: Comparer, a: Side, b: Side): Condition {
  if (a.rank === 'null' || b.rank === 'null') return NULL
  const rows = [...a.rows, ...b.rows]
  if (a.rank === 'mixed' || b.rank === 'mixed') return makeLeaf(orderMixed(sign, a, b), rows, rows)
  if (a.rank !== b.rank) return buildDecided(isSignTrue(sign, a.rank === 'number'), a, b)
  return (
    buildBoolTest(sign, a, b) ??
    makeLeaf(makeComparison(pickNumberOrText(a), sign, pickNumberOrText(b)), rows, rows)
  )
}

/** SQL of the value of a side that is always a number or always a text. */
export const pickNumberOrText = (side: Side): Sql =>
  'number' in side ? side.number : 'text' in side ? side.text : ['NULL']

/** Compares a number with a text: always `value`, or NULL if a side is NULL. */
function buildDecided(value: boolean, a: Side, b: Side): Condition {
  const tests = [a, b].filter((side) => side.nullable).map(isNullSql)
  if (tests.length === 0) return toConstant(value)
  const rows = [...a.rows, ...b.rows]
  return makeLeaf(
    sql`(CASE WHEN ${joinSql(tests, ' OR ')} THEN NULL ELSE ${String(value)} END)`,
    rows,
    rows,
  )
}

export function isNullSql(side: Side): Sql {
  if (side.rank === 'null') return ['true']
  return sql`${side.rank === 'mixed' ? side.mixed : pickNumberOrText(side)} IS NULL`
}

/** SQL of a row (rank, number, text) that sorts like the value in SQLite. `missing`: the rank for NULL. */
export function writeRankedRow(side: Side, missing: 'NULL' | '2' = 'NULL'): Sql {
  const number = 'number' in side ? sql`coalesce(${side.number}, 0)::float8` : ['0::float8']
  const text = 'text' in side ? sql`coalesce(${side.text}, '')` : ["''"]
  return sql`(${writeRankSql(side, missing)}, ${number}, ${text})`
}

function writeRankSql(side: Side, missing: string): Sql {
  if (side.rank === 'null') return [`${missing}::int`]
  if (side.rank === 'mixed') return sql`coalesce(${side.mixed}, ${missing})`
  return sql`(CASE WHEN ${pickNumberOrText(side)} IS NULL THEN ${missing} ELSE ${side.rank === 'number' ? '1' : '2'} END)`
}

/**
 * A comparison with a side that may be a number or a text. If the other side always has the same type, the
 * SQL is shorter and three times as fast.
 */
function orderMixed(sign: Comparer, a: Side, b: Side): Sql {
  if (a.rank === 'mixed' && haveSameRank(b)) return compareWithKnown(sign, a, b, true)
  if (b.rank === 'mixed' && haveSameRank(a)) return compareWithKnown(sign, b, a, false)
  const test = sql`${writeRankedRow(a)} ${sign} ${writeRankedRow(b)}`
  if (sign !== '=' && sign !== '<>') return test
  // without CASE, (NULL, 1, '') <> (NULL, 2, '') would be true, but in SQLite a NULL makes it NULL
  return sql`(CASE WHEN ${writeRankSql(a, 'NULL')} + ${writeRankSql(b, 'NULL')} IS NOT NULL THEN ${test} END)`
}

/** Whether a side is never NULL, and always a number or always a text. */
export const haveSameRank = (side: Side): boolean => side.rank !== 'mixed' && !side.nullable

function compareWithKnown(
  sign: Comparer,
  mixed: Extract<Side, { rank: 'mixed' }>,
  known: Side,
  isMixedLeft: boolean,
): Sql {
  const isNumber = known.rank === 'number'
  const [same, other, own] = isNumber ? ['1', '2', mixed.number] : ['2', '1', mixed.text]
  const value = pickNumberOrText(known)
  const test = isMixedLeft ? sql`${own} ${sign} ${value}` : sql`${value} ${sign} ${own}`
  const rest = String(isSignTrue(sign, isNumber !== isMixedLeft))
  return sql`(CASE ${mixed.mixed} WHEN ${same} THEN ${test} WHEN ${other} THEN ${rest} END)`
}

/** Writes `flag = true` as the column alone, because no index has `flag::int`. Undefined for other tests. */
export function buildBoolTest(sign: string, a: Side, b: Side): Condition | undefined {
  if (sign !== '=' && sign !== '<>') return undefined
  const [bool, value] = a.operand.kind === 'known' ? [b, a.operand] : [a, b.operand]
  if (bool.operand.kind !== 'expression' || bool.operand.storage !== 'bool') return undefined
  const bit = value.kind === 'known' ? value.traits.bit : undefined
  if (bit === undefined) return undefined
  const column = bool.operand.sql
  return makeLeaf(
    (bit === 1) === (sign === '=') ? column : sql`NOT ${column}`,
    bool.rows,
    bool.rows,
  )
}
