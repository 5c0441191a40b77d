import type { Condition } from './condition.ts'
import { equal } from './equality.ts'
import { isFolded, likeFolded } from './fold.ts'
import { like } from './like.ts'
import type { Operand } from './operand.ts'
import type { Sign } from './parse.ts'
import { relationalComparison } from './relational.ts'

/** Compares row by row, as `?=` does. PocketBase: tools/search/filter.go, buildResolversExpr */
export function compare(sign: Sign, left: Operand, right: Operand): Condition {
  if (isFolded(left) || isFolded(right)) return likeFolded(sign, left, right)
  if (sign === '=' || sign === '!=') return equal(sign === '=', left, right)
  if (sign === '~' || sign === '!~') return like(sign === '~', left, right)
  return relationalComparison(sign, left, right)
}
