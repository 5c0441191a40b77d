import type { Operand } from '../compare/operand.ts'
import { FORMS } from '../compare/storage.ts'
import { FilterError } from '../errors.ts'
import type { Facts } from '../sql/facts.ts'
import type { Sql } from '../sql/sql.ts'
import { SELECT, sql } from '../sql/sql.ts'
import { callOperand, type FunctionBuilder, isLiteral, withErrorPrefix } from './call.ts'

const EARTH_KM = 6371

/** `geoDistance(lonA, latA, lonB, latB)` in kilometres. Postgres' acos fails above 1, SQLite's gives NULL. */
export const geoDistance: FunctionBuilder = (context, args, resolve) => {
  if (args.length !== 4) throw new FilterError(`[geoDistance] expected 4 arguments, got ${args.length}`)
  const operands = args.map((arg, i) => {
    if (arg.kind !== 'identifier' && !isLiteral(arg, 'number')) {
      throw new FilterError(`[geoDistance] argument ${i} must be an identifier or number`)
    }
    return withErrorPrefix(`[geoDistance] failed to resolve argument ${i}`, () => resolve(context, arg))
  })
  return callOperand(operands, (four) => distance(four.map((one) => degrees(context.facts, one))), {
    storage: 'real',
    fallback: 'off',
  })
}

function distance(degrees: readonly Sql[]): Sql {
  const [lonA = [], latA = [], lonB = [], latB = []] = degrees.map((one) => sql`radians(${one})`)
  const cosine = sql`cos(${latA}) * cos(${latB}) * cos(${lonB} - ${lonA}) + sin(${latA}) * sin(${latB})`
  return sql`(${SELECT}CASE WHEN c.v BETWEEN -1 AND 1 THEN ${String(EARTH_KM)} * acos(c.v) END FROM (${SELECT}${cosine} v) c)`
}

/** A number, or NULL. SQLite also takes numeric texts. */
function degrees(facts: Facts, operand: Operand): Sql {
  if (operand.kind === 'known') {
    const slot = facts.converted(operand.slot, 'numeric')
    return facts.kind(slot) === 'number' ? [facts.number(slot)] : ['NULL::float8']
  }
  const form = FORMS[operand.storage]
  if (form.number) return sql`${form.number(operand.sql)}::float8`
  const number =
    operand.storage === 'json'
      ? sql`pb_json_numeric(${operand.sql})`
      : sql`pb_numeric(${form.text(operand.sql)})`
  // '1e999' is infinite, which Postgres' cosine refuses.
  return sql`nullif(abs(${number}), 'Infinity') * sign(${number})`
}
