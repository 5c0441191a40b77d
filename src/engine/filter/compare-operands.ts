import { buildEqual } from './build-equality.ts'
import { buildRelational } from './build-relational.ts'
import { buildBranch, type Condition, FALSE, makeLeaf, NULL, toConstant } from './condition.ts'
import { convertValue } from './known-value.ts'
import { type Expression, FORMS, type Operand, writeTextSql } from './operand.ts'
import { FilterError, type Sign } from './parse-filter.ts'
import { makeParam, makeTextParam, sql } from './sql-pieces.ts'

/** `~` or `!~`. Wraps the right side in `%`, unless it is a literal or request value with a `%`. */
function buildLike(positive: boolean, left: Operand, right: Operand): Condition {
  if (right.kind === 'expression') return buildLikeExpression(positive, left, right)
  const { traits } = right
  const text = writeTextSql(left)
  if (traits.kind === 'null') return NULL
  const { nullable, rows } =
    left.kind === 'known' ? { nullable: left.isEmpty === 'perhaps', rows: [] } : left
  const unmatched = nullable
    ? makeLeaf(sql`(CASE WHEN ${text} IS NOT NULL THEN ${String(!positive)} END)`, rows, rows)
    : toConstant(!positive)
  if (traits.pattern === 'broken') return unmatched
  const isMixed = traits.pattern === 'mixed'
  const value = right.pattern ?? convertValue(right.value, 'wrapped')
  const pattern = isMixed
    ? makeTextParam(convertValue(value, 'unlessBroken'))
    : makeParam('text', value)
  // `|| ''` prevents the use of a trigram index, which lowers a final Σ to ς and would miss rows
  const found = isMixed || traits.pattern === 'sigma' ? sql`(${text} || '')` : text
  const test = sql`${found} ${writeLikeSign(positive, traits.pattern !== 'plain')} ${pattern} COLLATE "C"`
  const matched = makeLeaf(test, rows, rows)
  const isBroken = makeParam('bool', convertValue(value, 'isBroken'))
  return isMixed ? buildBranch(isBroken, unmatched, matched) : matched
}

/** Under collation C, ILIKE ignores case for ASCII only, as in SQLite. Without letters LIKE is faster. */
const writeLikeSign = (positive: boolean, folds = true) =>
  `${positive ? '' : 'NOT '}${folds ? 'ILIKE' : 'LIKE'}`

function buildLikeExpression(positive: boolean, left: Operand, right: Operand): Condition {
  if (right.kind === 'known') return FALSE
  const rows = [...(left.kind === 'expression' ? left.rows : []), ...right.rows]
  const own = right.asPattern?.()
  const pattern =
    own?.kind === 'expression'
      ? FORMS[own.storage].text(own.sql)
      : sql`('%' || ${FORMS[right.storage].text(right.sql)} || '%')`
  return makeLeaf(
    sql`${writeTextSql(left)} ${writeLikeSign(positive)} ${pattern} COLLATE "C"`,
    rows,
    rows,
  )
}

/** Compares a value with `:fold` by `~` or `!~`, as `foldText` writes both: `%` is a character. */
function buildFoldedLike(sign: Sign, left: Operand, right: Operand): Condition {
  if (!sign.endsWith('~') || !isFolded(left) || right.kind !== 'known' || !right.pattern)
    throw new FilterError('":fold" is for a field on the left of ~ or !~, with a text on the right')
  const pattern = makeParam('text', convertValue(right.value, 'foldedPattern'))
  const text = writeTextSql(left)
  // two conditions, so that Postgres searches an index of trigrams for the first
  const found = sql`(${text} ~ ${pattern} COLLATE "C" OR (pb_is_odd(${text}) AND pb_plain(${text}) ~ ${pattern} COLLATE "C"))`
  return makeLeaf(sign === '!~' ? sql`(NOT ${found})` : found, left.rows, left.rows)
}

const isFolded = (operand: Operand): operand is Expression =>
  operand.kind === 'expression' && operand.isFolded === true

/** Compares row by row, as `?=` does. PocketBase: tools/search/filter.go, buildResolversExpr */
export function compareOperands(sign: Sign, left: Operand, right: Operand): Condition {
  if (isFolded(left) || isFolded(right)) return buildFoldedLike(sign, left, right)
  if (sign === '=' || sign === '!=') return buildEqual(sign === '=', left, right)
  if (sign === '~' || sign === '!~') return buildLike(sign === '~', left, right)
  return buildRelational(sign, left, right)
}
