import type { Field, FieldTypeName, RelationField } from '../../fields/field.ts'
import { isMulti, isMultiCapable } from '../../fields/field.ts'
import { toText, toTexts } from '../../fields/values/cast.ts'
import { writeSorted } from '../../fields/values/json-text.ts'
import type { AuthRecord } from '../../request/request.ts'
import { memoize } from '../../tools/memoize.ts'
import { likePattern } from '../compare/like.ts'
import { type Expression, keyword, known, type Operand, word } from '../compare/operand.ts'
import { compare } from '../compare/operators.ts'
import { FilterError } from '../errors.ts'
import { and, writeCondition } from '../sql/condition.ts'
import type { Slot } from '../sql/facts.ts'
import type { Input } from '../sql/input.ts'
import { goText, kindOf, type Scalar } from '../sql/scalar.ts'
import { columnOf, sql } from '../sql/sql.ts'
import type { Context } from './context.ts'
import { loweredKnown } from './field-operand.ts'
import { type Modifier, splitModifier } from './modifier.ts'
import { reach, resolvePath } from './path.ts'
import { type RowOfValues, table } from './row.ts'

/** Fields of `@request.auth` that are request values; others are read like a relation. */
const AUTH_VALUES = new Set(['id', 'collectionId', 'collectionName', 'email', 'emailVisibility', 'verified'])

/** Resolves `@request.…`. Throws a FilterError. Contract 6.3. PocketBase: record_field_resolver.go */
export function resolveRequest(context: Context, path: readonly string[]): Operand {
  const [root = '', key = ''] = path
  if (root === 'auth') return resolveAuth(context, path)
  if (root === 'body') {
    const [name, modifier] = splitModifier(key)
    const field = context.catalog.field(context.base.collection, name)
    if (field) return resolveBodyField(context, path, field, modifier)
  }
  return resolveValue(context, path)
}

function resolveAuth(context: Context, path: readonly string[]): Operand {
  const id = context.facts.ask(({ request }) => request.auth?.collection.id ?? null)
  const collection = id === null ? undefined : context.catalog.find(id)
  if (!collection) return keyword(null)
  if (path.length === 2 && AUTH_VALUES.has(path[1]!)) return resolveValue(context, path)
  const row: RowOfValues = {
    kind: 'known',
    collection,
    inTable: true,
    value:
      ({ name }) =>
      ({ request }) =>
        request.auth?.values[name] ?? null,
  }
  return resolvePath(context, path.slice(1), {
    row: reach(context, collection, row),
    all: false,
    lenient: true,
  })
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
  if (modifier === 'lower') return loweredKnown(parameter((input) => toText(value(input))))
  if (modifier === 'changed') return changed(context, field)
  return resolveValue(context, path)
}

/** Any value as a list; undefined and null are empty. */
const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === null || value === undefined ? [] : [value]

const bodyLength = (value: (input: Input) => unknown): Operand =>
  known((input) => BigInt(listOf(value(input)).length), { keyword: true })

function bodyValues(context: Context, field: Field): Operand {
  const list: Slot = ({ request }) => writeSorted(listOf(request.body[field.name]))
  const param = context.facts.param(list, 'json', (text) => text)
  const row = context.scope.join(`body.${field.name}[]`, null, true, () => ({
    from: sql`json_array_elements(${param}) WITH ORDINALITY`,
    columns: '(value, ord)',
    order: (alias) => sql`${alias}.ord`,
  }))
  const operand: Expression = {
    kind: 'expression',
    sql: sql`${row}.value`,
    storage: 'json',
    affinity: 'none',
    fallback: 'auto',
    params: [list],
    nullable: true,
    rows: [row],
    all: isMulti(field),
  }
  return operand
}

