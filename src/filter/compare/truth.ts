import { type Condition, constant, leaf } from '../sql/condition.ts'
import type { Facts } from '../sql/facts.ts'
import { isTrue, TRUE_TEXT } from '../sql/scalar.ts'
import type { Sql } from '../sql/sql.ts'
import { sql } from '../sql/sql.ts'
import type { Known, Operand } from './operand.ts'
import { type Side, sideOf } from './side.ts'

const BEGINS_WITH_NUMBER = `'${TRUE_TEXT.source}'`

/**
 * `a IS TRUE`, `a IS NOT FALSE` and the like: SQLite tests truth here instead of comparing. Never NULL; NULL
 * is neither true nor false. sqlite.org/lang_expr.html, boolean expressions
 */
export function truthIs(facts: Facts, positive: boolean, operand: Operand, word: Known): Condition {
  const wanted = facts.ask((input) => word.slot(input) === 1n)
  if (operand.kind === 'known') {
    return constant(facts.ask((input) => (isTrue(operand.slot(input)) === wanted) === positive))
  }
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
