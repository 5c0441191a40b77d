import { and, type Condition, leaf, or } from './condition.ts'
import { buildNoRowViolates } from './exists.ts'
import { rewordFilterError } from './function-call.ts'
import type { Expression, Operand } from './operand.ts'
import { compare } from './operators.ts'
import { type Comparison, type Node, spellToken, type Token } from './parse.ts'
import { resolveToken } from './resolve.ts'
import { type Context, subqueryContext } from './row.ts'

/** Turns a filter into a condition on its context's rows. Throws a FilterError with PocketBase's message. */
export function buildCondition(context: Context, node: Node): Condition {
  if (node.kind === 'comparison') return buildComparison(context, node)
  const items = node.items.map((item) => buildCondition(context, item))
  return node.kind === 'and' ? and(items) : or(items)
}

function buildComparison(context: Context, comparison: Comparison): Condition {
  const left = resolveSide(context, comparison.left, 'left')
  const right = resolveSide(context, comparison.right, 'right')
  const one = compare(comparison.sign, left, right)
  const all = comparison.any ? [] : allMatch(context, comparison, left, right)
  const guards = [left, right].flatMap(({ guard }) => (guard ? [leaf(guard)] : []))
  return and([one, ...all, ...guards])
}

const resolveSide = (context: Context, token: Token, side: 'left' | 'right'): Operand =>
  rewordFilterError(
    () => resolveToken(context, token),
    (cause) => `invalid ${side} operand ${JSON.stringify(spellToken(token))} - ${cause}`,
  )

/** For operators without `?`: requires that no row of a path makes the comparison false. Contract 2.5. */
function allMatch(
  context: Context,
  comparison: Comparison,
  left: Operand,
  right: Operand,
): Condition[] {
  if (!left.all && !right.all) return []
  const within = subqueryContext(context)
  const a = left.all ? walked(resolveToken(within, comparison.left)) : plain(left)
  const apart = left.all && right.all ? { ...within, scope: within.scope.sibling() } : within
  const b = right.all ? walked(resolveToken(apart, comparison.right)) : plain(right)
  return [buildNoRowViolates(compare(comparison.sign, a, b), within.scope.rows)]
}

function walked(operand: Operand): Operand {
  const { isEmpty: _, asPattern: __, ...column } = operand as Expression
  return column
}

const plain = (operand: Operand): Operand => ({ ...operand, fallback: 'auto' })
