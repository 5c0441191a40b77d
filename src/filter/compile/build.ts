import type { Expression, Operand } from '../compare/operand.ts'
import { compare } from '../compare/operators.ts'
import { type Comparison, type Node, spelling, type Token } from '../parse/tree.ts'
import { reworded } from '../resolve/call.ts'
import { type Context, subqueryContext } from '../resolve/context.ts'
import { noRowViolates } from '../resolve/exists.ts'
import { resolveToken } from '../resolve/resolve.ts'
import { and, type Condition, leaf, or } from '../sql/condition.ts'

/** A filter as a condition over the rows of its context. Throws a FilterError with PocketBase's cause. */
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
  reworded(
    () => resolveToken(context, token),
    (cause) => `invalid ${side} operand ${JSON.stringify(spelling(token))} - ${cause}`,
  )

/** Without `?` no row of a path may violate the comparison: a subquery joins its rows. Contract 2.5. */
function allMatch(context: Context, comparison: Comparison, left: Operand, right: Operand): Condition[] {
  if (!left.all && !right.all) return []
  const within = subqueryContext(context)
  const a = left.all ? walked(resolveToken(within, comparison.left)) : plain(left)
  const apart = left.all && right.all ? { ...within, scope: within.scope.sibling() } : within
  const b = right.all ? walked(resolveToken(apart, comparison.right)) : plain(right)
  return [noRowViolates(compare(comparison.sign, a, b), within.scope.rows)]
}

/** A joined value is a column, which is never known to be empty. */
function walked(operand: Operand): Operand {
  const { isEmpty: _, asPattern: __, ...column } = operand as Expression
  return column
}

const plain = (operand: Operand): Operand => ({ ...operand, fallback: 'auto' })
