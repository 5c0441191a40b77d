import type { Collection } from '../collections/collection.ts'
import type { Field, Value } from '../fields/field.ts'
import { fieldType } from '../fields/types.ts'
import { changeRequest } from '../filter/late-request.ts'
import type { RequestInfo } from '../filter/request.ts'
import { setterOf } from './setters.ts'

/** Values of a record by field name. */
export type Values = Record<string, Value>

/** A body laid over a record. */
export interface Prepared {
  /** The record that would be. */
  readonly values: Values
  /** The body as rules see it: modifiers resolved, known fields with the value they come to. */
  readonly body: Readonly<Record<string, unknown>>
  /** New passwords in plain text by field name, `''` for one that is taken away. In `values` they wait to be hashed. */
  readonly passwords: Readonly<Record<string, string>>
}

/** A record of the collection that has no values yet. */
export function blankValues(collection: Collection): Values {
  const values: Values = {}
  for (const field of collection.fields) values[field.name] = fieldType(field).zero(field)
  return values
}

/** True if what a body comes to depends on the record that it changes. */
export const needsOldValues = (collection: Collection, body: Readonly<Record<string, unknown>>) =>
  Object.keys(body).some((key) => setterOf(collection, key)?.needsOld)

/**
 * Lays a body over `base`: the shortest keys first, each modifier on the result of those before it. Unknown keys
 * stay in the body for the rules and mean nothing else. Hidden fields are only for superusers, but for the
 * password of an auth record. PocketBase: core/record_model.go, ReplaceModifiers; apis/record_crud.go; contract 4.2
 */
export function prepare(
  collection: Collection,
  base: Readonly<Values>,
  raw: Readonly<Record<string, unknown>>,
  isSuperuser: boolean,
): Prepared {
  const values: Values = { ...base }
  const body: Record<string, unknown> = { ...raw }
  const passwords: Record<string, string> = {}
  for (const key of Object.keys(raw).sort((a, b) => a.length - b.length)) {
    const setter = setterOf(collection, key)
    if (!setter) continue
    const { field } = setter
    delete body[key]
    if (!isSuperuser && isClosed(collection, field)) continue
    const value = setter.set(values[field.name]!, raw[key])
    values[field.name] = value
    body[field.name] = ruleValue(field, value)
    if (field.type === 'password') passwords[field.name] = value as string
  }
  return { values, body, passwords }
}

const isClosed = (collection: Collection, field: Field) =>
  field.hidden && !(collection.type === 'auth' && field.name === 'password')

/** A value as `@request.body` has it: JSON as an object where rules can look into it, else as its text. */
function ruleValue(field: Field, value: Value): unknown {
  if (field.type === 'geoPoint') return JSON.parse(value as string)
  if (field.type !== 'json') return value
  const text = (value as string | null) ?? 'null'
  return /^[[{]/.test(text) ? JSON.parse(text) : text
}

/** The request with another body; its headers are still only read when a rule asks for them. */
export const withBody = (request: RequestInfo, body: Readonly<Record<string, unknown>>): RequestInfo =>
  changeRequest(request, { body })
