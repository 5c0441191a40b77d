import { type Condition, comparison, constant, FALSE, leaf, NULL, type Tested, whether } from './condition.ts'
import {
  boundText,
  constantOf,
  type Expression,
  FORMS,
  type Known,
  type Operand,
  type Side,
  sideOf,
  sidesOf,
  textOf,
} from './operand.ts'
import type { Sign } from './parse.ts'
import {
  boolTest,
  isNullSql,
  isOfOneRank,
  numberOrText,
  rankedRow,
  relationalComparison,
} from './relational.ts'
import {
  asText,
  flagParam,
  type Input,
  param,
  type Slot,
  type Sql,
  sql,
  TRUE_TEXT,
  textParam,
} from './sql.ts'
import { isBrokenPattern } from './traits.ts'

/** Compares row by row, as `?=` does. PocketBase: tools/search/filter.go, buildResolversExpr */
export function compare(sign: Sign, left: Operand, right: Operand): Condition {
  if (sign === '=' || sign === '!=') return equal(sign === '=', left, right)
  if (sign === '~' || sign === '!~') return like(sign === '~', left, right)
  return relationalComparison(sign, left, right)
}

/** `~` or `!~`. Wraps the right side in `%`, unless it is a literal or request value with a `%`. */
function like(positive: boolean, left: Operand, right: Operand): Condition {
  if (right.kind === 'expression') return likeExpression(positive, left, right)
  const { traits } = right
  const text = textOf(left)
  if (traits.kind === 'null') return NULL
  const { nullable, rows } = left.kind === 'known' ? { nullable: left.isEmpty === 'perhaps', rows: [] } : left
  const unmatched = nullable
    ? leaf(sql`(CASE WHEN ${text} IS NOT NULL THEN ${String(!positive)} END)`, rows, rows)
    : constant(!positive)
  if (traits.pattern === 'broken') return unmatched
  const isMixed = traits.pattern === 'mixed'
  const slot = right.pattern ?? wrapped(right.slot)
  const isBroken = (input: Input) => isBrokenPattern(asText(slot(input)) ?? '')
  const pattern = isMixed ? textParam((input) => (isBroken(input) ? '' : slot(input))) : param('text', slot)
  // `|| ''` prevents the use of a trigram index, which lowers a final Σ to ς and would miss rows
  const found = isMixed || traits.pattern === 'sigma' ? sql`(${text} || '')` : text
  const test = sql`${found} ${sign(positive, traits.pattern !== 'plain')} ${pattern} COLLATE "C"`
  const matched = leaf(test, rows, rows)
  return isMixed ? whether(flagParam(isBroken), unmatched, matched) : matched
}

/** Under collation C, ILIKE ignores case for ASCII only, as in SQLite. Without letters LIKE is faster. */
const sign = (positive: boolean, folds = true) => `${positive ? '' : 'NOT '}${folds ? 'ILIKE' : 'LIKE'}`

const wrapped =
  (slot: Slot): Slot =>
  (input) => {
    const text = asText(slot(input))
    return text === null ? null : `%${text}%`
  }

function likeExpression(positive: boolean, left: Operand, right: Operand): Condition {
  if (right.kind === 'known') return FALSE
  const rows = [...(left.kind === 'expression' ? left.rows : []), ...right.rows]
  const own = right.asPattern?.()
  const pattern =
    own?.kind === 'expression'
      ? FORMS[own.storage].text(own.sql)
      : sql`('%' || ${FORMS[right.storage].text(right.sql)} || '%')`
  return leaf(sql`${textOf(left)} ${sign(positive)} ${pattern} COLLATE "C"`, rows, rows)
}

/** `=` or `!=`. PocketBase: tools/search/filter.go, resolveEqualExpr. Contract 2.3. */
function equal(positive: boolean, left: Operand, right: Operand): Condition {
  const decided = decideKnown(left, right)
  if (decided !== undefined) return constant(decided === positive)
  if (left.fallback === 'off' || right.fallback === 'off') return identical(positive, left, right)
  const [a, b] = [emptiness(left), emptiness(right)]
  if (a === 'perhaps')
    return whetherEmpty(positive, left as Known, right, (one) => equal(positive, one, right))
  if (b === 'perhaps')
    return whetherEmpty(positive, right as Known, left, (one) => equal(positive, left, one))
  if (a && b) return constant(positive)
  if (a === false || b === false) {
    const [one, other] = [a ? EMPTY : left, b ? EMPTY : right]
    return positive ? same(one, other) : identical(false, one, other)
  }
  if (a) return empty(positive, right as Expression)
  if (b) return empty(positive, left as Expression)
  return coalesced(positive, left, right)
}

const EMPTY: Known = constantOf('')

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
  const isText = other.kind === 'expression' && other.affinity === 'text' && other.storage === 'text'
  if (isText && !other.nullable) {
    const text = textParam((input) => value.slot(input) ?? '')
    return leaf(comparison(other.sql, positive ? '=' : '<>', text))
  }
  const isNothing = (input: Input) => (value.slot(input) ?? '') === ''
  return whether(flagParam(isNothing), decide(EMPTY), decide({ ...value, isEmpty: false }))
}

function same(left: Operand, right: Operand): Condition {
  return withContains(relationalComparison('=', left, right), left, right)
}

