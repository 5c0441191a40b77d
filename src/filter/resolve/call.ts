import type { Expression, Operand } from '../compare/operand.ts'
import { FilterError } from '../errors.ts'
import type { Token } from '../parse/tree.ts'
import type { Sql } from '../sql/sql.ts'
import { MIXED } from '../sql/traits.ts'
import type { Context } from './row.ts'

type Resolve = (context: Context, token: Token) => Operand
/** Builds an operand from a function's arguments. Throws a FilterError for invalid ones. */
export type FunctionBuilder = (context: Context, args: readonly Token[], resolve: Resolve) => Operand

export const isLiteral = (token: Token, type: 'text' | 'number') =>
  token.kind === 'literal' && token.type === type

/** Writes SQL of a call with these operands, which `~` may have turned into patterns. */
type Build = (operands: readonly Operand[]) => Sql

/** A function call as an operand: a text without affinity, unless `rest` overrides that. */
export function callOperand(
  operands: readonly Operand[],
  build: Build,
  rest: Partial<Expression>,
): Expression {
  const empty = operands.filter(isParameter).map(({ isEmpty }) => isEmpty)
  return {
    kind: 'expression',
    sql: build(operands),
    affinity: 'none',
    fallback: 'auto',
    storage: 'text',
    isEmpty: empty.length > 0 && empty.every((one) => one === false) ? false : undefined,
    all: false,
    nullable: true,
    rows: operands.flatMap((operand) => (operand.kind === 'expression' ? operand.rows : [])),
    ...(empty.length > 0 && { asPattern: () => callOperand(operands.map(patternOf), build, rest) }),
    ...rest,
  }
}

const isParameter = (operand: Operand) =>
  operand.kind === 'known' ? operand.pattern !== undefined : operand.asPattern !== undefined

/** An argument of a function on the right of `~`: a known value becomes a pattern. */
function patternOf(operand: Operand): Operand {
  if (operand.kind === 'expression') return operand.asPattern?.() ?? operand
  const { pattern, ...plain } = operand
  return pattern ? { ...plain, slot: pattern, traits: MIXED, constant: undefined } : operand
}

/** Runs `work` and rewords its FilterError. */
export function reworded<T>(work: () => T, reword: (cause: string) => string): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof FilterError ? new FilterError(reword(error.message)) : error
  }
}
