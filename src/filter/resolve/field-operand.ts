import { type Field, isMulti, isMultiCapable } from '../../fields/field.ts'
import { type Expression, FORMS, type Operand } from '../compare/operand.ts'
import { FilterError } from '../errors.ts'
import { param, type Sql, sql } from '../sql/sql.ts'
import { joinValues } from './joins.ts'
import { affinityOf, type Context, column, type FilterRow, storageOf } from './row.ts'

export type Modifier = '' | 'each' | 'length' | 'lower' | 'isset' | 'changed'

const MODIFIERS = new Set<string>(['each', 'length', 'lower', 'isset', 'changed'])

/** `name:lower` → name and modifier. Throws a FilterError for an unknown one. */
export function splitModifier(name: string): [name: string, modifier: Modifier] {
  const parts = name.split(':')
  if (parts.length !== 2) return [name, '']
  if (!MODIFIERS.has(parts[1]!)) throw new FilterError(`unknown modifier in "${name}"`)
  return [parts[0]!, parts[1] as Modifier]
}

/** The operand of a row's field with a modifier; a modifier that does not fit the field is ignored. */
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

function expression(
  row: FilterRow,
  part: Sql,
  rest: Pick<Expression, 'storage'> & Partial<Expression>,
): Expression {
  return {
    kind: 'expression',
    sql: part,
    affinity: 'none',
    fallback: 'auto',
    all: false,
    nullable: row.nullable,
    rows: row.at ? [row.at] : [],
    ...rest,
  }
}

function plainOperand(row: FilterRow, field: Field, all: boolean): Expression {
  const { isNew, list, at } = row
  const element = field.name === 'id' && list && at ? { list, row: at } : undefined
  const isDate = field.type === 'date' || field.type === 'autodate'
  const stored = storageOf(field)
  // SQLite: a new record's number is REAL; a column stores whole numbers as INTEGER
  const storage = isNew && stored === 'number' ? 'real' : stored
  const rest = { affinity: affinityOf(row, field), storage, all, isDate, ...(element && { element }) }
  return expression(row, column(row, field), rest)
}

/** A value inside a json or geoPoint field; the whole field for an empty path. */
export function jsonOperand(row: FilterRow, field: Field, path: readonly string[], all: boolean): Expression {
  const { json, text } = extract(column(row, field), readSteps(path))
  return expression(row, json, { storage: 'json', text, fallback: 'off', nullable: true, all })
}

function lengthOperand(row: FilterRow, field: Field, all: boolean): Operand {
  const part = column(row, field)
  const length = isMulti(field)
    ? sql`coalesce(cardinality(${part}), 0)`
    : sql`(CASE WHEN ${part} <> '' THEN 1 ELSE 0 END)`
  return expression(row, length, { storage: 'integer', nullable: false, rows: [], all })
}

/** The operand of `:each`: a list's values, joined as one row each, or a single value as it is. */
function eachOperand(context: Context, row: FilterRow, field: Field, all: boolean): Operand {
  if (!isMulti(field)) return { ...plainOperand(row, field, all), affinity: 'none' }
  const values = joinValues(context, row, field)
  const at: FilterRow = { collection: row.collection, at: values, nullable: true }
  const element = { list: column(row, field), row: values }
  return expression(at, sql`${values}.value`, { storage: 'text', all: true, element })
}

function lowered(operand: Expression): Operand {
  const text = FORMS[operand.storage].text(operand.sql)
  return { ...operand, affinity: 'none', storage: 'text', sql: sql`lower(${text} COLLATE "C")` }
}

function visibleEmail({ catalog }: Context, row: FilterRow): Sql {
  const field = catalog.field(row.collection, 'emailVisibility')
  if (!field) throw new FilterError('non-filterable field "email"')
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

const fixed = (cast: string, value: unknown): Sql => param(cast, () => value)

/** SQL of the JSON value at a path; NULL if absent. A number in the path is a list index, never a key. */
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
