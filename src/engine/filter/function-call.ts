import { MIXED } from './literal-traits.ts'
import { type Expression, makeExpression, type Operand } from './operand.ts'
import { FilterError, type Token } from './parse-filter.ts'
import type { Sql } from './sql-pieces.ts'

/** Builds an operand from a function's arguments. Throws a FilterError for invalid ones. */
export type FunctionBuilder = (
  args: readonly Token[],
  resolve: (token: Token) => Operand,
) => Operand

export const isLiteral = (token: Token, type: 'text' | 'number') =>
  token.kind === 'literal' && token.type === type

/** Writes the SQL of a function call from its operands, which may be patterns for `~`. */
type Build = (operands: readonly Operand[]) => Sql

/** A function call as an operand: text without affinity, unless `rest` says otherwise. */
export function callOperand(
  operands: readonly Operand[],
  build: Build,
  rest: Partial<Expression>,
): Expression {
  const empty = operands.filter(isParameter).map(({ isEmpty }) => isEmpty)
  return makeExpression(build(operands), 'text', {
    isEmpty: empty.length > 0 && empty.every((one) => one === false) ? false : undefined,
    rows: operands.flatMap((operand) => (operand.kind === 'expression' ? operand.rows : [])),
    ...(empty.length > 0 && {
      asPattern: () => callOperand(operands.map(toPatternOperand), build, rest),
    }),
    ...rest,
  })
}

const isParameter = (operand: Operand) =>
  operand.kind === 'known' ? operand.pattern !== undefined : operand.asPattern !== undefined

/** Turns an argument into a pattern for `~`, if it is a request value or literal. */
function toPatternOperand(operand: Operand): Operand {
  if (operand.kind === 'expression') return operand.asPattern?.() ?? operand
  const { pattern, ...plain } = operand
  return pattern ? { ...plain, value: pattern, traits: MIXED, constant: undefined } : operand
}

export function rewordFilterError<T>(work: () => T, reword: (cause: string) => string): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof FilterError ? new FilterError(reword(error.message)) : error
  }
}
