import { callOperand, type FunctionBuilder, isLiteral, rewordFilterError } from './function-call.ts'
import { convertValue } from './known-value.ts'
import { FORMS, type Operand } from './operand.ts'
import { FilterError } from './parse-filter.ts'
import { makeNumberParam, SELECT, type Sql, sql } from './sql-pieces.ts'

const EARTH_KM = 6371

/** The function `geoDistance(lonA, latA, lonB, latB)`, in kilometres. */
export const buildGeoDistance: FunctionBuilder = (args, resolve) => {
  if (args.length !== 4)
    throw new FilterError(`[geoDistance] expected 4 arguments, got ${args.length}`)
  const operands = args.map((arg, i) => {
    if (arg.kind !== 'identifier' && !isLiteral(arg, 'number'))
      throw new FilterError(`[geoDistance] argument ${i} must be an identifier or number`)
    const explain = (cause: string) => `[geoDistance] failed to resolve argument ${i}: ${cause}`
    return rewordFilterError(() => resolve(arg), explain)
  })
  const build = (four: readonly Operand[]) => writeDistance(four.map(toDegrees))
  return callOperand(operands, build, { storage: 'real', fallback: 'off' })
}

function writeDistance(degrees: readonly Sql[]): Sql {
  const [lonA = [], latA = [], lonB = [], latB = []] = degrees.map((one) => sql`radians(${one})`)
  const cosine = sql`cos(${latA}) * cos(${latB}) * cos(${lonB} - ${lonA}) + sin(${latA}) * sin(${latB})`
  return sql`(${SELECT}${String(EARTH_KM)} * acos(least(1, greatest(-1, c.v))) FROM (${SELECT}${cosine} v) c WHERE c.v IS NOT NULL)`
}

function toDegrees(operand: Operand): Sql {
  if (operand.kind === 'known') return makeNumberParam(convertValue(operand.value, 'numeric'))
  const form = FORMS[operand.storage]
  if (form.number) return sql`${form.number(operand.sql)}::float8`
  const number =
    operand.storage === 'json'
      ? sql`pb_json_numeric(${operand.sql})`
      : sql`pb_numeric(${form.text(operand.sql)})`
  // Postgres' cosine refuses infinity, which a text such as '1e999' becomes
  return sql`nullif(abs(${number}), 'Infinity') * sign(${number})`
}
