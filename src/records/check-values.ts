import type { Catalog, Collection, Store } from '../collections/catalog.ts'
import { OAUTH2_PROVIDERS } from '../collections/definition/oauth2-providers.ts'
import { type ApiError, badRequest, type FieldError, fieldError } from '../errors.ts'
import { MAX_PASSWORD_BYTES } from '../fields/bcrypt.ts'
import { now } from '../fields/date.ts'
import type { Field, FileField, PasswordField, RelationField, TextField, Value } from '../fields/field.ts'
import { checkValue, chosenTexts } from '../fields/field-types.ts'
import { generateText } from '../fields/pattern.ts'
import { KEY_PATTERN, passwordError } from '../fields/text.ts'
import type { Uploads } from '../files/upload.ts'
import type { RequestInfo } from '../request/request.ts'
import type { CandidateCheck } from './access.ts'
import { LINKED_COLLECTIONS, type PasswordWork } from './auth-records.ts'
import type { Extension } from './extension.ts'
import {
  checkUpload,
  type Draft,
  type FieldErrors,
  type NamedUploads,
  NO_UPLOADS,
  type Prepared,
} from './prepare.ts'
import { columnsOf, Parameters, type Values } from './record-sql.ts'
import { unlessRuleFault } from './render.ts'

export interface WriteOptions {
  readonly uploads?: Uploads
  /** Maximum bytes of all files of the caller's account; no limit if absent. */
  readonly maxFileBytes?: number
  /** Whether the caller's auth record is from a cache: the write then tests that it is current. */
  readonly isAuthCached?: boolean
  /** Locks the record before it is read: no other write can change it before this write ends. */
  readonly locksRecord?: boolean
  /** Whether the server generated the password: the field's rules for passwords then do not apply. */
  readonly hasRandomPassword?: boolean
  readonly passwordWork?: () => PasswordWork
  readonly inSameTransaction?: (store: Store, id: string) => Promise<void>
}

/** A record as read from the database. `version` is its `xmin`, which every write changes. */
export interface StoredRecord {
  readonly old: Readonly<Values>
  readonly version: string
}

/** A create or an update in progress. Later stages still change `values`. */
export interface Write extends Prepared {
  readonly store: Store
  readonly collection: Collection
  readonly extension: Extension | undefined
  readonly request: RequestInfo
  readonly options: WriteOptions
  readonly stored?: StoredRecord
  /** The create rule, a condition of the INSERT. Empty for an update: reading the record tests its rule. */
  readonly guard: CandidateCheck
  readonly failure: string
}

interface WriteCondition {
  readonly field: string
  readonly error: FieldError
  readonly sql: string
  readonly late: boolean
}

/** The result of checking a record: errors found, and conditions that the database must still test. */
export interface Checked {
  readonly errors: FieldErrors
  readonly conditions: WriteCondition[]
  readonly parameters: Parameters
}

/** Sets autodates and generated texts in `values`, then checks all values. */
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
    // an id with a custom pattern is tested for uniqueness even if it is invalid
    if (!errors[name] || field.pattern !== KEY_PATTERN)
      addFreeKey(checked, catalog, collection, field, String(values[name]))
  }
  const isLinked = (LINKED_COLLECTIONS as readonly string[]).includes(collection.name)
  if (isLinked && Object.keys(errors).length === 0) addOwner(checked, catalog, collection, values)
}

/** Adds the condition that related records exist. Skips ids in `old`: these records may be deleted by now. */
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

/**
 * Adds conditions that an id is free. Ignores case if the field has a custom pattern. The id of an auth
 * record must be free in all auth collections.
 */
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

/** Adds the conditions that a linked record's auth record and OAuth2 provider exist. */
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
  // reports an unknown provider only if the auth record exists, so that there is one error at most
  if (name === '_externalAuths' && !OAUTH2_PROVIDERS.has(String(provider)))
    conditions.push({ field: 'provider', error: NO_PROVIDER, sql: `not ${sql}`, late: true })
}

