import { comparison, type Tested } from '../sql/column-test.ts'
import { type Condition, constant, leaf } from '../sql/condition.ts'
import type { Facts } from '../sql/facts.ts'
import { asNumeric, compareScalars, isTrue, type Scalar, TRUE_TEXT } from '../sql/scalar.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { type Known, known, type Operand } from './operand.ts'
import { boolTest, convertAffinities, isNullSql, rankedRow, relationalComparison } from './relational.ts'
import { type Side, sideOf, sidesOf } from './side.ts'

/** `=` or `!=`. PocketBase: tools/search/filter.go, resolveEqualExpr. Contract 2.3. */
export function equal(facts: Facts, positive: boolean, left: Operand, right: Operand): Condition {
  if (left.fallback === 'off' || right.fallback === 'off') return identical(facts, positive, left, right)
  const leftEmpty = isEmpty(facts, left)
  const rightEmpty = isEmpty(facts, right)
  if (leftEmpty && rightEmpty) return constant(positive)
  if (isKnownNonEmpty(facts, left) || isKnownNonEmpty(facts, right)) {
    const [a, b] = [leftEmpty ? EMPTY : left, rightEmpty ? EMPTY : right]
    return positive ? same(facts, a, b) : identical(facts, false, a, b)
  }
  if (leftEmpty) return empty(facts, positive, right)
  if (rightEmpty) return empty(facts, positive, left)
  return coalesced(facts, positive, left, right)
}

const EMPTY: Known = known(() => '')

const isKeyword = (operand: Operand): operand is Known => operand.kind === 'known' && operand.keyword === true

function isEmpty(facts: Facts, operand: Operand): boolean {
  if (isKeyword(operand)) return facts.kind(operand.slot) === 'null'
  return operand.fallback === 'auto' && operand.params.length === 1 && facts.isEmpty(operand.params[0]!)
}

function isKnownNonEmpty(facts: Facts, operand: Operand): boolean {
  if (operand.fallback === 'forced') return false
  if (isKeyword(operand)) return facts.ask((input) => isBit(operand.slot(input)))
  return operand.params.length > 0 && !operand.params.some((slot) => facts.isEmpty(slot))
}

const isBit = (value: Scalar) => value === 0n || value === 1n

/** `a = b`: NULL if either side is NULL. */
function same(facts: Facts, left: Operand, right: Operand): Condition {
  return withContains(facts, relationalComparison(facts, '=', left, right), left, right)
}

/** `tags:each ?= 'x'` and `tags.id ?= 'x'` imply that the list contains the value. */
function withContains(facts: Facts, condition: Condition, left: Operand, right: Operand): Condition {
  const [one, value] = left.kind === 'expression' ? [left, right] : [right, left]
  if (condition.kind !== 'leaf' || one.kind !== 'expression' || value.kind !== 'known' || !one.element)
    return condition
  const { list, row } = one.element
  return { ...condition, contains: { sql: sql`${list} @> ARRAY[${facts.text(value.slot)}]`, row } }
}

/** `a IS b` or `a IS NOT b`: never NULL. */
function identical(facts: Facts, positive: boolean, left: Operand, right: Operand): Condition {
  if (right.kind === 'known' && right.isWord) return truthIs(facts, positive, left, right)
  if (left.kind === 'known' && right.kind === 'known') return identicalKnown(facts, positive, left, right)
  return identicalSides(facts, positive, ...sidesOf(facts, left, right))
}

function identicalKnown(facts: Facts, positive: boolean, left: Known, right: Known): Condition {
  return constant(
    facts.ask((input) => {
      const [a, b] = convertAffinities(left, right, left.slot(input), right.slot(input))
      return (compareScalars(a, b) === 0) === positive
    }),
  )
}

/** For a comparison in which one side is NULL and the other is not: true for `!=`, false for `=`. */
function unlike(part: Sql | Tested, positive: boolean, a: Side, b: Side): Condition {
  const rows = [...(b.nullable ? [] : a.rows), ...(a.nullable ? [] : b.rows)]
  return positive ? leaf(part, rows, []) : leaf(part, [], rows)
}

function identicalSides(facts: Facts, positive: boolean, a: Side, b: Side): Condition {
  if (a.rank === 'null' || b.rank === 'null') return isMissing(positive, a.rank === 'null' ? b : a)
  const asText = jsonText(facts, positive, a, b)
  if (asText) return asText
  const nullable = a.nullable || b.nullable
  const both = a.nullable && b.nullable
  if (a.rank === 'mixed' || b.rank === 'mixed') return identicalMixed(positive, a, b)
  if (a.rank !== b.rank) {
    if (!both) return constant(!positive)
    return leaf(
      positive ? sql`(${isNullSql(a)} AND ${isNullSql(b)})` : sql`NOT (${isNullSql(a)} AND ${isNullSql(b)})`,
    )
  }
  const sign = nullable ? (positive ? 'IS NOT DISTINCT FROM' : 'IS DISTINCT FROM') : positive ? '=' : '<>'
  if (a.rank === 'number' && b.rank === 'number') {
    if (!nullable)
      return (
        boolTest(facts, sign as '=', a, b) ?? unlike(comparison(a.number, sign, b.number), positive, a, b)
      )
    return unlike(comparison(a.number, sign, b.number), positive, a, b)
  }
  return unlike(comparison((a as { text: Sql }).text, sign, (b as { text: Sql }).text), positive, a, b)
}

