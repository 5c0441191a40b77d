import { buildEqual } from './build-equality.ts'
import { buildFoldedLike, buildLike, isFolded } from './build-like.ts'
import { buildRelational } from './build-relational.ts'
import type { Condition } from './condition.ts'
import type { Operand } from './operand.ts'
import type { Sign } from './parse-filter.ts'

/** Compares row by row, as `?=` does. PocketBase: tools/search/filter.go, buildResolversExpr */
export function compareOperands(sign: Sign, left: Operand, right: Operand): Condition {
  if (isFolded(left) || isFolded(right)) return buildFoldedLike(sign, left, right)
  if (sign === '=' || sign === '!=') return buildEqual(sign === '=', left, right)
  if (sign === '~' || sign === '!~') return buildLike(sign === '~', left, right)
  return buildRelational(sign, left, right)
}
