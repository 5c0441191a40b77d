import { type Collection, splitBackRelation } from '../collections/catalog.ts'
import { uniqueIndexOf } from '../collections/sqlite/index-expression.ts'
import { toText, toTexts } from '../fields/cast.ts'
import {
  type Field,
  type FieldTypeName,
  isMulti,
  isMultiCapable,
  type RelationField,
} from '../fields/field.ts'
import { writeSorted } from '../fields/json-text.ts'
import { and, leaf, writeCondition } from './condition.ts'
import { constantOf, countOf, expression, keyword, type Operand, parameter, word } from './operand.ts'
import { compare } from './operators.ts'
import { FilterError } from './parse.ts'
import {
  type Context,
  type FilterRow,
  fieldOperand,
  joinBack,
  joinRelation,
  jsonOperand,
  type Modifier,
  splitModifier,
  table,
} from './row.ts'
import {
  asText,
  columnOf,
  flagParam,
  type Input,
  lowerAscii,
  param,
  type Scalar,
  type Slot,
  sql,
} from './sql.ts'
import { MIXED, NUMBER, TEXT } from './traits.ts'

/** Maximum relations in a path. PocketBase: maxNestedRels in core/record_field_resolver_runner.go */
const MAX_RELATIONS = 6

interface Start {
  readonly row: FilterRow
  readonly all: boolean
  readonly lenient: boolean
}

/** Resolves a path like `device.user.name`: joins rows on its way, returns the last field. Contract 2.1. */
export function resolvePath(context: Context, path: readonly string[], start: Start): Operand {
  try {
    return walk(context, path, start)
  } catch (error) {
    if (start.lenient && error instanceof Missing) return keyword(null)
    throw error
  }
}

class Missing extends FilterError {}

function walk(context: Context, path: readonly string[], start: Start): Operand {
  let { row, all } = start
  for (const [i, name] of path.entries()) {
    if (i === path.length - 1) return lastOperand(context, row, name, all)
    const field = filterable(context, row, name)
    if (field?.type === 'json' || field?.type === 'geoPoint')
      return jsonOperand(row, field, path.slice(i + 1), all)
    if (i >= MAX_RELATIONS) throw new FilterError(`max nested relations reached for field "${name}"`)
    if (!field) {
      const [collection, back] = backRelation(context, row, name)
      row = reach(context, collection, joinBack(context, row, collection, back))
      all ||= isMulti(back) || !uniqueIndexOf(collection.indexes, back.name)
      continue
    }
    if (field.type !== 'relation') throw new FilterError(`field "${name}" is not a valid relation`)
    // `relation.id` is read from the relation's own column, which also works if the record is deleted
    if (!isMulti(field) && i === path.length - 2 && path[i + 1] === 'id')
      return lastOperand(context, row, name, all)
    const target = context.catalog.find(field.collectionId)
    if (!target) throw new FilterError(`failed to load field "${name}" collection`)
    row = reach(context, target, joinRelation(context, row, field, target))
    all ||= isMulti(field)
  }
  throw new FilterError(`failed to resolve field "${path.join('.')}"`)
}

function filterable({ catalog, reached }: Context, row: FilterRow, name: string): Field | undefined {
  const field = catalog.field(row.collection, name)
  if (field?.hidden && reached) throw new FilterError(`non-filterable field "${name}"`)
  return field
}

function lastOperand(context: Context, row: FilterRow, name: string, all: boolean): Operand {
  const [fieldName, modifier] = splitModifier(name)
  const field = filterable(context, row, fieldName)
  if (!field) throw new Missing(`unknown field "${fieldName}"`)
  return fieldOperand(context, row, field, modifier, all)
}

function backRelation(
  { catalog, reached }: Context,
  row: FilterRow,
  name: string,
): [Collection, RelationField] {
  const [collectionName, fieldName] = splitBackRelation(name) ?? ['', '']
  if (!collectionName) throw new Missing(`failed to resolve field "${name}"`)
  const collection = catalog.find(collectionName)
  if (!collection) throw new Missing(`failed to load back relation field "${name}" collection`)
  const field = catalog.field(collection, fieldName)
  if (!field) throw new Missing(`missing back relation field "${fieldName}"`)
  if (field.type !== 'relation') throw new Missing(`invalid back relation field "${fieldName}"`)
  if (field.hidden && reached) throw new FilterError(`non-filterable back relation field "${fieldName}"`)
  if (field.collectionId !== row.collection.id || row.isNew)
    throw new Missing(`invalid collection reference of a back relation field "${fieldName}"`)
  return [collection, field]
}

/** Notes that a client's path reaches a row of `collection`. Throws FilterError if the listRule is null. */
export function reach({ reached }: Context, collection: Collection, row: FilterRow): FilterRow {
  if (!reached) return row
  if (collection.listRule === null) {
    throw new FilterError(
      `"${collection.name}" fields can be accessed only when allowHiddenFields is enabled or by superusers`,
    )
  }
  if (row.at) reached.set(row.at, collection)
  return row
}

const valuesOf = ({ request }: Input) => request.auth?.values ?? {}
const authValue =
  (name: string): Slot =>
  (input) =>
    requestScalar(valuesOf(input)[name], undefined)

/** Fields of `@request.auth` that are plain values. Other fields are resolved like those of a relation. */
const AUTH_VALUES = new Map<string, (auth: Collection) => Operand>([
  ['id', () => parameter(({ request }) => request.auth?.id ?? null, TEXT)],
  ['collectionId', ({ id }) => constantOf(id)],
  ['collectionName', ({ name }) => constantOf(name)],
  ['email', () => parameter(authValue('email'), MIXED)],
  ['emailVisibility', () => parameter(authValue('emailVisibility'), NUMBER)],
  ['verified', () => parameter(authValue('verified'), NUMBER)],
])

