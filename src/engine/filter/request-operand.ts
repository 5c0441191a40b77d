import type { Collection } from '../collections/collection.ts'
import { type Field, isMulti, isMultiCapable, type RelationField } from '../fields/field.ts'
import { findFieldStorage } from '../fields/field-types.ts'
import { compareOperands } from './compare-operands.ts'
import { joinByAnd, makeLeaf, writeCondition } from './condition.ts'
import { type Modifier, splitModifier } from './field-operand.ts'
import { type Context, writeTable } from './filter-row.ts'
import {
  convertValue,
  type KnownValue,
  makeKnownValue,
  type RequestPart,
  type ValueSource,
} from './known-value.ts'
import { MIXED, NUMBER_TRAITS, TEXT_TRAITS } from './literal-traits.ts'
import {
  makeConstant,
  makeExpression,
  makeIssetResult,
  makeKeyword,
  makeNumberOperand,
  makeParameter,
  type Operand,
} from './operand.ts'
import { FilterError } from './parse-filter.ts'
import { recordReachedRow, resolvePath } from './resolve-path.ts'
import { makeColumn, makeParam, sql } from './sql-pieces.ts'

const lowerOperand = (value: KnownValue): Operand =>
  makeParameter(convertValue(value, 'lower'), MIXED, {
    pattern: convertValue(value, 'pattern', 'lower'),
  })

/** Resolves a path into a part of the request. Its name was checked: see NAMES in resolve-token.ts. */
function resolveValue(context: Context, path: readonly string[]): Operand {
  const [last, modifier] = splitModifier(path.at(-1)!)
  const [root = '', ...keys] = path.with(-1, last)
  const value = makeKnownValue({ kind: root as RequestPart, keys })
  if (modifier === 'isset') return makeIssetResult(convertValue(value, 'isset'))
  if (modifier !== '' && modifier !== 'lower')
    throw new FilterError(`invalid modifier sequence ${last}:${modifier}`)
  const field = context.catalog.field(context.base.collection, last)
  const storage = field && findFieldStorage(field)
  const scalar = convertValue(
    value,
    storage === 'number' ? 'numberScalar' : storage === 'geo' ? 'geoScalar' : 'scalar',
  )
  if (modifier === 'lower') return lowerOperand(scalar)
  return makeParameter(scalar, keys.length > 0 ? MIXED : TEXT_TRAITS)
}

function resolveBodyField(
  context: Context,
  path: readonly string[],
  field: Field,
  modifier: Modifier,
) {
  if (field.type === 'relation' && path.length > 2) return resolveBodyRelation(context, path, field)
  if (path.length > 2) return resolveValue(context, path)
  const source = findBodySource(field)
  if (modifier === 'each' || modifier === 'length') {
    if (!isMultiCapable(field))
      throw new FilterError(`field "${field.name}" doesn't support multivalue operations`)
    return modifier === 'each'
      ? makeBodyValues(context, field)
      : makeNumberOperand(makeKnownValue(source, 'listLength'))
  }
  if (modifier === 'lower') return lowerOperand(makeKnownValue(source, 'fieldText'))
  if (modifier === 'changed') return makeChangedTest(context, field)
  return resolveValue(context, path)
}

const findBodySource = ({ name }: Field): ValueSource => ({ kind: 'body', keys: [name] })

function makeBodyValues(context: Context, field: Field): Operand {
  const list = makeKnownValue(findBodySource(field), 'jsonList')
  const row = context.scope.join(`body.${field.name}[]`, null, true, () => ({
    from: sql`json_array_elements(${makeParam('json', list)}) WITH ORDINALITY`,
    columns: '(value, ord)',
    order: (alias) => sql`${alias}.ord`,
  }))
  return makeExpression(sql`${row}.value`, 'json', {
    isEmpty: false,
    rows: [row],
    all: isMulti(field),
  })
}

/** Resolves `@request.body.relation.…`: a path that starts at the records whose ids the body has. */
function resolveBodyRelation(
  context: Context,
  path: readonly string[],
  field: RelationField,
): Operand {
  const target = context.catalog.find(field.collectionId)
  if (!target)
    throw new FilterError(
      `failed to load collection "${field.collectionId}" from data field "${field.name}"`,
    )
  const ids = makeKnownValue(findBodySource(field), 'ids')
  const at = context.scope.join(`body.${field.name}`, null, true, () => ({
    from: writeTable(target),
    on: (alias) => sql`${makeColumn(alias, 'id')} = ANY(${makeParam('text[]', ids)})`,
  }))
  const row = { collection: target, at, nullable: true }
  return resolvePath(context, path.slice(2), { row, all: isMulti(field), lenient: true })
}

function makeChangedTest(context: Context, field: Field): Operand {
  const isSet = makeParam('bool', makeKnownValue(findBodySource(field), 'isPresent'))
  const submitted = resolveValue(context, ['body', field.name])
  const stored = resolvePath(context, [field.name], {
    row: context.base,
    all: false,
    lenient: false,
  })
  const condition = joinByAnd([makeLeaf(isSet), compareOperands('!=', submitted, stored)])
  return makeExpression(sql`(${writeCondition(condition)})`, 'bool', {
    fallback: 'off',
    nullable: false,
  })
}

const makeAuthValue = (field: string) =>
  makeKnownValue({ kind: 'auth', field, absent: null }, 'scalar')

/** Fields of `@request.auth` that are plain values. Other fields are resolved like those of a relation. */
const AUTH_VALUES = new Map<string, (auth: Collection) => Operand>([
  ['id', () => makeParameter(makeAuthValue('id'), TEXT_TRAITS)],
  ['collectionId', ({ id }) => makeConstant(id)],
  ['collectionName', ({ name }) => makeConstant(name)],
  ['email', () => makeParameter(makeAuthValue('email'), MIXED)],
  ['emailVisibility', () => makeParameter(makeAuthValue('emailVisibility'), NUMBER_TRAITS)],
  ['verified', () => makeParameter(makeAuthValue('verified'), NUMBER_TRAITS)],
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
  if (!auth) return makeKeyword(null)
  const value = path.length === 1 && AUTH_VALUES.get(path[0]!)
  if (value) return value(auth)
  const row = recordReachedRow(context, auth, {
    collection: auth,
    at: null,
    nullable: false,
    known: 'auth',
  })
  return resolvePath(context, path, { row, all: false, lenient: true })
}
