import {
  constantOf,
  type Expression,
  expression,
  FORMS,
  keyword,
  type Operand,
  parameter,
  textOf,
} from './operand.ts'
import { FilterError, type Literal, type Token } from './parse.ts'
import { reach, resolvePath, resolveRequest } from './path.ts'
import { type Context, inInsertionOrder, table } from './row.ts'
import { asNumeric, joinSql, numberParam, param, type Scalar, SELECT, type Sql, sql } from './sql.ts'
import { MIXED, NUMBER, TEXT } from './traits.ts'

const MAX_ARGUMENTS = 10

/** SQLite's function `strftime(format[, time[, modifier…]])`, written in SQL as a call of pb_strftime. */
const strftime: FunctionBuilder = (context, args) => {
  checkArguments(args)
  const operands = args.map((arg) =>
    reworded(
      () => resolveToken(context, arg),
      (cause) => `[strftime] failed to resolve time-value argument: ${cause}`,
    ),
  )
  const all = operands[1]?.all ?? false
  return callOperand(operands, write, { fallback: 'forced', rows: [], all })
}

function checkArguments([format, time, ...modifiers]: readonly Token[]): void {
  if (!format) throw new FilterError('[strftime] expected at least 1 arguments, got 0')
  const count = modifiers.length + 2
  if (count > MAX_ARGUMENTS)
    throw new FilterError(`[strftime] too many arguments (max allowed ${MAX_ARGUMENTS}, got ${count})`)
  if (!isLiteral(format, 'text'))
    throw new FilterError('[strftime] expects the first argument to be a format string')
  if (time?.kind === 'function')
    throw new FilterError('[strftime] expects the second argument to be of a valid time-value type')
  const wrong = modifiers.findIndex((modifier) => !isLiteral(modifier, 'text'))
  if (wrong >= 0) throw new FilterError(`[strftime] invalid modifier argument ${wrong} - can be only string`)
}

function write(operands: readonly Operand[]): Sql {
  const [format, time] = operands
  const texts = operands.map(textOf)
  const list = texts.length > 1 ? joinSql(texts, ', ') : sql`${texts[0]!}, 'now'`
  const general = sql`pb_strftime(${list}) COLLATE "C"`
  if (operands.length !== 2 || format?.kind !== 'known' || time?.kind !== 'expression' || !time.isDate)
    return general
  const plain = datePieces(format.constant, time)
  // Postgres reads neither '' nor year 0 as a date.
  return plain ? sql`(CASE WHEN ${time.sql} > '0001' THEN ${plain} ELSE ${general} END)` : general
}

const cut = (from: number, length: number) => (date: Sql) =>
  sql`substr(${date}, ${String(from)}, ${String(length)})`
const formatted = (format: string) => (date: Sql) => sql`to_char(${date}::timestamp, '${format}')`

const PIECES: Readonly<Record<string, (date: Sql) => Sql>> = {
  Y: cut(1, 4),
  m: cut(6, 2),
  d: cut(9, 2),
  H: cut(12, 2),
  M: cut(15, 2),
  S: cut(18, 2),
  f: cut(18, 6),
  F: cut(1, 10),
  R: cut(12, 5),
  T: cut(12, 8),
  j: formatted('DDD'),
  G: formatted('IYYY'),
  V: formatted('IW'),
  u: formatted('ID'),
  w: (date) => sql`extract(dow from ${date}::timestamp)::text`,
  s: (date) => sql`floor(extract(epoch from ${date}::timestamp))::bigint::text`,
}
const LETTERS = new RegExp(`^(?:[^%]|%[${Object.keys(PIECES).join('')}])*$`)
const MAX_FORMAT = 100

/** SQL that formats a date without the slow pb_strftime (30 s per 100,000 rows). Undefined if impossible. */
function datePieces(format: unknown, time: Expression): Sql | undefined {
  if (typeof format !== 'string' || format.length > MAX_FORMAT || !LETTERS.test(format)) return undefined
  const parts = format.match(/%.|[^%]+/gs)
  if (!parts) return undefined
  const pieces = parts.map((part): Sql => {
    const piece = part.startsWith('%') ? PIECES[part[1]!] : undefined
    return piece ? piece(time.sql) : param('text', () => part)
  })
  return sql`(${joinSql(pieces, ' || ')}) COLLATE "C"`
}

