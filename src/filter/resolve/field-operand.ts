import { type Field, isMulti, isMultiCapable } from '../../fields/field.ts'
import { type Expression, type Known, known, type Operand } from '../compare/operand.ts'
import { FORMS } from '../compare/storage.ts'
import { FilterError } from '../errors.ts'
import type { Slot } from '../sql/facts.ts'
import { asText, lowerAscii, type Scalar, storedNumber } from '../sql/scalar.ts'
import { type JoinedRow, type Param, type Sql, sql } from '../sql/sql.ts'
import type { Context } from './context.ts'
import { joinValues } from './joins.ts'
import type { Modifier } from './modifier.ts'
import {
  affinityOf,
  column,
  type FilterRow,
  fieldSlot,
  type RowOfValues,
  storageOf,
  type TableRow,
} from './row.ts'

/** The end of a path: a row's field under a modifier. Modifiers that do not fit the field are ignored. */
export function fieldOperand(
  context: Context,
  row: FilterRow,
  field: Field,
  modifier: Modifier,
  all: boolean,
): Operand {
  if (modifier === 'length' && isMultiCapable(field)) return lengthOperand(row, field, all)
  if (modifier === 'each' && isMultiCapable(field)) return eachOperand(context, row, field, all)
  const plain = field.type === 'json' ? jsonOperand(row, field, [], all) : plainOperand(row, field, all)
  const guarded = context.reached && field.name === 'email' && row.collection.type === 'auth'
  const operand = guarded ? { ...plain, guard: visibleEmail(context, row) } : plain
  return modifier === 'lower' ? lowered(operand) : operand
}

const rowsOf = (row: TableRow): JoinedRow[] => (row.at ? [row.at] : [])

function expression(
  row: TableRow,
  part: Sql,
  rest: Pick<Expression, 'storage'> & Partial<Expression>,
): Expression {
  return {
    kind: 'expression',
    sql: part,
    affinity: 'none',
    fallback: 'auto',
    params: [],
    all: false,
    nullable: row.nullable,
    rows: rowsOf(row),
    ...rest,
  }
}

function plainOperand(row: FilterRow, field: Field, all: boolean): Operand {
  const affinity = affinityOf(row.collection, field)
  if (row.kind === 'table') {
    const element = field.name === 'id' && row.list && row.at ? { list: row.list, row: row.at } : undefined
    const isDate = field.type === 'date' || field.type === 'autodate'
    const rest = { affinity, storage: storageOf(field), all, isDate, ...(element && { element }) }
    return expression(row, column(row, field), rest)
  }
  return known(fieldSlot(row, field), { affinity: row.inTable ? affinity : 'none', all })
}

/** A value inside a json or geoPoint field; the whole field for an empty path. */
export function jsonOperand(row: FilterRow, field: Field, path: readonly string[], all: boolean): Operand {
  const steps = readSteps(path)
  if (row.kind === 'known') return known(knownJson(row, field, steps), { fallback: 'off', all })
  const { json, text } = extract(column(row, field), steps)
  return expression(row, json, { storage: 'json', text, fallback: 'off', nullable: true, all })
}

function knownJson(row: RowOfValues, field: Field, steps: readonly Step[]): Slot {
  const value = row.value(field)
  return (input) => jsonScalar(extractKnown(asText(value(input) as Scalar), steps))
}

/** A JSON value as SQLite's json_extract gives it. */
function jsonScalar(value: unknown): Scalar {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'number') return storedNumber(value)
  return typeof value === 'boolean' ? BigInt(value) : JSON.stringify(value)
}

function lengthOperand(row: FilterRow, field: Field, all: boolean): Operand {
  if (row.kind === 'known') {
    const value = row.value(field)
    return known((input) => BigInt(count(value(input))), { all })
  }
  const part = column(row, field)
  const length = isMulti(field)
    ? sql`coalesce(cardinality(${part}), 0)`
    : sql`(CASE WHEN ${part} <> '' THEN 1 ELSE 0 END)`
  return expression(row, length, { storage: 'integer', nullable: false, rows: [], all })
}

const count = (value: unknown) => (Array.isArray(value) ? value.length : value ? 1 : 0)

/** Each value of a list, one per row; a single value is a list of one. */
function eachOperand(context: Context, row: FilterRow, field: Field, all: boolean): Operand {
  if (!isMulti(field)) return { ...plainOperand(row, field, all), affinity: 'none' }
  const values = joinValues(context, row, field)
  const at: TableRow = { kind: 'table', collection: row.collection, at: values, nullable: true }
  const element = row.kind === 'table' ? { list: column(row, field), row: values } : undefined
  return expression(at, sql`${values}.value`, { storage: 'text', all: true, ...(element && { element }) })
}

function lowered(operand: Operand): Operand {
  if (operand.kind === 'known') return loweredKnown(operand)
  const text = FORMS[operand.storage].text(operand.sql)
  return { ...operand, affinity: 'none', storage: 'text', sql: sql`lower(${text} COLLATE "C")` }
}

const lowerSlot =
  (slot: Slot): Slot =>
  (input) => {
    const text = asText(slot(input))
    return text === null ? null : lowerAscii(text)
  }

/** `LOWER()` of a known value and of its pattern. */
export const loweredKnown = (operand: Known): Known => ({
  ...operand,
  affinity: 'none',
  slot: lowerSlot(operand.slot),
  ...(operand.pattern && { pattern: lowerSlot(operand.pattern) }),
})

function visibleEmail({ catalog }: Context, row: FilterRow): Sql {
  const field = catalog.field(row.collection, 'emailVisibility')
  if (!field || row.kind === 'known') throw new FilterError('non-filterable field "email"')
  return column(row, field)
}

const INDEX = /^\d+$/
const MAX_INDEX = 2 ** 31 - 1

/** A step into a JSON value: an object's key or a list's index. */
type Step = { readonly key: string } | { readonly index: number }

/** The steps of a path. Throws a FilterError for an empty one. PocketBase: inflector.Columnify */
function readSteps(path: readonly string[]): Step[] {
  return path.map((segment) => {
    const key = segment.replaceAll(':', '')
    if (key === '') throw new FilterError(`bad JSON path: "${path.join('.')}"`)
    return INDEX.test(segment) ? { index: Math.min(Number(key), MAX_INDEX) } : { key }
  })
}

const fixed = (cast: string, value: unknown): Param => ({ kind: 'param', cast, bind: () => value })

/** The JSON value at a path of a column; NULL if absent. A number is only a list index. */
function extract(column: Sql, steps: readonly Step[]): { json: Sql; text: Sql } {
  let value = column
  let keys: string[] = []
  const flush = () => {
    if (keys.length > 0) value = sql`(${value} #> ${fixed('text[]', keys)})`
    keys = []
  }
  for (const step of steps) {
    if ('key' in step) keys.push(step.key)
    else {
      flush()
      value = sql`(CASE WHEN json_typeof(${value}) = 'array' THEN ${value} -> ${fixed('int', step.index)} END)`
    }
  }
  const text = sql`(${value} #>> ${fixed('text[]', keys)}) COLLATE "C"`
  flush()
  return { json: value, text }
}

/** The value at a path of a JSON text that is known when the filter is compiled. */
function extractKnown(json: string | null, steps: readonly Step[]): unknown {
  let value: unknown = json === null ? null : JSON.parse(json)
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return null
    if ('index' in step) value = Array.isArray(value) ? value[step.index] : null
    else
      value = Array.isArray(value) ? null : Object.hasOwn(value, step.key) ? (value as never)[step.key] : null
  }
  return value ?? null
}