/** JSON against a text that cannot be a number or bool: comparing the plain text is enough. */
function jsonText(facts: Facts, positive: boolean, a: Side, b: Side): Condition | undefined {
  const [json, { slot }] = a.slot ? [b, a] : [a, b]
  const { operand } = json
  if (operand.kind !== 'expression' || operand.storage !== 'json' || !operand.text || !slot) return undefined
  if (json.rank !== 'mixed' || !facts.ask((input) => isPlainText(slot(input)))) return undefined
  const [text, param] = [operand.text, facts.text(slot)]
  if (positive) return leaf(sql`coalesce(${text} = ${param}, false)`, json.rows, [])
  return leaf(sql`${text} IS DISTINCT FROM ${param}`, [], json.rows)
}

const isPlainText = (value: Scalar) =>
  typeof value === 'string' && typeof asNumeric(value) === 'string' && value !== 'true' && value !== 'false'

function isMissing(positive: boolean, side: Side): Condition {
  if (!side.nullable) return constant(!positive)
  const test = isNullSql(side)
  return positive ? leaf(test, [], side.rows) : leaf(sql`NOT (${test})`, side.rows, [])
}

/** A mixed side has either a number or a text; the other is NULL and so counts as different. */
function identicalMixed(positive: boolean, a: Side, b: Side): Condition {
  const [mixed, value] = a.rank === 'mixed' ? [a, b] : [b, a]
  if (mixed.rank === 'mixed' && value.slot && value.rank !== 'mixed' && value.rank !== 'null') {
    const [own, other] = value.rank === 'number' ? [mixed.number, value.number] : [mixed.text, value.text]
    const part = positive ? sql`coalesce(${own} = ${other}, false)` : sql`${own} IS DISTINCT FROM ${other}`
    return unlike(part, positive, mixed, value)
  }
  const sign = positive ? 'IS NOT DISTINCT FROM' : 'IS DISTINCT FROM'
  return unlike(sql`${rankedRow(a)} ${sign} ${rankedRow(b)}`, positive, a, b)
}

/** `x = '' OR x IS NULL`, or its opposite: never NULL. */
function empty(facts: Facts, positive: boolean, operand: Operand): Condition {
  if (operand.kind === 'known')
    return constant(facts.ask((input) => isNothing(operand.slot(input)) === positive))
  const side = sideOf(facts, operand)
  const text =
    side.rank === 'text' && operand.storage === 'text' ? side.text : side.rank === 'mixed' ? side.text : null
  if (!text) return isMissing(positive, side)
  if (!side.nullable) return leaf(comparison(text, positive ? '=' : '<>'))
  const missing = isNullSql(side)
  return positive
    ? leaf(sql`(${missing} OR coalesce(${text} = '', false))`, [], side.rows)
    : leaf(sql`(NOT (${missing}) AND coalesce(${text} <> '', true))`, side.rows, [])
}

const isNothing = (value: Scalar) => value === null || value === ''

/** `COALESCE(a, '') = COALESCE(b, '')`: without affinities, so that a number never equals a text. */
function coalesced(facts: Facts, positive: boolean, left: Operand, right: Operand): Condition {
  if (left.kind === 'known' && right.kind === 'known') {
    return constant(
      facts.ask((input) => {
        const [a, b] = [left.slot(input) ?? '', right.slot(input) ?? '']
        return (compareScalars(a, b) === 0) === positive
      }),
    )
  }
  const [a, b] = [sideOf(facts, left), sideOf(facts, right)]
  if (a.rank === 'null') return empty(facts, positive, right)
  if (b.rank === 'null') return empty(facts, positive, left)
  const sign = positive ? '=' : '<>'
  if (a.rank === 'text' && b.rank === 'text')
    return leaf(comparison(orEmpty(a, a.text), sign, orEmpty(b, b.text)))
  if (a.rank === 'number' && b.rank === 'number') return identicalSides(facts, positive, a, b)
  if (a.rank === 'mixed' || b.rank === 'mixed')
    return leaf(sql`${rankedRow(a, '2')} ${sign} ${rankedRow(b, '2')}`)
  return a.rank === 'number' ? numberAndText(positive, a, b) : numberAndText(positive, b, a)
}

const orEmpty = (side: Side, text: Sql): Sql => (side.nullable ? sql`coalesce(${text}, '')` : text)

/** Equal only if the number is missing and the text is empty. */
function numberAndText(positive: boolean, number: Side, text: Side): Condition {
  if (!number.nullable || text.rank !== 'text') return constant(!positive)
  const test = sql`(${isNullSql(number)} AND ${orEmpty(text, text.text)} = '')`
  return leaf(positive ? test : sql`NOT ${test}`)
}

const BEGINS_WITH_NUMBER = `'${TRUE_TEXT.source}'`

/** `a IS TRUE` and the like: SQLite tests truth here, never NULL. sqlite.org/lang_expr.html, booleans */
function truthIs(facts: Facts, positive: boolean, operand: Operand, word: Known): Condition {
  const wanted = facts.ask((input) => word.slot(input) === 1n)
  if (operand.kind === 'known')
    return constant(facts.ask((input) => (isTrue(operand.slot(input)) === wanted) === positive))
  const side = sideOf(facts, operand)
  const test = sql`(${truthOf(side)}) IS ${positive ? '' : 'NOT '}${String(wanted)}`
  return positive ? leaf(test, side.rows, []) : leaf(test, [], side.rows)
}

function truthOf(side: Side): Sql {
  if (side.rank === 'null') return ['NULL']
  if (side.rank === 'number') return sql`${side.number} <> 0`
  if (side.rank === 'text') return sql`${side.text} ~ ${BEGINS_WITH_NUMBER}`
  return sql`CASE ${side.mixed} WHEN 1 THEN ${side.number} <> 0 WHEN 2 THEN ${side.text} ~ ${BEGINS_WITH_NUMBER} END`
}