/** Builds an operand from a function's arguments. Throws a FilterError for invalid ones. */
type FunctionBuilder = (context: Context, args: readonly Token[]) => Operand

const isLiteral = (token: Token, type: 'text' | 'number') => token.kind === 'literal' && token.type === type

/** Writes the SQL of a function call from its operands, which may be patterns for `~`. */
type Build = (operands: readonly Operand[]) => Sql

/** A function call as an operand: text without affinity, unless `rest` says otherwise. */
function callOperand(operands: readonly Operand[], build: Build, rest: Partial<Expression>): Expression {
  const empty = operands.filter(isParameter).map(({ isEmpty }) => isEmpty)
  return expression(build(operands), 'text', {
    isEmpty: empty.length > 0 && empty.every((one) => one === false) ? false : undefined,
    rows: operands.flatMap((operand) => (operand.kind === 'expression' ? operand.rows : [])),
    ...(empty.length > 0 && { asPattern: () => callOperand(operands.map(patternOf), build, rest) }),
    ...rest,
  })
}

const isParameter = (operand: Operand) =>
  operand.kind === 'known' ? operand.pattern !== undefined : operand.asPattern !== undefined

/** Turns an argument into a pattern for `~`, if it is a request value or literal. */
function patternOf(operand: Operand): Operand {
  if (operand.kind === 'expression') return operand.asPattern?.() ?? operand
  const { pattern, ...plain } = operand
  return pattern ? { ...plain, slot: pattern, traits: MIXED, constant: undefined } : operand
}

export function reworded<T>(work: () => T, reword: (cause: string) => string): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof FilterError ? new FilterError(reword(error.message)) : error
  }
}

const EARTH_KM = 6371

/** The function `geoDistance(lonA, latA, lonB, latB)`, in kilometres. */
const geoDistance: FunctionBuilder = (context, args) => {
  if (args.length !== 4) throw new FilterError(`[geoDistance] expected 4 arguments, got ${args.length}`)
  const operands = args.map((arg, i) => {
    if (arg.kind !== 'identifier' && !isLiteral(arg, 'number'))
      throw new FilterError(`[geoDistance] argument ${i} must be an identifier or number`)
    const explain = (cause: string) => `[geoDistance] failed to resolve argument ${i}: ${cause}`
    return reworded(() => resolveToken(context, arg), explain)
  })
  const build = (four: readonly Operand[]) => distance(four.map(degrees))
  return callOperand(operands, build, { storage: 'real', fallback: 'off' })
}

function distance(degrees: readonly Sql[]): Sql {
  const [lonA = [], latA = [], lonB = [], latB = []] = degrees.map((one) => sql`radians(${one})`)
  const cosine = sql`cos(${latA}) * cos(${latB}) * cos(${lonB} - ${lonA}) + sin(${latA}) * sin(${latB})`
  return sql`(${SELECT}${String(EARTH_KM)} * acos(least(1, greatest(-1, c.v))) FROM (${SELECT}${cosine} v) c WHERE c.v IS NOT NULL)`
}

function degrees(operand: Operand): Sql {
  if (operand.kind === 'known') return numberParam((input) => asNumeric(operand.slot(input)))
  const form = FORMS[operand.storage]
  if (form.number) return sql`${form.number(operand.sql)}::float8`
  const number =
    operand.storage === 'json'
      ? sql`pb_json_numeric(${operand.sql})`
      : sql`pb_numeric(${form.text(operand.sql)})`
  // Postgres' cosine refuses infinity, which a text such as '1e999' becomes
  return sql`nullif(abs(${number}), 'Infinity') * sign(${number})`
}

/** The functions of the filter language. PocketBase: tools/search/token_functions.go. Contract 2.8. */
const FUNCTIONS: ReadonlyMap<string, FunctionBuilder> = new Map([
  ['geoDistance', geoDistance],
  ['strftime', strftime],
])

/** Names that a filter may contain. PocketBase: core/record_field_resolver.go, allowedFields */
const NAMES =
  /^(\w[\w.:]*|@request\.(context|method)|@request\.(auth|body|query|headers)\.[\w.:]*\w|@collection\.\w+(:\w+)?\.[\w.:]*\w)$/

