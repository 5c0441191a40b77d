import { buildBranch, type Condition, constant, FALSE, leaf, NULL } from './condition.ts'
import { isBrokenPattern } from './like-pattern.ts'
import { FORMS, type Operand, writeTextSql } from './operand.ts'
import { asText } from './scalar.ts'
import { flagParam, type Input, param, type Slot, sql, textParam } from './sql.ts'

/** `~` or `!~`. Wraps the right side in `%`, unless it is a literal or request value with a `%`. */
export function buildLike(positive: boolean, left: Operand, right: Operand): Condition {
  if (right.kind === 'expression') return likeExpression(positive, left, right)
  const { traits } = right
  const text = writeTextSql(left)
  if (traits.kind === 'null') return NULL
  const { nullable, rows } =
    left.kind === 'known' ? { nullable: left.isEmpty === 'perhaps', rows: [] } : left
  const unmatched = nullable
    ? leaf(sql`(CASE WHEN ${text} IS NOT NULL THEN ${String(!positive)} END)`, rows, rows)
    : constant(!positive)
  if (traits.pattern === 'broken') return unmatched
  const isMixed = traits.pattern === 'mixed'
  const slot = right.pattern ?? wrapped(right.slot)
  const isBroken = (input: Input) => isBrokenPattern(asText(slot(input)) ?? '')
  const pattern = isMixed
    ? textParam((input) => (isBroken(input) ? '' : slot(input)))
    : param('text', slot)
  // `|| ''` prevents the use of a trigram index, which lowers a final Σ to ς and would miss rows
  const found = isMixed || traits.pattern === 'sigma' ? sql`(${text} || '')` : text
  const test = sql`${found} ${sign(positive, traits.pattern !== 'plain')} ${pattern} COLLATE "C"`
  const matched = leaf(test, rows, rows)
  return isMixed ? buildBranch(flagParam(isBroken), unmatched, matched) : matched
}

/** Under collation C, ILIKE ignores case for ASCII only, as in SQLite. Without letters LIKE is faster. */
const sign = (positive: boolean, folds = true) =>
  `${positive ? '' : 'NOT '}${folds ? 'ILIKE' : 'LIKE'}`

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
  return leaf(sql`${writeTextSql(left)} ${sign(positive)} ${pattern} COLLATE "C"`, rows, rows)
}
