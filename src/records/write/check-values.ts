import type { Catalog, Collection } from '../../collections/catalog.ts'
import { OAUTH2_PROVIDERS } from '../../collections/definition/oauth2-providers.ts'
import { type FieldError, fieldError } from '../../errors.ts'
import type { Field, FileField, PasswordField, RelationField, TextField, Value } from '../../fields/field.ts'
import { generateText } from '../../fields/types/autogenerate.ts'
import { chosenTexts } from '../../fields/types/choice.ts'
import { now } from '../../fields/types/date.ts'
import { fieldType } from '../../fields/types/field-types.ts'
import { passwordError } from '../../fields/types/password.ts'
import { KEY_PATTERN, required } from '../../fields/types/text.ts'
import { MAX_PASSWORD_BYTES } from '../../fields/values/bcrypt.ts'
import { LINKED_COLLECTIONS } from '../auth/auth-links.ts'
import { columnsOf, Parameters, type Values } from '../columns.ts'
import { checkUpload, type NamedUploads, NO_UPLOADS } from '../input/files.ts'
import type { Draft, FieldErrors } from '../input/prepare.ts'
import type { Write } from './prepare-write.ts'

interface WriteCondition {
  readonly field: string
  readonly error: FieldError
  readonly sql: string
  readonly late: boolean
}

/** The result of checking a record's values: known errors, and conditions for the database to test. */
export interface Checked {
  readonly errors: FieldErrors
  readonly conditions: WriteCondition[]
  readonly parameters: Parameters
}

/** Sets autodates and generated texts, then checks all values. */
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

function addConditions(
  checked: Checked,
  catalog: Catalog,
  collection: Collection,
  values: Readonly<Values>,
  old: Readonly<Values> | undefined,
): void {
  const { errors } = checked
  for (const field of collection.fields) {
    const { name } = field
    if (field.type === 'relation' && !errors[name]) addRelation(checked, catalog, field, values[name]!, old)
    if (old || field.type !== 'text' || !field.primaryKey) continue
    // For ids with a custom pattern, uniqueness is tested before other conditions.
    if (!errors[name] || field.pattern !== KEY_PATTERN)
      addFreeKey(checked, catalog, collection, field, String(values[name]))
  }
  const isLinked = (LINKED_COLLECTIONS as readonly string[]).includes(collection.name)
  if (isLinked && Object.keys(errors).length === 0) addOwner(checked, catalog, collection, values)
}

/** Adds the condition that related records exist. Stored ids (`old`) are not tested: lines may be deleted. */
function addRelation(
  { errors, conditions, parameters }: Checked,
  catalog: Catalog,
  { name: field, collectionId }: RelationField,
  value: Value,
  old: Readonly<Values> | undefined,
): void {
  const known = new Set(chosenTexts(old?.[field] ?? ''))
  const ids = chosenTexts(value).filter((id) => !known.has(id))
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

const NO_TARGET = fieldError(
  'validation_missing_rel_collection',
  'Relation connection is missing or cannot be accessed',
)
const NO_RECORDS = fieldError(
  'validation_missing_rel_records',
  'Failed to find all relation records with the provided ids',
)

/** The id is free: one with a custom pattern ignoring case, an auth record's across auth collections. */
function addFreeKey(
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

const NOT_FREE = fieldError('validation_pk_invalid', 'The record primary key is invalid or already exists')
const NOT_UNIQUE = fieldError('validation_invalid_auth_id', 'Invalid or duplicated auth record id')

/** Adds conditions that the owner and the provider of a linked record exist. */
function addOwner(
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
  // `not`, so that it fails only if the owner exists: one error at most
  if (name === '_externalAuths' && !OAUTH2_PROVIDERS.has(String(provider)))
    conditions.push({ field: 'provider', error: NO_PROVIDER, sql: `not ${sql}`, late: true })
}

const NO_COLLECTION = fieldError('validation_invalid_collection_id', 'Missing or invalid collection')
const NOT_AUTH = fieldError('validation_invalid_collection_type', 'Invalid collection type - must be auth')
const NO_OWNER = fieldError('validation_invalid_record', 'Missing or invalid record')
const NO_PROVIDER = fieldError('validation_in_invalid', 'Must be a valid value')

/** Errors that need no database: one per field. PocketBase: ValidateValue of each field type; contract 4.5 */
export function validate(collection: Collection, draft: Draft): FieldErrors {
  const errors: FieldErrors = {}
  for (const field of collection.fields) {
    const error = checkField(field, draft) ?? draft.unreadable?.[field.name]
    if (error) errors[field.name] = error
  }
  return errors
}

function checkField(field: Field, { values, passwords, old, uploads }: Draft): FieldError | undefined {
  const value = values[field.name]!
  if (field.type === 'text' && field.primaryKey && old)
    return value === old[field.name]
      ? undefined
      : fieldError('validation_pk_change', 'The record primary key cannot be changed')
  if (field.type === 'password') return checkPassword(field, value, passwords[field.name])
  if (field.type === 'file') return checkFiles(field, value, old?.[field.name], uploads)
  return fieldType(field).check(field, value)
}

function checkPassword(field: PasswordField, hash: Value, plain: string | undefined): FieldError | undefined {
  if (plain === undefined) return fieldType(field).check(field, hash)
  if (Buffer.byteLength(plain) > MAX_PASSWORD_BYTES)
    return fieldError('validation_invalid_value', 'Invalid value')
  if (plain === '') return field.required ? required() : undefined
  return passwordError(field, plain)
}

const MAX_NAME_BYTES = 250

/** Each name must be a stored or sent file's, and sent files must fit. PocketBase: core/field_file.go */
function checkFiles(
  field: FileField,
  value: Value,
  old: Value | undefined,
  uploads: NamedUploads = NO_UPLOADS,
): FieldError | undefined {
  const kept = chosenTexts(old ?? '')
  const added = chosenTexts(value).filter((name) => !kept.includes(name) && !uploads.has(name))
  if (added.length === 0) return fieldType(field).check(field, value) ?? checkSent(field, value, uploads)
  const invalidFiles = added.map((name) => Buffer.from(name).subarray(0, MAX_NAME_BYTES).toString('utf8'))
  return fieldError('validation_invalid_file', `Invalid new files: [${invalidFiles.join(' ')}]`, {
    invalidFiles,
  })
}

function checkSent(field: FileField, value: Value, uploads: NamedUploads): FieldError | undefined {
  if (uploads.size === 0) return undefined
  for (const name of chosenTexts(value)) {
    const upload = uploads.get(name)
    const error = upload && checkUpload(field, upload)
    if (error) return error
  }
  return undefined
}
