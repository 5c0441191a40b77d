import { buildNoRowViolates } from './build-exists.ts'
import { compareOperands } from './compare-operands.ts'
import { type Condition, joinByAnd, joinByOr, makeLeaf } from './condition.ts'
import { type Context, makeSubqueryContext } from './filter-row.ts'
import { rewordFilterError } from './function-call.ts'
import type { Expression, Operand } from './operand.ts'
import { type Comparison, type Node, type Token, writeTokenText } from './parse-filter.ts'
import { resolveToken } from './resolve-token.ts'

/** Turns a filter into a condition on its context's rows. Throws a FilterError with PocketBase's message. */
export function buildCondition(context: Context, node: Node): Condition {
  if (node.kind === 'comparison') return buildComparison(context, node)
  const items = node.items.map((item) => buildCondition(context, item))
  return node.kind === 'and' ? joinByAnd(items) : joinByOr(items)
}

function buildComparison(context: Context, comparison: Comparison): Condition {
  const left = resolveSide(context, comparison.left, 'left')
  const right = resolveSide(context, comparison.right, 'right')
  const one = compareOperands(comparison.sign, left, right)
  const all = comparison.any ? [] : buildAllMatch(context, comparison, left, right)
  const guards = [left, right].flatMap(({ guard }) => (guard ? [makeLeaf(guard)] : []))
  return joinByAnd([one, ...all, ...guards])
}

const resolveSide = (context: Context, token: Token, side: 'left' | 'right'): Operand =>
  rewordFilterError(
    () => resolveToken(context, token),
    (cause) => `invalid ${side} operand ${JSON.stringify(writeTokenText(token))} - ${cause}`,
  )

/** For operators without `?`: requires that no row of a path makes the comparison false. Contract 2.5. */
function buildAllMatch(
  context: Context,
  comparison: Comparison,
  left: Operand,
  right: Operand,
): Condition[] {
  if (!left.all && !right.all) return []
  const within = makeSubqueryContext(context)
  const a = left.all ? dropTextOptions(resolveToken(within, comparison.left)) : resetFallback(left)
  const apart = left.all && right.all ? { ...within, scope: within.scope.sibling() } : within
  const b = right.all
    ? dropTextOptions(resolveToken(apart, comparison.right))
    : resetFallback(right)
  return [buildNoRowViolates(compareOperands(comparison.sign, a, b), within.scope.rows)]
}

function dropTextOptions(operand: Operand): Operand {
  const { isEmpty: _, asPattern: __, ...column } = operand as Expression
  return column
}

const resetFallback = (operand: Operand): Operand => ({ ...operand, fallback: 'auto' })
