import type { Expression, Operand } from '../compare/operand.ts'
import { FilterError } from '../errors.ts'
import type { Token } from '../parse/tree.ts'
import type { Sql } from '../sql/sql.ts'
import type { Context } from './context.ts'

type Resolve = (context: Context, token: Token) => Operand
/** Makes an operand of a function's arguments. Throws a FilterError for wrong ones. */
export type FunctionBuilder = (context: Context, args: readonly Token[], resolve: Resolve) => Operand

/** True for a literal of that type. */
export const isLiteral = (token: Token, type: 'text' | 'number') =>
  token.kind === 'literal' && token.type === type

/** Writes an expression over operands, which may be turned into patterns first. */
type Build = (operands: readonly Operand[]) => Sql

/** A function over operands as an operand of its own. `rest`: how it differs from a text without affinity. */
export function callOperand(
  operands: readonly Operand[],
  build: Build,
  rest: Partial<Expression>,
): Expression {
  const params = operands.flatMap((operand) => operand.params)
  const expression: Expression = {
    kind: 'expression',
    sql: build(operands),
    affinity: 'none',
    fallback: 'auto',
    storage: 'text',
    params,
    all: false,
    nullable: true,
    rows: operands.flatMap((operand) => (operand.kind === 'expression' ? operand.rows : [])),
    ...rest,
  }
  if (params.length === 0) return expression
  const asPattern = () => callOperand(operands.map(patternOf), build, { ...rest, params: [] })
  return { ...expression, asPattern }
}

/** `~` makes patterns of a function's own parameters, one by one. */
function patternOf(operand: Operand): Operand {
  if (operand.kind === 'known' && operand.params.length > 0 && operand.pattern) {
    return { ...operand, slot: operand.pattern }
  }
  return operand.kind === 'expression' && operand.asPattern ? operand.asPattern() : operand
}

/** Does something, and says of what fails what it was for. */
export function withErrorPrefix<T>(what: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof FilterError) throw new FilterError(`${what}: ${error.message}`)
    throw error
  }
}
