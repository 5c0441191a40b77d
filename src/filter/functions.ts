import type { Context } from './context.ts'
import { FilterError } from './errors.ts'
import type { Facts } from './facts.ts'
import type { Expression, Operand } from './operand.ts'
import type { Sql } from './sql.ts'
import { joinSql, sql } from './sql.ts'
import { FORMS } from './storage.ts'
import type { Token } from './tree.ts'

type Resolve = (context: Context, token: Token) => Operand
type Make = (context: Context, args: readonly Token[], resolve: Resolve) => Operand

const EARTH_KM = 6371
const MAX_STRFTIME_ARGUMENTS = 10

/** The functions of the filter language, by name. PocketBase: tools/search/token_functions.go. Contract 2.8. */
export const FUNCTIONS: ReadonlyMap<string, Make> = new Map([
  ['geoDistance', geoDistance],
  ['strftime', strftime],
])

const isLiteral = (token: Token, type: 'text' | 'number') => token.kind === 'literal' && token.type === type

/** Writes an expression over operands, which may be turned into patterns first. */
type Build = (operands: readonly Operand[]) => Sql

function call(operands: readonly Operand[], build: Build, rest: Partial<Expression>): Expression {
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
  const asPattern = () => call(operands.map(patternOf), build, { ...rest, params: [] })
  return { ...expression, asPattern }
}

/** `~` makes patterns of a function's own parameters, one by one. */
function patternOf(operand: Operand): Operand {
  if (operand.kind === 'known' && operand.params.length > 0 && operand.pattern) {
    return { ...operand, slot: operand.pattern }
  }
  return operand.kind === 'expression' && operand.asPattern ? operand.asPattern() : operand
}

/** Kilometres between two points. PostgreSQL's acos fails above 1 where SQLite's gives NULL. */
function geoDistance(context: Context, args: readonly Token[], resolve: Resolve): Operand {
  if (args.length !== 4) throw new FilterError(`[geoDistance] expected 4 arguments, got ${args.length}`)
  const operands = args.map((arg, i) => {
    if (arg.kind !== 'identifier' && !isLiteral(arg, 'number')) {
      throw new FilterError(`[geoDistance] argument ${i} must be an identifier or number`)
    }
    return attempt(`[geoDistance] failed to resolve argument ${i}`, () => resolve(context, arg))
  })
  return call(operands, (four) => distance(four.map((one) => degrees(context.facts, one))), {
    storage: 'real',
    fallback: 'off',
  })
}

function distance(degrees: readonly Sql[]): Sql {
  const [lonA = [], latA = [], lonB = [], latB = []] = degrees.map((one) => sql`radians(${one})`)
  const cosine = sql`cos(${latA}) * cos(${latB}) * cos(${lonB} - ${lonA}) + sin(${latA}) * sin(${latB})`
  return sql`(SELECT CASE WHEN c.v BETWEEN -1 AND 1 THEN ${String(EARTH_KM)} * acos(c.v) END FROM (SELECT ${cosine} v) c)`
}

/** A number, NULL for what is none. SQLite takes text that looks like one. */
function degrees(facts: Facts, operand: Operand): Sql {
  if (operand.kind === 'known') {
    const slot = facts.converted(operand.slot, 'numeric')
    return facts.kind(slot) === 'number' ? [facts.number(slot)] : ['NULL::float8']
  }
  if (operand.storage === 'json') return sql`pb_json_numeric(${operand.sql})`
  const number = FORMS[operand.storage].number
  return number
    ? sql`${number(operand.sql)}::float8`
    : sql`pb_numeric(${FORMS[operand.storage].text(operand.sql)})`
}

/** A date in any form: SQLite's strftime(), which pb_strftime follows. */
function strftime(context: Context, args: readonly Token[], resolve: Resolve): Operand {
  const [format, time, ...modifiers] = args
  if (!format) throw new FilterError('[strftime] expected at least 1 arguments, got 0')
  if (args.length > MAX_STRFTIME_ARGUMENTS) {
    throw new FilterError(
      `[strftime] too many arguments (max allowed ${MAX_STRFTIME_ARGUMENTS}, got ${args.length})`,
    )
  }
  if (!isLiteral(format, 'text')) {
    throw new FilterError('[strftime] expects the first argument to be a format string')
  }
  if (time?.kind === 'function') {
    throw new FilterError('[strftime] expects the second argument to be of a valid time-value type')
  }
  const wrong = modifiers.findIndex((modifier) => !isLiteral(modifier, 'text'))
  if (wrong >= 0) throw new FilterError(`[strftime] invalid modifier argument ${wrong} - can be only string`)
  const operands = args.map((arg) =>
    attempt('[strftime] failed to resolve time-value argument', () => resolve(context, arg)),
  )
  const all = operands[1]?.all ?? false
  return call(operands, (all) => formatted(context.facts, all), { fallback: 'forced', rows: [], all })
}

function formatted(facts: Facts, operands: readonly Operand[]): Sql {
  const texts = operands.map((operand) => textOf(facts, operand))
  const list = texts.length > 1 ? joinSql(texts, ', ') : sql`${texts[0]!}, 'now'`
  return sql`pb_strftime(${list}) COLLATE "C"`
}

function textOf(facts: Facts, operand: Operand): Sql {
  if (operand.kind === 'expression') return FORMS[operand.storage].text(operand.sql)
  return facts.kind(operand.slot) === 'null' ? ['NULL::text'] : [facts.text(operand.slot)]
}

function attempt<T>(what: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof FilterError) throw new FilterError(`${what}: ${error.message}`)
    throw error
  }
}