/** Resolves `@request.…`. Throws a FilterError. Contract 6.3. PocketBase: record_field_resolver.go */
export function resolveRequest(context: Context, path: readonly string[]): Operand {
  const [root = '', key = ''] = path
  if (root === 'auth') return resolveAuth(context, path.slice(1))
  if (root === 'body') {
    const [name, modifier] = splitModifier(key)
    const field = context.catalog.field(context.base.collection, name)
    if (field) return resolveBodyField(context, path, field, modifier)
  }
  return resolveValue(context, path)
}

function resolveAuth(context: Context, path: readonly string[]): Operand {
  const { auth } = context
  if (!auth) return keyword(null)
  const value = path.length === 1 && AUTH_VALUES.get(path[0]!)
  if (value) return value(auth)
  const row = reach(context, auth, { collection: auth, at: null, nullable: false, values: valuesOf })
  return resolvePath(context, path, { row, all: false, lenient: true })
}

function resolveBodyField(context: Context, path: readonly string[], field: Field, modifier: Modifier) {
  if (field.type === 'relation' && path.length > 2) return resolveBodyRelation(context, path, field)
  if (path.length > 2) return resolveValue(context, path)
  const value = ({ request }: Input) => request.body[field.name]
  if (modifier === 'each' || modifier === 'length') {
    if (!isMultiCapable(field))
      throw new FilterError(`field "${field.name}" doesn't support multivalue operations`)
    return modifier === 'each' ? bodyValues(context, field) : bodyLength(value)
  }
  if (modifier === 'lower') return lowered((input) => toText(value(input)))
  if (modifier === 'changed') return changed(context, field)
  return resolveValue(context, path)
}

const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === null || value === undefined ? [] : [value]

const bodyLength = (value: (input: Input) => unknown): Operand =>
  countOf((input) => BigInt(listOf(value(input)).length))

function bodyValues(context: Context, field: Field): Operand {
  const list: Slot = ({ request }) => writeSorted(listOf(request.body[field.name]))
  const row = context.scope.join(`body.${field.name}[]`, null, true, () => ({
    from: sql`json_array_elements(${param('json', list)}) WITH ORDINALITY`,
    columns: '(value, ord)',
    order: (alias) => sql`${alias}.ord`,
  }))
  return expression(sql`${row}.value`, 'json', { isEmpty: false, rows: [row], all: isMulti(field) })
}

/** Resolves `@request.body.relation.…`: a path that starts at the records whose ids the body has. */
function resolveBodyRelation(context: Context, path: readonly string[], field: RelationField): Operand {
  const target = context.catalog.find(field.collectionId)
  if (!target)
    throw new FilterError(`failed to load collection "${field.collectionId}" from data field "${field.name}"`)
  const ids = ({ request }: Input) => toTexts(request.body[field.name] ?? null)
  const at = context.scope.join(`body.${field.name}`, null, true, () => ({
    from: table(target),
    on: (alias) => sql`${columnOf(alias, 'id')} = ANY(${param('text[]', ids)})`,
  }))
  const row = { collection: target, at, nullable: true }
  return resolvePath(context, path.slice(2), { row, all: isMulti(field), lenient: true })
}

function changed(context: Context, field: Field): Operand {
  const isSet = flagParam(({ request }) => lookUp(request.body, [field.name]) !== undefined)
  const submitted = resolveValue(context, ['body', field.name])
  const stored = resolvePath(context, [field.name], { row: context.base, all: false, lenient: false })
  const condition = and([leaf(isSet), compare('!=', submitted, stored)])
  return expression(sql`(${writeCondition(condition)})`, 'bool', { fallback: 'off', nullable: false })
}

const lowered = (slot: Slot): Operand =>
  parameter(lowerSlot(slot), MIXED, { pattern: lowerSlot(parameter(slot, MIXED).pattern!) })

const lowerSlot =
  (slot: Slot): Slot =>
  (input) => {
    const text = asText(slot(input))
    return text === null ? null : lowerAscii(text)
  }

function resolveValue(context: Context, path: readonly string[]): Operand {
  const [last, modifier] = splitModifier(path.at(-1)!)
  const [root = '', ...keys] = path.with(-1, last)
  const value = ({ request }: Input) =>
    lookUp(root === 'headers' ? request.headers() : request[root as 'body'], keys)
  if (modifier === 'isset') return word((input) => (value(input) === undefined ? 0n : 1n))
  if (modifier !== '' && modifier !== 'lower')
    throw new FilterError(`invalid modifier sequence ${last}:${modifier}`)
  const type = context.catalog.field(context.base.collection, last)?.type
  const slot: Slot = (input) => requestScalar(value(input), type)
  if (modifier === 'lower') return lowered(slot)
  return parameter(slot, keys.length > 0 ? MIXED : TEXT)
}

function lookUp(value: unknown, keys: readonly string[]): unknown {
  for (const key of keys) {
    if (typeof value !== 'object' || value === null) return undefined
    if (Array.isArray(value) ? !/^\+?\d+$/.test(key) : !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[Array.isArray(value) ? Number(key) : key]
  }
  return value
}

const NUMERIC = /^[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?$/i

/** A request value; lists and objects as JSON text. For a number field, numeric text becomes a number. */
function requestScalar(value: unknown, type: FieldTypeName | undefined): Scalar {
  if (value === undefined || value === null) return null
  if (typeof value === 'string')
    return type === 'number' && NUMERIC.test(value) && Number.isFinite(Number(value)) ? Number(value) : value
  if (typeof value === 'number' || typeof value === 'boolean') return value
  // a geoPoint keeps its key order, to equal stored points
  return type === 'geoPoint' ? JSON.stringify(value) : writeSorted(value)
}
