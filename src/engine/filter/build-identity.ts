import {
  buildBoolTest,
  haveSameRank,
  isNullSql,
  pickNumberOrText,
  writeRankedRow,
} from './build-relational.ts'
import { makeSide, makeSides, type Side } from './comparison-side.ts'
import { type Condition, makeComparison, makeLeaf, type Tested, toConstant } from './condition.ts'
import { TRUE_TEXT } from './convert-scalars.ts'
import { type Known, type Operand, writeBoundText } from './operand.ts'
import { type Sql, sql } from './sql-pieces.ts'

/** SQLite's `a IS b` or `a IS NOT b`, which are never NULL. */
export function buildIdentical(positive: boolean, left: Operand, right: Operand): Condition {
  if (right.kind === 'known' && right.isWord) return buildTruthTest(positive, left, right)
  return buildIdenticalSides(positive, ...makeSides(left, right))
}

/** A comparison for which NULL differs from all other values: `=` is then false, `!=` is true. */
function buildUnlikeTest(part: Sql | Tested, positive: boolean, a: Side, b: Side): Condition {
  const rows = [...(b.nullable ? [] : a.rows), ...(a.nullable ? [] : b.rows)]
  return positive ? makeLeaf(part, rows, []) : makeLeaf(part, [], rows)
}

export function buildIdenticalSides(positive: boolean, a: Side, b: Side): Condition {
  if (a.rank === 'null' || b.rank === 'null')
    return buildMissingTest(positive, a.rank === 'null' ? b : a)
  const asText = compareJsonWithText(positive, a, b)
  if (asText) return asText
  const nullable = a.nullable || b.nullable
  const both = a.nullable && b.nullable
  if (a.rank === 'mixed' || b.rank === 'mixed') return compareMixed(positive, a, b)
  if (a.rank !== b.rank) {
    if (!both) return toConstant(!positive)
    return makeLeaf(
      positive
        ? sql`(${isNullSql(a)} AND ${isNullSql(b)})`
        : sql`NOT (${isNullSql(a)} AND ${isNullSql(b)})`,
    )
  }
  const sign = nullable
    ? positive
      ? 'IS NOT DISTINCT FROM'
      : 'IS DISTINCT FROM'
    : positive
      ? '='
      : '<>'
  const test = nullable ? undefined : buildBoolTest(sign, a, b)
  return (
    test ??
    buildUnlikeTest(makeComparison(pickNumberOrText(a), sign, pickNumberOrText(b)), positive, a, b)
  )
}

/** Compares JSON, as plain text, with a text that is no number or bool. Undefined for other operands. */
function compareJsonWithText(positive: boolean, a: Side, b: Side): Condition | undefined {
  const [json, { operand: value }] = a.operand.kind === 'known' ? [b, a] : [a, b]
  const { operand } = json
  if (operand.kind !== 'expression' || operand.storage !== 'json' || !operand.text) return undefined
  if (json.rank !== 'mixed' || value.kind !== 'known' || !value.traits.isPlainText) return undefined
  const [text, param] = [operand.text, writeBoundText(value)]
  if (positive) return makeLeaf(sql`coalesce(${text} = ${param}, false)`, json.rows, [])
  return makeLeaf(sql`${text} IS DISTINCT FROM ${param}`, [], json.rows)
}

export function buildMissingTest(positive: boolean, side: Side): Condition {
  if (!side.nullable) return toConstant(!positive)
  const test = isNullSql(side)
  return positive ? makeLeaf(test, [], side.rows) : makeLeaf(sql`NOT (${test})`, side.rows, [])
}

/** Compares if a side is a number in some rows, a text in others (`mixed`). A number never equals a text. */
function compareMixed(positive: boolean, a: Side, b: Side): Condition {
  const [mixed, value] = a.rank === 'mixed' ? [a, b] : [b, a]
  if (mixed.rank === 'mixed' && haveSameRank(value)) {
    const [own, other] = [
      value.rank === 'number' ? mixed.number : mixed.text,
      pickNumberOrText(value),
    ]
    const part = positive
      ? sql`coalesce(${own} = ${other}, false)`
      : sql`${own} IS DISTINCT FROM ${other}`
    return buildUnlikeTest(part, positive, mixed, value)
  }
  const sign = positive ? 'IS NOT DISTINCT FROM' : 'IS DISTINCT FROM'
  return buildUnlikeTest(sql`${writeRankedRow(a)} ${sign} ${writeRankedRow(b)}`, positive, a, b)
}

const BEGINS_WITH_NUMBER = `'${TRUE_TEXT.source}'`

/** `a IS TRUE`, `a IS NOT FALSE`: compares truth values, never NULL. sqlite.org/lang_expr.html, booleans */
function buildTruthTest(positive: boolean, operand: Operand, word: Known): Condition {
  const side = makeSide(operand)
  const test = sql`(${writeTruthSql(side)}) IS ${positive ? 'NOT ' : ''}DISTINCT FROM (${writeTruthSql(makeSide(word))})`
  return positive ? makeLeaf(test, side.rows, []) : makeLeaf(test, [], side.rows)
}

function writeTruthSql(side: Side): Sql {
  if (side.rank === 'null') return ['NULL']
  if (side.rank === 'number') return sql`${side.number} <> 0`
  if (side.rank === 'text') return sql`${side.text} ~ ${BEGINS_WITH_NUMBER}`
  return sql`CASE ${side.mixed} WHEN 1 THEN ${side.number} <> 0 WHEN 2 THEN ${side.text} ~ ${BEGINS_WITH_NUMBER} END`
}
