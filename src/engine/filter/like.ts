import { buildBranch, type Condition, FALSE, makeLeaf, NULL, toConstant } from './condition.ts'
import { formatScalar } from './convert-scalars.ts'
import { isBrokenPattern } from './like-pattern.ts'
import { FORMS, type Operand, writeTextSql } from './operand.ts'
import {
  type Input,
  makeFlagParam,
  makeParam,
  makeTextParam,
  type Slot,
  sql,
} from './sql-pieces.ts'

/** `~` or `!~`. Wraps the right side in `%`, unless it is a literal or request value with a `%`. */
export function buildLike(positive: boolean, left: Operand, right: Operand): Condition {
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
  const slot = right.pattern ?? wrapInPercents(right.slot)
  const isBroken = (input: Input) => isBrokenPattern(formatScalar(slot(input)) ?? '')
  const pattern = isMixed
    ? makeTextParam((input) => (isBroken(input) ? '' : slot(input)))
    : makeParam('text', slot)
  // `|| ''` prevents the use of a trigram index, which lowers a final Σ to ς and would miss rows
  const found = isMixed || traits.pattern === 'sigma' ? sql`(${text} || '')` : text
  const test = sql`${found} ${writeLikeSign(positive, traits.pattern !== 'plain')} ${pattern} COLLATE "C"`
  const matched = makeLeaf(test, rows, rows)
  return isMixed ? buildBranch(makeFlagParam(isBroken), unmatched, matched) : matched
}

/** Under collation C, ILIKE ignores case for ASCII only, as in SQLite. Without letters LIKE is faster. */
const writeLikeSign = (positive: boolean, folds = true) =>
  `${positive ? '' : 'NOT '}${folds ? 'ILIKE' : 'LIKE'}`

const wrapInPercents =
  (slot: Slot): Slot =>
  (input) => {
    const text = formatScalar(slot(input))
    return text === null ? null : `%${text}%`
  }

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
