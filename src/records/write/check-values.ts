import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { OAUTH2_PROVIDERS } from '../../collections/definition/oauth2-providers.ts'
import { quote, tableName } from '../../collections/names.ts'
import { type FieldError, fieldError } from '../../errors.ts'
import type { RelationField, TextField } from '../../fields/field.ts'
import { generateText } from '../../fields/types/autogenerate.ts'
import { chosenTexts } from '../../fields/types/choice.ts'
import { now } from '../../fields/types/date.ts'
import { KEY_PATTERN } from '../../fields/values/record-key.ts'
import { LINKED_COLLECTIONS } from '../auth/auth-links.ts'
import type { Values } from '../columns.ts'
import { type FieldErrors, validate } from '../input/validate.ts'
import { Parameters } from '../parameters.ts'
import type { Write } from './prepare-write.ts'

/** A condition on a record that only the database can test. */
interface WriteCondition {
  readonly field: string
  readonly error: FieldError
  readonly sql: string
  /** Tested only if everything else is valid. */
  readonly late: boolean
}

/** The result of checking a record's values: known errors, and conditions for the database to test. */
export interface Checked {
  readonly errors: FieldErrors
  readonly conditions: WriteCondition[]
  /** Parameters of the write's guard, then of the conditions. */
  readonly parameters: Parameters
}

/** Adds the values that the server sets, and checks all. */
export function checkValues(write: Write, values: Values = write.values): Checked {
  const { store, collection, stored, options, guard, uploads, unreadable } = write
  const time = now()
  for (const field of collection.fields) {
    if (field.type === 'autodate' && (stored ? field.onUpdate : field.onCreate)) values[field.name] = time
    else if (stored || field.type !== 'text') continue
    else if (field.autogeneratePattern && values[field.name] === '')
      values[field.name] = generateText(field.autogeneratePattern)
  }
  const passwords = options.hasRandomPassword ? {} : write.passwords
  const old = stored && { old: stored.old }
  const errors = validate(collection, { values, passwords, uploads, unreadable, ...old })
  const checked = { errors, conditions: [], parameters: new Parameters(guard.params) }
  addConditions(checked, store.catalog, collection, values, stored?.old)
  return checked
}

/**
 * Adds the conditions: related records exist, the id is free. Fields with an error are skipped; a relation
 * without a target adds one. Ids that are stored already (`old`) may be those of deleted lines and senders.
 * PocketBase: core/field_relation.go
 */
function addConditions(
  checked: Checked,
  catalog: Catalog,
  collection: Collection,
  values: Readonly<Values>,
  old: Readonly<Values> | undefined,
): void {
  const { errors } = checked
  const isNew = old === undefined
  const unstored = (name: string) => {
    const known = new Set(chosenTexts(old?.[name] ?? ''))
    return chosenTexts(values[name]!).filter((id) => !known.has(id))
  }
  for (const field of collection.fields) {
    // For ids with a custom pattern, uniqueness is tested before other conditions.
    const isOwnKey = isNew && field.type === 'text' && field.primaryKey && field.pattern !== KEY_PATTERN
    if (errors[field.name] && !isOwnKey) continue
    if (field.type === 'relation') addRelation(checked, catalog, field, unstored(field.name))
    else if (isNew && field.type === 'text' && field.primaryKey)
      addFreeKey(checked, catalog, collection, field, String(values[field.name]))
  }
  if (Object.keys(errors).length === 0) addOwner(checked, catalog, collection, values)
}

function addRelation(
  { errors, conditions, parameters }: Checked,
  catalog: Catalog,
  { name: field, collectionId }: RelationField,
  ids: readonly string[],
): void {
  if (ids.length === 0) return
  const target = catalog.find(collectionId)
  if (!target) {
    errors[field] = NO_TARGET
    return
  }
  const table = quote(tableName(target))
  const sql =
    ids.length === 1
      ? `exists (select 1 from ${table} r where r.id = ${parameters.add(ids[0])})`
      : `(select count(*) from ${table} r where r.id = any(${parameters.add(ids, 'text[]')})) = ${parameters.add(ids.length, 'integer')}`
  conditions.push({ field, error: NO_RECORDS, sql, late: false })
}

const NO_TARGET = fieldError(
  'validation_missing_rel_collection',
  'Relation connection is missing or cannot be accessed',
)
const NO_RECORDS = fieldError(
  'validation_missing_rel_records',
  'Failed to find all relation records with the provided ids',
)

/** A client-chosen id must differ by more than case; an auth record's id is unique across collections. */
function addFreeKey(
  { conditions, parameters }: Checked,
  catalog: Catalog,
  collection: Collection,
  { name: field, pattern }: TextField,
  id: string,
): void {
  if (pattern !== KEY_PATTERN) {
    const sql = `not exists (select 1 from ${quote(tableName(collection))} r where lower(r.id) = lower(${parameters.add(id)} collate "C"))`
    conditions.push({ field, error: NOT_FREE, sql, late: false })
  }
  if (collection.type !== 'auth') return
  for (const other of catalog.all) {
    if (other.type !== 'auth' || other.id === collection.id) continue
    const sql = `not exists (select 1 from ${quote(tableName(other))} r where r.id = ${parameters.add(id)})`
    conditions.push({ field, error: NOT_UNIQUE, sql, late: true })
  }
}

const NOT_FREE = fieldError('validation_pk_invalid', 'The record primary key is invalid or already exists')
const NOT_UNIQUE = fieldError('validation_invalid_auth_id', 'Invalid or duplicated auth record id')

/**
 * A record that names its owner by `collectionRef` and `recordRef`: the owner and its provider exist. Only
 * the first error; the collection's goes into `errors`. PocketBase: core/auth_origin_model.go,
 * recordRefHooks; core/external_auth_model.go
 */
function addOwner(
  { errors, conditions, parameters }: Checked,
  catalog: Catalog,
  { name }: Collection,
  { collectionRef, recordRef, provider }: Readonly<Values>,
): void {
  if (!(LINKED_COLLECTIONS as readonly string[]).includes(name)) return
  const owner = catalog.find(String(collectionRef))
  if (!owner || owner.id !== collectionRef || owner.type !== 'auth') {
    errors.collectionRef = owner?.id === collectionRef ? NOT_AUTH : NO_COLLECTION
    return
  }
  const sql = `exists (select 1 from ${quote(tableName(owner))} r where r.id = ${parameters.add(recordRef)})`
  conditions.push({ field: 'recordRef', error: NO_OWNER, sql, late: true })
  // fails only if the other condition holds, so that there is one error
  if (name === '_externalAuths' && !OAUTH2_PROVIDERS.has(String(provider)))
    conditions.push({ field: 'provider', error: NO_PROVIDER, sql: `not ${sql}`, late: true })
}

const NO_COLLECTION = fieldError('validation_invalid_collection_id', 'Missing or invalid collection')
const NOT_AUTH = fieldError('validation_invalid_collection_type', 'Invalid collection type - must be auth')
const NO_OWNER = fieldError('validation_invalid_record', 'Missing or invalid record')
const NO_PROVIDER = fieldError('validation_in_invalid', 'Must be a valid value')