/** Adds the test `tags @> '{x}'`, which an index serves, to `tags:each ?= 'x'` and `tags.id ?= 'x'`. */
function withContains(condition: Condition, left: Operand, right: Operand): Condition {
  const [one, value] = left.kind === 'expression' ? [left, right] : [right, left]
  if (condition.kind !== 'leaf' || one.kind !== 'expression' || value.kind !== 'known' || !one.element)
    return condition
  const { list, row } = one.element
  return { ...condition, contains: { sql: sql`${list} @> ARRAY[${boundText(value)}]`, row } }
}

/** SQLite's `a IS b` or `a IS NOT b`, which are never NULL. */
function identical(positive: boolean, left: Operand, right: Operand): Condition {
  if (right.kind === 'known' && right.isWord) return truthIs(positive, left, right)
  return identicalSides(positive, ...sidesOf(left, right))
}

/** A comparison for which NULL differs from all other values: `=` is then false, `!=` is true. */
function unlike(part: Sql | Tested, positive: boolean, a: Side, b: Side): Condition {
  const rows = [...(b.nullable ? [] : a.rows), ...(a.nullable ? [] : b.rows)]
  return positive ? leaf(part, rows, []) : leaf(part, [], rows)
}

function identicalSides(positive: boolean, a: Side, b: Side): Condition {
  if (a.rank === 'null' || b.rank === 'null') return isMissing(positive, a.rank === 'null' ? b : a)
  const asText = jsonText(positive, a, b)
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
  const test = nullable ? undefined : boolTest(sign, a, b)
  return test ?? unlike(comparison(numberOrText(a), sign, numberOrText(b)), positive, a, b)
}

/** Compares JSON, as plain text, with a text that is no number or bool. Undefined for other operands. */
function jsonText(positive: boolean, a: Side, b: Side): Condition | undefined {
  const [json, { operand: value }] = a.operand.kind === 'known' ? [b, a] : [a, b]
  const { operand } = json
  if (operand.kind !== 'expression' || operand.storage !== 'json' || !operand.text) return undefined
  if (json.rank !== 'mixed' || value.kind !== 'known' || !value.traits.isPlainText) return undefined
  const [text, param] = [operand.text, boundText(value)]
  if (positive) return leaf(sql`coalesce(${text} = ${param}, false)`, json.rows, [])
  return leaf(sql`${text} IS DISTINCT FROM ${param}`, [], json.rows)
}

function isMissing(positive: boolean, side: Side): Condition {
  if (!side.nullable) return constant(!positive)
  const test = isNullSql(side)
  return positive ? leaf(test, [], side.rows) : leaf(sql`NOT (${test})`, side.rows, [])
}

/** Compares if a side is a number in some rows, a text in others (`mixed`). A number never equals a text. */
function identicalMixed(positive: boolean, a: Side, b: Side): Condition {
  const [mixed, value] = a.rank === 'mixed' ? [a, b] : [b, a]
  if (mixed.rank === 'mixed' && isOfOneRank(value)) {
    const [own, other] = [value.rank === 'number' ? mixed.number : mixed.text, numberOrText(value)]
    const part = positive ? sql`coalesce(${own} = ${other}, false)` : sql`${own} IS DISTINCT FROM ${other}`
    return unlike(part, positive, mixed, value)
  }
  const sign = positive ? 'IS NOT DISTINCT FROM' : 'IS DISTINCT FROM'
  return unlike(sql`${rankedRow(a)} ${sign} ${rankedRow(b)}`, positive, a, b)
}

function empty(positive: boolean, operand: Expression): Condition {
  const side = sideOf(operand)
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
  const [a, b] = [sideOf(left), sideOf(right)]
  const sign = positive ? '=' : '<>'
  if (a.rank === 'text' && b.rank === 'text')
    return leaf(comparison(orEmpty(a, a.text), sign, orEmpty(b, b.text)))
  if (a.rank === 'number' && b.rank === 'number') return identicalSides(positive, a, b)
  if (a.rank === 'mixed' || b.rank === 'mixed')
    return leaf(sql`${rankedRow(a, '2')} ${sign} ${rankedRow(b, '2')}`)
  return a.rank === 'number' ? numberAndText(positive, a, b) : numberAndText(positive, b, a)
}

const orEmpty = (side: Side, text: Sql): Sql => (side.nullable ? sql`coalesce(${text}, '')` : text)

/** A number equals a text only if the number is NULL and the text is empty or NULL. */
function numberAndText(positive: boolean, number: Side, text: Side): Condition {
  if (!number.nullable || text.rank !== 'text') return constant(!positive)
  const test = sql`(${isNullSql(number)} AND ${orEmpty(text, text.text)} = '')`
  return leaf(positive ? test : sql`NOT ${test}`)
}

const BEGINS_WITH_NUMBER = `'${TRUE_TEXT.source}'`

/** `a IS TRUE`, `a IS NOT FALSE`: compares truth values, never NULL. sqlite.org/lang_expr.html, booleans */
function truthIs(positive: boolean, operand: Operand, word: Known): Condition {
  const side = sideOf(operand)
  const test = sql`(${truthOf(side)}) IS ${positive ? 'NOT ' : ''}DISTINCT FROM (${truthOf(sideOf(word))})`
  return positive ? leaf(test, side.rows, []) : leaf(test, [], side.rows)
}

function truthOf(side: Side): Sql {
  if (side.rank === 'null') return ['NULL']
  if (side.rank === 'number') return sql`${side.number} <> 0`
  if (side.rank === 'text') return sql`${side.text} ~ ${BEGINS_WITH_NUMBER}`
  return sql`CASE ${side.mixed} WHEN 1 THEN ${side.number} <> 0 WHEN 2 THEN ${side.text} ~ ${BEGINS_WITH_NUMBER} END`
}