const NO_COLLECTION = fieldError('validation_invalid_collection_id', 'Missing or invalid collection')
const NOT_AUTH = fieldError('validation_invalid_collection_type', 'Invalid collection type - must be auth')
const NO_OWNER = fieldError('validation_invalid_record', 'Missing or invalid record')
const NO_PROVIDER = fieldError('validation_in_invalid', 'Must be a valid value')

/** Checks values without the database. PocketBase: ValidateValue of each field type; contract 4.5 */
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
  if (field.type === 'text' && field.primaryKey && old) {
    if (value === old[field.name]) return undefined
    return fieldError('validation_pk_change', 'The record primary key cannot be changed')
  }
  if (field.type === 'password') return checkPassword(field, value, passwords[field.name])
  if (field.type === 'file') return checkFiles(field, value, old?.[field.name], uploads)
  return checkValue(field, value)
}

function checkPassword(field: PasswordField, hash: Value, plain: string | undefined): FieldError | undefined {
  if (!plain) return checkValue(field, hash)
  const isTooLong = Buffer.byteLength(plain) > MAX_PASSWORD_BYTES
  return isTooLong ? fieldError('validation_invalid_value', 'Invalid value') : passwordError(field, plain)
}

const MAX_NAME_BYTES = 250

/** An error unless each name is of a stored file or of an allowed upload. PocketBase: core/field_file.go */
function checkFiles(
  field: FileField,
  value: Value,
  old: Value | undefined,
  uploads: NamedUploads = NO_UPLOADS,
): FieldError | undefined {
  const kept = chosenTexts(old ?? '')
  const added = chosenTexts(value).filter((name) => !kept.includes(name) && !uploads.has(name))
  if (added.length === 0) {
    const sent = chosenTexts(value).flatMap((name) => uploads.get(name) ?? [])
    return checkValue(field, value) ?? sent.map((upload) => checkUpload(field, upload)).find(Boolean)
  }
  const invalidFiles = added.map((name) => Buffer.from(name).subarray(0, MAX_NAME_BYTES).toString('utf8'))
  const text = `Invalid new files: [${invalidFiles.join(' ')}]`
  return fieldError('validation_invalid_file', text, { invalidFiles })
}

export const isEmptyObject = (errors: object) => Object.keys(errors).length === 0

/**
 * The 400 for a refused record. Names no fields if the rule fails. Has the errors of conditions with `late`
 * only if there are no other errors.
 */
export async function explainRejection(
  { store, failure: message, guard }: Write,
  { errors, conditions, parameters }: Checked,
): Promise<ApiError> {
  const asked = [guard.condition || 'true', ...conditions.map(({ sql }) => sql)]
  if (asked.length === 1 && !guard.condition) return badRequest(message, sorted(errors))
  const [allowed, ...held] = await ask(store, asked, parameters.values)
  if (!allowed) return badRequest(message)
  const failed = conditions.filter((_, i) => !held[i])
  const early = { ...errors, ...errorsOf(failed.filter(({ late }) => !late)) }
  return badRequest(message, isEmptyObject(early) ? errorsOf(failed) : sorted(early))
}

const sorted = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(errors).sort(([a], [b]) => (a < b ? -1 : 1)))

const errorsOf = (failed: Checked['conditions']): FieldErrors =>
  Object.fromEntries(failed.map(({ field, error }) => [field, error]))

/** Whether a create rule holds; false without a `guard`. Makes no query if the rule always holds. */
export async function ruleHolds(store: Store, guard: CandidateCheck | undefined): Promise<boolean> {
  if (!guard?.condition) return guard !== undefined
  const [allowed] = await ask(store, [guard.condition], guard.params)
  return allowed === true
}

/** Tests SQL conditions in one query. Returns [] if one of them causes an SQL error. */
async function ask(store: Store, asked: readonly string[], params: readonly unknown[]): Promise<boolean[]> {
  const tested = await unlessRuleFault(store.db.query(`select ${asked.join(', ')}`, params), undefined)
  return tested?.rows[0]?.map((verdict) => verdict === true) ?? []
}