/** A path from the records that a request submits in a relation of the base. */
function resolveBodyRelation(context: Context, path: readonly string[], field: RelationField): Operand {
  const target = context.catalog.find(field.collectionId)
  if (!target)
    throw new FilterError(`failed to load collection "${field.collectionId}" from data field "${field.name}"`)
  const ids = ({ request }: Input) => toTexts(request.body[field.name] ?? null)
  if (context.facts.ask((input) => ids(input).length === 0)) return keyword(null)
  const list: Slot = (input) => JSON.stringify(ids(input))
  const param = context.facts.param(list, 'text[]', (text) => JSON.parse(String(text)))
  const at = context.scope.join(`body.${field.name}`, null, true, () => ({
    from: table(target),
    on: (alias) => sql`${columnOf(alias, 'id')} = ANY(${param})`,
  }))
  const row = { kind: 'table', collection: target, at, nullable: true } as const
  return resolvePath(context, path.slice(2), { row, all: isMulti(field), lenient: true })
}

/** Whether the request submits a value that differs from the stored one. */
function changed(context: Context, field: Field): Operand {
  const isSet = resolveValue(context, ['body', `${field.name}:isset`])
  const submitted = resolveValue(context, ['body', field.name])
  const stored = resolvePath(context, [field.name], { row: context.base, all: false, lenient: false })
  const condition = and([
    compare(context.facts, '=', isSet, keyword(1n)),
    compare(context.facts, '!=', submitted, stored),
  ])
  if (condition.kind === 'constant') {
    const value = condition.value ? 1n : 0n
    return known(() => value, { fallback: 'off' })
  }
  return {
    kind: 'expression',
    sql: sql`(${writeCondition(condition)})`,
    storage: 'bool',
    affinity: 'none',
    fallback: 'off',
    params: [],
    nullable: false,
    rows: [],
    all: false,
  }
}

export const parameter = (slot: Slot) =>
  known(slot, { params: [slot], pattern: (input) => likePattern(goText(slot(input))) })

function resolveValue(context: Context, path: readonly string[]): Operand {
  const [last, modifier] = splitModifier(path.at(-1)!)
  const [root = '', ...keys] = path.with(-1, last)
  if (modifier === 'isset') return word(context.facts.ask((input) => lookUp(input, root, keys) !== undefined))
  if (modifier !== '' && modifier !== 'lower')
    throw new FilterError(`invalid modifier sequence ${last}:${modifier}`)
  const type = context.catalog.field(context.base.collection, last)?.type
  const slot: Slot = (input) => requestScalar(lookUp(input, root, keys), type)
  if (context.facts.ask((input) => kindOf(slot(input)) === 'null')) return keyword(null)
  return modifier === 'lower' ? loweredKnown(parameter(slot)) : parameter(slot)
}

/** The value at a path of the request; undefined if absent. */
function lookUp({ request }: Input, root: string, keys: readonly string[]): unknown {
  const { auth } = request
  let value: unknown = root === 'auth' ? auth && authValues(auth) : request[root as 'body']
  for (const key of keys) {
    if (typeof value !== 'object' || value === null) return undefined
    if (Array.isArray(value) ? !/^\+?\d+$/.test(key) : !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[Array.isArray(value) ? Number(key) : key]
  }
  return value
}

const authValues = memoize(
  ({ id, collection, values }: AuthRecord): Record<string, unknown> => ({
    ...values,
    id,
    collectionId: collection.id,
    collectionName: collection.name,
  }),
)

const NUMBER = /^[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?$/i

/** Lists and objects as JSON. A text is a number if the collection has a number field of that name. */
function requestScalar(value: unknown, type: FieldTypeName | undefined): Scalar {
  if (value === undefined || value === null) return null
  if (typeof value === 'string')
    return type === 'number' && NUMBER.test(value) && Number.isFinite(Number(value)) ? Number(value) : value
  if (typeof value === 'number' || typeof value === 'boolean') return value
  // Keeps the key order of stored points, to compare with them.
  return type === 'geoPoint' ? JSON.stringify(value) : writeSorted(value)
}
