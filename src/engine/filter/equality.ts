import { buildBranch, type Condition, comparison, constant, leaf } from './condition.ts'
import { buildIdentical, buildIdenticalSides, isMissing } from './identity.ts'
import {
  type Expression,
  type Known,
  makeConstant,
  type Operand,
  writeBoundText,
} from './operand.ts'
import { buildRelational, isNullSql, writeRankedRow } from './relational.ts'
import { makeSide, type Side } from './side.ts'
import { flagParam, type Input, type Sql, sql, textParam } from './sql.ts'

/** `=` or `!=`. PocketBase: tools/search/filter.go, resolveEqualExpr. Contract 2.3. */
export function buildEqual(positive: boolean, left: Operand, right: Operand): Condition {
  const decided = decideKnown(left, right)
  if (decided !== undefined) return constant(decided === positive)
  if (left.fallback === 'off' || right.fallback === 'off')
    return buildIdentical(positive, left, right)
  const [a, b] = [emptiness(left), emptiness(right)]
  if (a === 'perhaps')
    return whetherEmpty(positive, left as Known, right, (one) => buildEqual(positive, one, right))
  if (b === 'perhaps')
    return whetherEmpty(positive, right as Known, left, (one) => buildEqual(positive, left, one))
  if (a && b) return constant(positive)
  if (a === false || b === false) {
    const [one, other] = [a ? EMPTY : left, b ? EMPTY : right]
    return positive ? same(one, other) : buildIdentical(false, one, other)
  }
  if (a) return empty(positive, right as Expression)
  if (b) return empty(positive, left as Expression)
  return coalesced(positive, left, right)
}

const EMPTY: Known = makeConstant('')

const emptiness = ({ fallback, isEmpty }: Operand) => (fallback === 'forced' ? undefined : isEmpty)

/** Whether two values are equal; undefined if that depends on the request or the row. */
function decideKnown(left: Operand, right: Operand): boolean | undefined {
  if (left.kind === 'expression' || right.kind === 'expression') return undefined
  const [a, b] = [left.constant, right.constant]
  if (typeof a === 'string' && typeof b === 'string') return a === b
  const isOneEmpty = [left, right].some((one) => one.isEmpty === true)
  return isOneEmpty && [left, right].some((one) => one.isEmpty === false) ? false : undefined
}

/** Compares with a value that is empty in some requests. For a text column, one indexable test suffices. */
function whetherEmpty(
  positive: boolean,
  value: Known,
  other: Operand,
  decide: (value: Known) => Condition,
): Condition {
  const isText =
    other.kind === 'expression' && other.affinity === 'text' && other.storage === 'text'
  if (isText && !other.nullable) {
    const text = textParam((input) => value.slot(input) ?? '')
    return leaf(comparison(other.sql, positive ? '=' : '<>', text))
  }
  const isNothing = (input: Input) => (value.slot(input) ?? '') === ''
  return buildBranch(flagParam(isNothing), decide(EMPTY), decide({ ...value, isEmpty: false }))
}

/** `=`. Adds the test `tags @> '{x}'`, which an index serves, to `tags:each ?= 'x'` and `tags.id ?= 'x'`. */
function same(left: Operand, right: Operand): Condition {
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

function empty(positive: boolean, operand: Expression): Condition {
  const side = makeSide(operand)
  const isText = side.rank === 'mixed' || (side.rank === 'text' && operand.storage === 'text')
  if (!isText) return isMissing(positive, side)
  const { text } = side
  if (!side.nullable) return leaf(comparison(text, positive ? '=' : '<>'))
  const missing = isNullSql(side)
  return positive
    ? leaf(sql`(${missing} OR coalesce(${text} = '', false))`, [], side.rows)
    : leaf(sql`(NOT (${missing}) AND coalesce(${text} <> '', true))`, side.rows, [])
}

/** `COALESCE(a, '') = COALESCE(b, '')` or `<>`. Without affinities: a number never equals a text. */
function coalesced(positive: boolean, left: Operand, right: Operand): Condition {
  const [a, b] = [makeSide(left), makeSide(right)]
  const sign = positive ? '=' : '<>'
  if (a.rank === 'text' && b.rank === 'text')
    return leaf(comparison(orEmpty(a, a.text), sign, orEmpty(b, b.text)))
  if (a.rank === 'number' && b.rank === 'number') return buildIdenticalSides(positive, a, b)
  if (a.rank === 'mixed' || b.rank === 'mixed')
    return leaf(sql`${writeRankedRow(a, '2')} ${sign} ${writeRankedRow(b, '2')}`)
  return a.rank === 'number' ? numberAndText(positive, a, b) : numberAndText(positive, b, a)
}

const orEmpty = (side: Side, text: Sql): Sql => (side.nullable ? sql`coalesce(${text}, '')` : text)

/** A number equals a text only if the number is NULL and the text is empty or NULL. */
function numberAndText(positive: boolean, number: Side, text: Side): Condition {
  if (!number.nullable || text.rank !== 'text') return constant(!positive)
  const test = sql`(${isNullSql(number)} AND ${orEmpty(text, text.text)} = '')`
  return leaf(positive ? test : sql`NOT ${test}`)
}
