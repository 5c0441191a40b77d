import { buildIdentical, buildIdenticalSides, buildMissingTest } from './build-identity.ts'
import { buildRelational, isNullSql, writeRankedRow } from './build-relational.ts'
import { makeSide, type Side } from './comparison-side.ts'
import { buildBranch, type Condition, makeComparison, makeLeaf, toConstant } from './condition.ts'
import { convertValue } from './known-value.ts'
import {
  type Expression,
  type Known,
  makeConstant,
  type Operand,
  writeBoundText,
} from './operand.ts'
import { makeParam, makeTextParam, type Sql, sql } from './sql-pieces.ts'

/** `=` or `!=`. PocketBase: tools/search/filter.go, resolveEqualExpr. Contract 2.3. */
export function buildEqual(positive: boolean, left: Operand, right: Operand): Condition {
  const decided = compareKnownSides(left, right)
  if (decided !== undefined) return toConstant(decided === positive)
  if (left.fallback === 'off' || right.fallback === 'off')
    return buildIdentical(positive, left, right)
  const [a, b] = [readEmptiness(left), readEmptiness(right)]
  if (a === 'perhaps')
    return decideWhetherEmpty(positive, left as Known, right, (one) =>
      buildEqual(positive, one, right),
    )
  if (b === 'perhaps')
    return decideWhetherEmpty(positive, right as Known, left, (one) =>
      buildEqual(positive, left, one),
    )
  if (a && b) return toConstant(positive)
  if (a === false || b === false) {
    const [one, other] = [a ? EMPTY : left, b ? EMPTY : right]
    return positive ? buildSameTest(one, other) : buildIdentical(false, one, other)
  }
  if (a) return buildEmptyTest(positive, right as Expression)
  if (b) return buildEmptyTest(positive, left as Expression)
  return buildCoalescedTest(positive, left, right)
}

const EMPTY: Known = makeConstant('')

const readEmptiness = ({ fallback, isEmpty }: Operand) =>
  fallback === 'forced' ? undefined : isEmpty

/** Whether two values are equal; undefined if that depends on the request or the row. */
function compareKnownSides(left: Operand, right: Operand): boolean | undefined {
  if (left.kind === 'expression' || right.kind === 'expression') return undefined
  const [a, b] = [left.constant, right.constant]
  if (typeof a === 'string' && typeof b === 'string') return a === b
  const isOneEmpty = [left, right].some((one) => one.isEmpty === true)
  return isOneEmpty && [left, right].some((one) => one.isEmpty === false) ? false : undefined
}

/** Compares with a value that is empty in some requests. For a text column, one indexable test suffices. */
function decideWhetherEmpty(
  positive: boolean,
  one: Known,
  other: Operand,
  decide: (one: Known) => Condition,
): Condition {
  const isText =
    other.kind === 'expression' && other.affinity === 'text' && other.storage === 'text'
  if (isText && !other.nullable) {
    const text = makeTextParam(convertValue(one.value, 'orEmpty'))
    return makeLeaf(makeComparison(other.sql, positive ? '=' : '<>', text))
  }
  const isEmpty = makeParam('bool', convertValue(one.value, 'isEmpty'))
  return buildBranch(isEmpty, decide(EMPTY), decide({ ...one, isEmpty: false }))
}

/** `=`. Adds the test `tags @> '{x}'`, which an index serves, to `tags:each ?= 'x'` and `tags.id ?= 'x'`. */
function buildSameTest(left: Operand, right: Operand): Condition {
  const condition = buildRelational('=', left, right)
  const [one, value] = left.kind === 'expression' ? [left, right] : [right, left]
  if (
    condition.kind !== 'leaf' ||
    one.kind !== 'expression' ||
    value.kind !== 'known' ||
    !one.element
  )
    return condition
  const { list, row } = one.element
  return { ...condition, contains: { sql: sql`${list} @> ARRAY[${writeBoundText(value)}]`, row } }
}

function buildEmptyTest(positive: boolean, operand: Expression): Condition {
  const side = makeSide(operand)
  const isText = side.rank === 'mixed' || (side.rank === 'text' && operand.storage === 'text')
  if (!isText) return buildMissingTest(positive, side)
  const { text } = side
  if (!side.nullable) return makeLeaf(makeComparison(text, positive ? '=' : '<>'))
  const missing = isNullSql(side)
  return positive
    ? makeLeaf(sql`(${missing} OR coalesce(${text} = '', false))`, [], side.rows)
    : makeLeaf(sql`(NOT (${missing}) AND coalesce(${text} <> '', true))`, side.rows, [])
}

/** `COALESCE(a, '') = COALESCE(b, '')` or `<>`. Without affinities: a number never equals a text. */
function buildCoalescedTest(positive: boolean, left: Operand, right: Operand): Condition {
  const [a, b] = [makeSide(left), makeSide(right)]
  const sign = positive ? '=' : '<>'
  if (a.rank === 'text' && b.rank === 'text')
    return makeLeaf(makeComparison(coalesceToEmpty(a, a.text), sign, coalesceToEmpty(b, b.text)))
  if (a.rank === 'number' && b.rank === 'number') return buildIdenticalSides(positive, a, b)
  if (a.rank === 'mixed' || b.rank === 'mixed')
    return makeLeaf(sql`${writeRankedRow(a, '2')} ${sign} ${writeRankedRow(b, '2')}`)
  return a.rank === 'number'
    ? compareNumberWithText(positive, a, b)
    : compareNumberWithText(positive, b, a)
}

const coalesceToEmpty = (side: Side, text: Sql): Sql =>
  side.nullable ? sql`coalesce(${text}, '')` : text

/** A number equals a text only if the number is NULL and the text is empty or NULL. */
function compareNumberWithText(positive: boolean, number: Side, text: Side): Condition {
  if (!number.nullable || text.rank !== 'text') return toConstant(!positive)
  const test = sql`(${isNullSql(number)} AND ${coalesceToEmpty(text, text.text)} = '')`
  return makeLeaf(positive ? test : sql`NOT ${test}`)
}
