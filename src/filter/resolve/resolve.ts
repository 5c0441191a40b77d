import { constantOf, FORMS, keyword, type Operand, parameter } from '../compare/operand.ts'
import { FilterError } from '../errors.ts'
import type { Literal, Token } from '../parse/tree.ts'
import { asNumeric, numberParam, type Scalar, SELECT, type Sql, sql } from '../sql/sql.ts'
import { NUMBER, TEXT } from '../sql/traits.ts'
import { callOperand, type FunctionBuilder, isLiteral, reworded } from './call.ts'
import { inInsertionOrder } from './joins.ts'
import { reach, resolvePath } from './path.ts'
import { resolveRequest } from './request-path.ts'
import { type Context, table } from './row.ts'
import { strftime } from './strftime.ts'

const EARTH_KM = 6371

/** `geoDistance(lonA, latA, lonB, latB)` in kilometres. */
const geoDistance: FunctionBuilder = (context, args, resolve) => {
  if (args.length !== 4) throw new FilterError(`[geoDistance] expected 4 arguments, got ${args.length}`)
  const operands = args.map((arg, i) => {
    if (arg.kind !== 'identifier' && !isLiteral(arg, 'number'))
      throw new FilterError(`[geoDistance] argument ${i} must be an identifier or number`)
    const explain = (cause: string) => `[geoDistance] failed to resolve argument ${i}: ${cause}`
    return reworded(() => resolve(context, arg), explain)
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
  // Postgres' cosine refuses infinity, which '1e999' gives
  return sql`nullif(abs(${number}), 'Infinity') * sign(${number})`
}

/** The functions of the filter language. PocketBase: tools/search/token_functions.go. Contract 2.8. */
const FUNCTIONS: ReadonlyMap<string, FunctionBuilder> = new Map([
  ['geoDistance', geoDistance],
  ['strftime', strftime],
])

/** Names that may be resolved at all. PocketBase: core/record_field_resolver.go, allowedFields */
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
    return make(context, token.args, resolveToken)
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

/** Resolves a path that starts at any record of a collection. Each alias joins a record of its own. */
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
