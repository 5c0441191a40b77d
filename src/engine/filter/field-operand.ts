import { type Field, isMulti, isMultiCapable } from '../fields/field.ts'
import { findFieldStorage } from '../fields/field-types.ts'
import { joinValues } from './join.ts'
import { type Expression, expression, FORMS, type Operand } from './operand.ts'
import { FilterError } from './parse.ts'
import { type Context, column, type FilterRow, findAffinity } from './row.ts'
import { param, type Sql, sql } from './sql.ts'

const MODIFIERS = ['each', 'length', 'lower', 'fold', 'isset', 'changed'] as const
export type Modifier = '' | (typeof MODIFIERS)[number]

/** Splits `name:lower` into name and modifier. Throws a FilterError for an unknown modifier. */
export function splitModifier(name: string): [name: string, modifier: Modifier] {
  const [plain = '', text, ...more] = name.split(':')
  if (text === undefined || more.length > 0) return [name, '']
  const modifier = MODIFIERS.find((one) => one === text)
  if (!modifier) throw new FilterError(`unknown modifier in "${name}"`)
  return [plain, modifier]
}

/** The operand of a field with a modifier. A modifier that does not fit the field is ignored. */
export function makeFieldOperand(
  context: Context,
  row: FilterRow,
  field: Field,
  modifier: Modifier,
  all: boolean,
): Operand {
  if (modifier === 'length' && isMultiCapable(field)) return lengthOperand(row, field, all)
  if (modifier === 'each' && isMultiCapable(field)) return eachOperand(context, row, field, all)
  const plain =
    findFieldStorage(field) === 'json'
      ? makeJsonOperand(row, field, [], all)
      : plainOperand(row, field, all)
  const guarded = context.reached && field.name === 'email' && row.collection.type === 'auth'
  const operand = guarded
    ? { ...plain, guard: column(row, context.catalog.field(row.collection, 'emailVisibility')!) }
    : plain
  if (modifier === 'fold') return { ...operand, isFolded: true }
  return modifier === 'lower' ? lowered(operand) : operand
}

const ofRow = ({ nullable, at }: FilterRow) => ({ nullable, rows: at ? [at] : [] })

function plainOperand(row: FilterRow, field: Field, all: boolean): Expression {
  const { isNew, list, at } = row
  const element = field.name === 'id' && list && at ? { list, row: at } : undefined
  const isDate = field.type === 'date' || field.type === 'autodate'
  const stored = findFieldStorage(field)
  // in SQLite, a new record's number is REAL, while a column stores whole numbers as INTEGER
  const storage = isNew && stored === 'number' ? 'real' : stored
  const rest = { affinity: findAffinity(row, field), all, isDate, ...(element && { element }) }
  return expression(column(row, field), storage, { ...ofRow(row), ...rest })
}

/** A value inside a field's JSON, or the whole field for an empty path. */
export function makeJsonOperand(
  row: FilterRow,
  field: Field,
  path: readonly string[],
  all: boolean,
): Expression {
  const { json, text } = extract(column(row, field), path)
  return expression(json, 'json', { ...ofRow(row), text, fallback: 'off', nullable: true, all })
}

function lengthOperand(row: FilterRow, field: Field, all: boolean): Operand {
  const part = column(row, field)
  const length = isMulti(field)
    ? sql`coalesce(cardinality(${part}), 0)`
    : sql`(CASE WHEN ${part} <> '' THEN 1 ELSE 0 END)`
  return expression(length, 'integer', { nullable: false, all })
}

/** The operand of `:each`: a list's values, each joined as a row, or a single value as it is. */
function eachOperand(context: Context, row: FilterRow, field: Field, all: boolean): Operand {
  if (!isMulti(field)) return { ...plainOperand(row, field, all), affinity: 'none' }
  const values = joinValues(context, row, field)
  const element = { list: column(row, field), row: values }
  return expression(sql`${values}.value`, 'text', { rows: [values], all: true, element })
}

function lowered(operand: Expression): Operand {
  const text = FORMS[operand.storage].text(operand.sql)
  return { ...operand, affinity: 'none', storage: 'text', sql: sql`lower(${text} COLLATE "C")` }
}

const INDEX = /^\d+$/
const MAX_INDEX = 2 ** 31 - 1

const fixed = (cast: string, value: unknown): Sql => param(cast, () => value)

/**
 * SQL of the JSON value at a path; NULL if absent. A number in the path is a list index, never a key.
 * Throws a FilterError for an empty step. PocketBase: inflector.Columnify
 */
function extract(column: Sql, path: readonly string[]): { json: Sql; text: Sql } {
  let value = column
  let keys: string[] = []
  const flush = () => {
    if (keys.length > 0) value = sql`(${value} #> ${fixed('text[]', keys)})`
    keys = []
  }
  for (const step of path) {
    const key = step.replaceAll(':', '')
    if (key === '') throw new FilterError(`bad JSON path: "${path.join('.')}"`)
    if (INDEX.test(step)) {
      flush()
      const index = fixed('int', Math.min(Number(key), MAX_INDEX))
      value = sql`(CASE WHEN json_typeof(${value}) = 'array' THEN ${value} -> ${index} END)`
    } else keys.push(key)
  }
  const text = sql`(${value} #>> ${fixed('text[]', keys)}) COLLATE "C"`
  flush()
  return { json: value, text }
}
