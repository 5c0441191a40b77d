import { makeFieldError } from '../../platform/api-errors.ts'
import type { Catalog } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { OAUTH2_PROVIDERS } from '../collections/definition/oauth2-providers.ts'
import type { RelationField, TextField, Value } from '../fields/field.ts'
import { listChosenTexts } from '../fields/field-types.ts'
import { KEY_PATTERN } from '../fields/scalar-types.ts'
import { columnsOf, type Values } from './record-row.ts'
import { LINKED_COLLECTIONS } from './revoke-sign-ins.ts'
import type { Checked } from './write-in-progress.ts'

export function addIntegrityConditions(
  checked: Checked,
  catalog: Catalog,
  collection: Collection,
  values: Readonly<Values>,
  old: Readonly<Values> | undefined,
): void {
  const { errors } = checked
  for (const field of collection.fields) {
    const { name } = field
    if (field.type === 'relation' && !errors[name])
      addRelationCheck(checked, catalog, field, values[name]!, old)
    if (old || field.type !== 'text' || !field.primaryKey) continue
    // an id with a custom pattern is tested for uniqueness even if it is invalid
    if (!errors[name] || field.pattern !== KEY_PATTERN)
      addUniqueKeyCheck(checked, catalog, collection, field, String(values[name]))
  }
  const isLinked = (LINKED_COLLECTIONS as readonly string[]).includes(collection.name)
  if (isLinked && Object.keys(errors).length === 0)
    addOwnerCheck(checked, catalog, collection, values)
}

/** Adds the condition that related records exist. Skips ids in `old`: these records may be deleted by now. */
function addRelationCheck(
  { errors, conditions, parameters }: Checked,
  catalog: Catalog,
  { name: field, collectionId }: RelationField,
  value: Value,
  old: Readonly<Values> | undefined,
): void {
  const known = new Set(listChosenTexts(old?.[field] ?? ''))
  const ids = listChosenTexts(value).filter((id) => !known.has(id))
  if (ids.length === 0) return
  const target = catalog.find(collectionId)
  if (!target) {
    errors[field] = NO_TARGET
    return
  }
  const { table } = columnsOf(target)
  const sql =
    ids.length === 1
      ? `exists (select 1 from ${table} r where r.id = ${parameters.add(ids[0])})`
      : `(select count(*) from ${table} r where r.id = any(${parameters.add(ids, 'text[]')})) = ${parameters.add(ids.length, 'integer')}`
  conditions.push({ field, error: NO_RECORDS, sql, late: false })
}

const NO_TARGET = makeFieldError(
  'validation_missing_rel_collection',
  'Relation connection is missing or cannot be accessed',
)
const NO_RECORDS = makeFieldError(
  'validation_missing_rel_records',
  'Failed to find all relation records with the provided ids',
)

/**
 * Adds conditions that an id is free. Ignores case if the field has a custom pattern. The id of an auth
 * record must be free in all auth collections.
 */
function addUniqueKeyCheck(
  { conditions, parameters }: Checked,
  catalog: Catalog,
  collection: Collection,
  { name: field, pattern }: TextField,
  id: string,
): void {
  if (pattern !== KEY_PATTERN) {
    const sql = `not exists (select 1 from ${columnsOf(collection).table} r where lower(r.id) = lower(${parameters.add(id)} collate "C"))`
    conditions.push({ field, error: NOT_FREE, sql, late: false })
  }
  if (collection.type !== 'auth') return
  for (const other of catalog.all) {
    if (other.type !== 'auth' || other.id === collection.id) continue
    const sql = `not exists (select 1 from ${columnsOf(other).table} r where r.id = ${parameters.add(id)})`
    conditions.push({ field, error: NOT_UNIQUE, sql, late: true })
  }
}

const NOT_FREE = makeFieldError(
  'validation_pk_invalid',
  'The record primary key is invalid or already exists',
)
const NOT_UNIQUE = makeFieldError(
  'validation_invalid_auth_id',
  'Invalid or duplicated auth record id',
)

function addOwnerCheck(
  { errors, conditions, parameters }: Checked,
  catalog: Catalog,
  { name }: Collection,
  { collectionRef, recordRef, provider }: Readonly<Values>,
): void {
  const owner = catalog.find(String(collectionRef))
  if (!owner || owner.id !== collectionRef || owner.type !== 'auth') {
    errors.collectionRef = owner?.id === collectionRef ? NOT_AUTH : NO_COLLECTION
    return
  }
  const sql = `exists (select 1 from ${columnsOf(owner).table} r where r.id = ${parameters.add(recordRef)})`
  conditions.push({ field: 'recordRef', error: NO_OWNER, sql, late: true })
  // reports an unknown provider only if the auth record exists, so that there is one error at most
  if (name === '_externalAuths' && !OAUTH2_PROVIDERS.has(String(provider)))
    conditions.push({ field: 'provider', error: NO_PROVIDER, sql: `not ${sql}`, late: true })
}

const NO_COLLECTION = makeFieldError(
  'validation_invalid_collection_id',
  'Missing or invalid collection',
)
const NOT_AUTH = makeFieldError(
  'validation_invalid_collection_type',
  'Invalid collection type - must be auth',
)
const NO_OWNER = makeFieldError('validation_invalid_record', 'Missing or invalid record')
const NO_PROVIDER = makeFieldError('validation_in_invalid', 'Must be a valid value')
