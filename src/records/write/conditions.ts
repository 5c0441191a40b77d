import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { OAUTH2_PROVIDERS } from '../../collections/definition/oauth2-providers.ts'
import { quote, tableName } from '../../collections/names.ts'
import { type FieldError, fieldError } from '../../errors.ts'
import type { RelationField, TextField } from '../../fields/field.ts'
import { chosenTexts } from '../../fields/types/choice.ts'
import { KEY_PATTERN } from '../../fields/values/record-key.ts'
import { LINKED_COLLECTIONS } from '../auth/auth-links.ts'
import type { FieldErrors } from '../input/validate.ts'
import type { Values } from '../input/values.ts'
import type { Parameters, SqlCondition } from '../parameters.ts'

/** A condition on a record that only the database can test. */
export interface WriteCondition {
  readonly field: string
  readonly error: FieldError
  readonly sql: SqlCondition
  /** Tested only if everything else is valid. */
  readonly late: boolean
}

/**
 * Conditions on a record's values: related records exist, the id is free. Fields with an error in `errors`
 * are skipped; a relation without a target adds one. PocketBase: core/field_relation.go
 */
export function writeConditionsOf(
  catalog: Catalog,
  collection: Collection,
  values: Readonly<Values>,
  isNew: boolean,
  errors: FieldErrors,
): WriteCondition[] {
  const conditions: WriteCondition[] = []
  for (const field of collection.fields) {
    // Whether an id of an own pattern is free is tested before its other conditions.
    const isOwnKey = isNew && field.type === 'text' && field.primaryKey && field.pattern !== KEY_PATTERN
    if (errors[field.name] && !isOwnKey) continue
    if (field.type === 'relation')
      conditions.push(...related(catalog, field, chosenTexts(values[field.name]!), errors))
    else if (isNew && field.type === 'text' && field.primaryKey) {
      conditions.push(...freeKey(catalog, collection, field, String(values[field.name])))
    }
  }
  if (Object.keys(errors).length > 0) return conditions
  return [...conditions, ...linkConditions(catalog, collection, values, errors)]
}

function related(
  catalog: Catalog,
  field: RelationField,
  ids: readonly string[],
  errors: FieldErrors,
): WriteCondition[] {
  if (ids.length === 0) return []
  const target = catalog.find(field.collectionId)
  if (!target) {
    errors[field.name] = fieldError(
      'validation_missing_rel_collection',
      'Relation connection is missing or cannot be accessed',
    )
    return []
  }
  const error = fieldError(
    'validation_missing_rel_records',
    'Failed to find all relation records with the provided ids',
  )
  const table = quote(tableName(target))
  const sql = (parameters: Parameters) =>
    ids.length === 1
      ? `exists (select 1 from ${table} r where r.id = ${parameters.add(ids[0])})`
      : `(select count(*) from ${table} r where r.id = any(${parameters.add(ids, 'text[]')})) = ${parameters.add(ids.length, 'integer')}`
  return [{ field: field.name, error, sql, late: false }]
}

/** An own id must differ by more than case; an auth record's id is unique across collections. */
function freeKey(catalog: Catalog, collection: Collection, field: TextField, id: string): WriteCondition[] {
  const conditions: WriteCondition[] = []
  if (field.pattern !== KEY_PATTERN) {
    const table = quote(tableName(collection))
    conditions.push({
      field: field.name,
      error: fieldError('validation_pk_invalid', 'The record primary key is invalid or already exists'),
      sql: (parameters) =>
        `not exists (select 1 from ${table} r where lower(r.id) = lower(${parameters.add(id)} collate "C"))`,
      late: false,
    })
  }
  if (collection.type !== 'auth') return conditions
  const others = catalog.all.filter((other) => other.type === 'auth' && other.id !== collection.id)
  return [...conditions, ...others.map((other) => freeElsewhere(other, field, id))]
}

const freeElsewhere = (other: Collection, field: TextField, id: string): WriteCondition => ({
  field: field.name,
  error: fieldError('validation_invalid_auth_id', 'Invalid or duplicated auth record id'),
  sql: (parameters) =>
    `not exists (select 1 from ${quote(tableName(other))} r where r.id = ${parameters.add(id)})`,
  late: true,
})

const NO_COLLECTION = fieldError('validation_invalid_collection_id', 'Missing or invalid collection')
const NOT_AUTH = fieldError('validation_invalid_collection_type', 'Invalid collection type - must be auth')

/**
 * Conditions on a record that names its owner by `collectionRef` and `recordRef`: the owner and its provider
 * exist. Only the first error; the collection's goes into `errors`. PocketBase: core/auth_origin_model.go,
 * recordRefHooks; core/external_auth_model.go
 */
function linkConditions(
  catalog: Catalog,
  collection: Collection,
  { collectionRef, recordRef, provider }: Readonly<Values>,
  errors: FieldErrors,
): WriteCondition[] {
  if (!(LINKED_COLLECTIONS as readonly string[]).includes(collection.name)) return []
  const owner = catalog.find(String(collectionRef))
  if (!owner || owner.id !== collectionRef || owner.type !== 'auth') {
    errors.collectionRef = owner?.id === collectionRef ? NOT_AUTH : NO_COLLECTION
    return []
  }
  const exists = (parameters: Parameters) =>
    `exists (select 1 from ${quote(tableName(owner))} r where r.id = ${parameters.add(recordRef)})`
  const missing = fieldError('validation_invalid_record', 'Missing or invalid record')
  const hasOwner: WriteCondition = { field: 'recordRef', error: missing, sql: exists, late: true }
  if (collection.name !== '_externalAuths' || isProvider(String(provider))) return [hasOwner]
  const unknown = fieldError('validation_in_invalid', 'Must be a valid value')
  // Fails where the other condition holds, so that there is one error.
  const noProvider = (parameters: Parameters) => `not ${exists(parameters)}`
  return [hasOwner, { field: 'provider', error: unknown, sql: noProvider, late: true }]
}

const isProvider = (name: string) => OAUTH2_PROVIDERS.some(([known]) => known === name)
