import { cleanText } from '../../platform/tools/clean-text.ts'
import { type Field, isMulti, isMultiCapable } from '../fields/field.ts'
import { findFieldStorage } from '../fields/field-types.ts'
import { type Context, type FilterRow, findAffinity, writeRowColumn } from './filter-row.ts'
import { joinValues } from './join.ts'
import { makeKnownValue } from './known-value.ts'
import { type Expression, FORMS, makeExpression, type Operand } from './operand.ts'
import { FilterError } from './parse-filter.ts'
import { makeParam, type Sql, sql } from './sql-pieces.ts'

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
  if (modifier === 'length' && isMultiCapable(field)) return makeLengthOperand(row, field, all)
  if (modifier === 'each' && isMultiCapable(field)) return makeEachOperand(context, row, field, all)
  const plain =
    findFieldStorage(field) === 'json'
      ? makeJsonOperand(row, field, [], all)
      : makePlainOperand(row, field, all)
  const guarded = context.reached && field.name === 'email' && row.collection.type === 'auth'
  const operand = guarded
    ? {
        ...plain,
        guard: writeRowColumn(row, context.catalog.field(row.collection, 'emailVisibility')!),
      }
    : plain
  if (modifier === 'fold') return { ...operand, isFolded: true }
  return modifier === 'lower' ? lowerExpression(operand) : operand
}

const pickRowTraits = ({ nullable, at }: FilterRow) => ({ nullable, rows: at ? [at] : [] })

function makePlainOperand(row: FilterRow, field: Field, all: boolean): Expression {
  const { known, list, at } = row
  const element = field.name === 'id' && list && at ? { list, row: at } : undefined
  const isDate = field.type === 'date' || field.type === 'autodate'
  const stored = findFieldStorage(field)
  // in SQLite, a new record's number is REAL, while a column stores whole numbers as INTEGER
  const storage = known === 'candidate' && stored === 'number' ? 'real' : stored
  const rest = { affinity: findAffinity(row, field), all, isDate, ...(element && { element }) }
  return makeExpression(writeRowColumn(row, field), storage, { ...pickRowTraits(row), ...rest })
}

/** A value inside a field's JSON, or the whole field for an empty path. */
export function makeJsonOperand(
  row: FilterRow,
  field: Field,
  path: readonly string[],
  all: boolean,
): Expression {
  const { json, text } = extractJsonPath(writeRowColumn(row, field), path)
  return makeExpression(json, 'json', {
    ...pickRowTraits(row),
    text,
    fallback: 'off',
    nullable: true,
    all,
  })
}

function makeLengthOperand(row: FilterRow, field: Field, all: boolean): Operand {
  const part = writeRowColumn(row, field)
  const length = isMulti(field)
    ? sql`coalesce(cardinality(${part}), 0)`
    : sql`(CASE WHEN ${part} <> '' THEN 1 ELSE 0 END)`
  return makeExpression(length, 'integer', { nullable: false, all })
}

/** The operand of `:each`: a list's values, each joined as a row, or a single value as it is. */
function makeEachOperand(context: Context, row: FilterRow, field: Field, all: boolean): Operand {
  if (!isMulti(field)) return { ...makePlainOperand(row, field, all), affinity: 'none' }
  const values = joinValues(context, row, field)
  const element = { list: writeRowColumn(row, field), row: values }
  return makeExpression(sql`${values}.value`, 'text', { rows: [values], all: true, element })
}

function lowerExpression(operand: Expression): Operand {
  const text = FORMS[operand.storage].text(operand.sql)
  return { ...operand, affinity: 'none', storage: 'text', sql: sql`lower(${text} COLLATE "C")` }
}

const INDEX = /^\d+$/
const MAX_INDEX = 2 ** 31 - 1

/** A step of a path without its percent-encoding; '' if that is no UTF-8. */
function decodeStep(step: string): string {
  try {
    return cleanText(decodeURIComponent(step))
  } catch {
    return ''
  }
}

const makeFixedParam = (cast: string, value: unknown): Sql =>
  makeParam(cast, makeKnownValue({ kind: 'constant', value }))

/**
 * SQL of the JSON value at a path; NULL if absent. A number in the path is a list index, never a key, unless
 * a digit is percent-encoded. Throws a FilterError for an empty step. PocketBase: inflector.Columnify
 */
function extractJsonPath(column: Sql, path: readonly string[]): { json: Sql; text: Sql } {
  let value = column
  let keys: string[] = []
  const flush = () => {
    if (keys.length > 0) value = sql`(${value} #> ${makeFixedParam('text[]', keys)})`
    keys = []
  }
  for (const step of path) {
    const key = decodeStep(step.replaceAll(':', ''))
    if (key === '') throw new FilterError(`bad JSON path: "${path.join('.')}"`)
    if (INDEX.test(step)) {
      flush()
      const index = makeFixedParam('int', Math.min(Number(key), MAX_INDEX))
      value = sql`(CASE WHEN json_typeof(${value}) = 'array' THEN ${value} -> ${index} END)`
    } else keys.push(key)
  }
  const text = sql`(${value} #>> ${makeFixedParam('text[]', keys)}) COLLATE "C"`
  flush()
  return { json: value, text }
}