const KEYWORDS = new Map([
  ['null', null],
  ['true', 1n],
  ['false', 0n],
])

/** Resolves a token of a filter. Throws a FilterError with PocketBase's message. Contract 2.1. */
export function resolveToken(context: Context, token: Token): Operand {
  if (token.kind === 'literal') return literal(context, token)
  if (token.kind === 'function') {
    const make = FUNCTIONS.get(token.text)
    if (!make) throw new FilterError(`unknown function "${token.text}"`)
    return make(context, token.args)
  }
  const macro = MACROS.get(token.text)
  if (macro) return parameter(({ now }) => macro(now), typeof macro(ANY_TIME) === 'string' ? TEXT : NUMBER)
  try {
    return resolveName(context, token.text)
  } catch (error) {
    const value = KEYWORDS.get(token.text.toLowerCase())
    if (value !== undefined && error instanceof FilterError) return keyword(value)
    throw error
  }
}

const literal = ({ isClient }: Context, { index, value, traits, isFixed }: Literal): Operand =>
  isClient && !isFixed
    ? parameter(({ literals }) => literals[index]!.value, traits, {
        pattern: ({ literals }) => literals[index]!.pattern,
      })
    : constantOf(value)

/** Resolves a field's path, `@request.…` or `@collection.…`. */
export function resolveName(context: Context, name: string): Operand {
  if (!NAMES.test(name)) throw new FilterError(`failed to resolve field "${name}"`)
  const path = name.split('.')
  if (path[0] === '@request') return resolveRequest(context, path.slice(1))
  if (path[0] === '@collection') return resolveCollection(context, path[1]!, path.slice(2), name)
  return resolvePath(context, path, { row: context.base, all: false, lenient: false })
}

/** Resolves `@collection.name.…`, a path from any record of a collection. Each alias joins its own record. */
function resolveCollection(context: Context, source: string, path: readonly string[], name: string): Operand {
  const [nameOrId = ''] = source.split(':')
  const collection = context.catalog.find(nameOrId)
  if (!collection) throw new FilterError(`failed to load collection "${source}" from field path "${name}"`)
  const from = () => ({ from: table(collection), ...inInsertionOrder(collection) })
  const alias = source.slice(nameOrId.length)
  const at = context.scope.join(`@collection.${collection.id}${alias}`, null, true, from)
  const row = reach(context, collection, { collection, at, nullable: true })
  return resolvePath(context, path, { row, all: true, lenient: false })
}

const dateText = (ms: number) => new Date(ms).toISOString().replace('T', ' ')
const DAY_MS = 86_400_000

const start = (now: Date, month = now.getUTCMonth(), day = now.getUTCDate()) =>
  Date.UTC(now.getUTCFullYear(), month, day)

const ANY_TIME = new Date(0)

/** Date macros, all in UTC. PocketBase: tools/search/identifier_macros.go */
export const MACROS: ReadonlyMap<string, (now: Date) => Scalar> = new Map<string, (now: Date) => Scalar>([
  ['@now', (now) => dateText(now.getTime())],
  ['@yesterday', (now) => dateText(now.getTime() - DAY_MS)],
  ['@tomorrow', (now) => dateText(now.getTime() + DAY_MS)],
  ['@second', (now) => BigInt(now.getUTCSeconds())],
  ['@minute', (now) => BigInt(now.getUTCMinutes())],
  ['@hour', (now) => BigInt(now.getUTCHours())],
  ['@day', (now) => BigInt(now.getUTCDate())],
  ['@month', (now) => BigInt(now.getUTCMonth() + 1)],
  ['@weekday', (now) => BigInt(now.getUTCDay())],
  ['@year', (now) => BigInt(now.getUTCFullYear())],
  ['@todayStart', (now) => dateText(start(now))],
  ['@todayEnd', (now) => dateText(start(now) + DAY_MS - 1)],
  ['@monthStart', (now) => dateText(start(now, now.getUTCMonth(), 1))],
  ['@monthEnd', (now) => dateText(start(now, now.getUTCMonth() + 1, 1) - 1)],
  ['@yearStart', (now) => dateText(start(now, 0, 1))],
  ['@yearEnd', (now) => dateText(start(now, 12, 1) - 1)],
])
