import { type Catalog, type Collection, columnName, tableName } from '../collections/catalog.ts'
import { uniqueIndexOf } from '../collections/sqlite/index-expression.ts'
import { countedColumns } from '../collections/views/view-fields.ts'
import { cleanText } from '../fields/cast.ts'
import {
  type Field,
  isMulti,
  isMultiCapable,
  type RelationField,
  sqlType,
  type Value,
} from '../fields/field.ts'
import { fieldType } from '../fields/field-types.ts'
import { type Affinity, type Expression, expression, FORMS, type Operand, type Storage } from './operand.ts'
import { FilterError } from './parse.ts'
import {
  columnOf,
  type Input,
  type JoinedRow,
  type JoinSource,
  param,
  ROWID,
  type Scope,
  SELECT,
  type Sql,
  sql,
} from './sql.ts'

export interface FilterRow {
  readonly collection: Collection
  readonly at: JoinedRow | null
  readonly nullable: boolean
  readonly list?: Sql
  /** For a record known before the query (the caller's or a new one): its values, which become parameters. */
  readonly values?: (input: Input) => Readonly<Record<string, Value>>
  /** Whether the record is not stored yet. Its columns then have no affinity. */
  readonly isNew?: boolean
}

export const table = (collection: Collection): Sql => [{ kind: 'table', name: tableName(collection) }]

function column({ at, values }: FilterRow, field: Field): Sql {
  if (!values) return [columnOf(at, columnName(field.name))]
  return param(sqlType(field), (input) => {
    const value = values(input)[field.name] ?? fieldType(field).zero(field)
    return typeof value === 'string' ? cleanText(value) : value
  })
}

const STORAGE: Partial<Record<Field['type'], Storage>> = {
  number: 'number',
  bool: 'bool',
  json: 'json',
  geoPoint: 'geo',
}

function storageOf(field: Field): Storage {
  return isMulti(field) ? 'list' : (STORAGE[field.type] ?? 'text')
}

/** The affinity of a field's column in PocketBase's table or view. */
function affinityOf({ collection, isNew }: FilterRow, field: Field): Affinity {
  if (isNew) return 'none'
  const isCounted = collection.type === 'view' && field.type === 'number'
  if (isCounted && countedColumns(collection.viewQuery).has(field.name)) return 'none'
  const storage = storageOf(field)
  if (storage === 'text') return 'text'
  return storage === 'json' ? 'none' : 'numeric'
}

/** Rows that a client's filter or sort joins. Their listRules must accept them. */
export type ReachedRows = Map<JoinedRow, Collection>

export interface Context {
  readonly catalog: Catalog
  readonly auth: Collection | undefined
  readonly scope: Scope
  readonly base: FilterRow
  /** Rows that an ordinary client's filter joins; null for a rule or a superuser's filter. Contract 2.9. */
  readonly reached: ReachedRows | null
  /** Whether literals come from a client's filter, so that they may differ in each request. */
  readonly isClient: boolean
}

/** The context inside a subquery. Rows joined there need no listRules: the outer query tests them. */
export const subqueryContext = (context: Context): Context => ({
  ...context,
  scope: context.scope.inner(),
  reached: context.reached && new Map(),
})

/** Paths with equal keys share a join. Joins from the caller's record begin with `auth.`. */
const keyOf = ({ values, isNew }: FilterRow, name: string): string =>
  values && !isNew ? `auth.${name}` : name

const joinedRow = (collection: Collection, at: JoinedRow): FilterRow => ({ collection, at, nullable: true })

export const inInsertionOrder = (collection: Collection): Pick<JoinSource, 'order'> =>
  collection.type === 'view' ? {} : { order: (alias) => [columnOf(alias, ROWID)] }

/** Joins the values of a list column in order: a row for each, or one NULL row for an empty list. */
function joinValues({ scope }: Context, row: FilterRow, field: Field): JoinedRow {
  const list = column(row, field)
  return scope.join(keyOf(row, `${field.name}[]`), row.at, true, () => ({
    from: sql`LATERAL unnest(${list}) WITH ORDINALITY`,
    columns: '(value, ord)',
    order: (alias) => sql`${alias}.ord`,
  }))
}

/** Joins a relation's records. `OFFSET 0` makes Postgres look each up by id: 27 ms instead of 875. */
export function joinRelation(context: Context, row: FilterRow, field: RelationField, target: Collection) {
  if (isMulti(field)) {
    const values = joinValues(context, row, field)
    const from = sql`LATERAL (${SELECT}t.* FROM ${table(target)} t WHERE t."id" = ${values}.value OFFSET 0)`
    const at = context.scope.join('value', values, false, () => ({ from }))
    return { ...joinedRow(target, at), list: column(row, field) }
  }
  const id = column(row, field)
  const on = (alias: JoinedRow) => sql`${columnOf(alias, 'id')} = ${id}`
  const source = () => ({ from: table(target), on })
  const at = context.scope.join(keyOf(row, field.name), row.at, false, source)
  return joinedRow(target, at)
}

/** Joins the records whose `field` refers to `row`. At most one if the field has a unique index. */
export function joinBack(context: Context, row: FilterRow, collection: Collection, field: RelationField) {
  const id = column(row, context.catalog.field(row.collection, 'id')!)
  const on = (alias: JoinedRow) => {
    const reference = column(joinedRow(collection, alias), field)
    return isMulti(field) ? sql`${reference} @> ARRAY[${id}]` : sql`${reference} = ${id}`
  }
  const unique = uniqueIndexOf(collection.indexes, field.name)
  const many = isMulti(field) || !unique || unique.where !== ''
  const source = () => ({ from: table(collection), on, ...inInsertionOrder(collection) })
  const key = keyOf(row, `${collection.name}_via_${field.name}`)
  return joinedRow(collection, context.scope.join(key, row.at, many, source))
}

const MODIFIERS = ['each', 'length', 'lower', 'isset', 'changed'] as const
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
  const operand = guarded
    ? { ...plain, guard: column(row, context.catalog.field(row.collection, 'emailVisibility')!) }
    : plain
  return modifier === 'lower' ? lowered(operand) : operand
}

const ofRow = ({ nullable, at }: FilterRow) => ({ nullable, rows: at ? [at] : [] })

function plainOperand(row: FilterRow, field: Field, all: boolean): Expression {
  const { isNew, list, at } = row
  const element = field.name === 'id' && list && at ? { list, row: at } : undefined
  const isDate = field.type === 'date' || field.type === 'autodate'
  const stored = storageOf(field)
  // in SQLite, a new record's number is REAL, while a column stores whole numbers as INTEGER
  const storage = isNew && stored === 'number' ? 'real' : stored
  const rest = { affinity: affinityOf(row, field), all, isDate, ...(element && { element }) }
  return expression(column(row, field), storage, { ...ofRow(row), ...rest })
}

/** A value inside a json or geoPoint field, or the whole field for an empty path. */
export function jsonOperand(row: FilterRow, field: Field, path: readonly string[], all: boolean): Expression {
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
