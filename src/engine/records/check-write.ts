import { badRequest, type FieldError, makeFieldError } from '../../platform/api-errors.ts'
import { type AuthCollection, type Collection, SUPERUSERS } from '../collections/collection.ts'
import { isTooLongToHash } from '../fields/bcrypt.ts'
import type { Field, FileField, PasswordField, Value } from '../fields/field.ts'
import { checkValue, listChosenTexts } from '../fields/field-types.ts'
import { formatNow } from '../fields/parse-date.ts'
import { generateText } from '../fields/regex-patterns.ts'
import { findPasswordError } from '../fields/scalar-types.ts'
import { asksToManage, checkAuthForm } from './check-auth-record.ts'
import { compileCandidateRule } from './check-rules.ts'
import { explainRejection, isEmptyObject, testRule } from './explain-rejection.ts'
import { hashPasswords, OWN_WORK } from './hash-passwords.ts'
import { addIntegrityConditions } from './integrity-checks.ts'
import type { Draft, FieldErrors } from './prepare.ts'
import { selectRecordRow } from './read-records.ts'
import type { Values } from './record-row.ts'
import { checkUpload, type NamedUploads, NO_UPLOADS } from './record-uploads.ts'
import { rotateTokenKey } from './revoke-sign-ins.ts'
import { SqlParameters } from './sql-parameters.ts'
import type { Checked, Write } from './write-in-progress.ts'

/** Sets autodates and generated texts in `values`, then checks all values. */
export function checkValues(write: Write, values: Values = write.values): Checked {
  const { store, collection, stored, options, guard, uploads, unreadable } = write
  const time = formatNow()
  for (const field of collection.fields) {
    if (field.type === 'autodate' && (stored ? field.onUpdate : field.onCreate))
      values[field.name] = time
    else if (stored || field.type !== 'text') continue
    else if (field.autogeneratePattern && values[field.name] === '')
      values[field.name] = generateText(field.autogeneratePattern)
  }
  const passwords = options.hasRandomPassword ? {} : write.passwords
  const old = stored && { old: stored.old }
  const errors = validateDraft(collection, { values, passwords, uploads, unreadable, ...old })
  const checked = { errors, conditions: [], parameters: new SqlParameters(guard.params) }
  addIntegrityConditions(checked, store.catalog, collection, values, stored?.old)
  return checked
}

/** Checks values without the database. PocketBase: ValidateValue of each field type; contract 4.5 */
export function validateDraft(collection: Collection, draft: Draft): FieldErrors {
  const errors: FieldErrors = {}
  for (const field of collection.fields) {
    const error = checkField(field, draft) ?? draft.unreadable?.[field.name]
    if (error) errors[field.name] = error
  }
  return errors
}

function checkField(
  field: Field,
  { values, passwords, old, uploads }: Draft,
): FieldError | undefined {
  const value = values[field.name]!
  if (field.type === 'text' && field.primaryKey && old) {
    if (value === old[field.name]) return undefined
    return makeFieldError('validation_pk_change', 'The record primary key cannot be changed')
  }
  if (field.type === 'password') return checkPassword(field, value, passwords[field.name])
  if (field.type === 'file') return checkFiles(field, value, old?.[field.name], uploads)
  return checkValue(field, value)
}

function checkPassword(
  field: PasswordField,
  hash: Value,
  plain: string | undefined,
): FieldError | undefined {
  if (!plain) return checkValue(field, hash)
  return isTooLongToHash(plain)
    ? makeFieldError('validation_invalid_value', 'Invalid value')
    : findPasswordError(field, plain)
}

const MAX_NAME_BYTES = 250

/** An error unless each name is of a stored file or of an allowed upload. PocketBase: core/field_file.go */
function checkFiles(
  field: FileField,
  value: Value,
  old: Value | undefined,
  uploads: NamedUploads = NO_UPLOADS,
): FieldError | undefined {
  const kept = listChosenTexts(old ?? '')
  const added = listChosenTexts(value).filter((name) => !kept.includes(name) && !uploads.has(name))
  if (added.length === 0) {
    const sent = listChosenTexts(value).flatMap((name) => uploads.get(name) ?? [])
    return (
      checkValue(field, value) ?? sent.map((upload) => checkUpload(field, upload)).find(Boolean)
    )
  }
  const invalidFiles = added.map((name) =>
    Buffer.from(name).subarray(0, MAX_NAME_BYTES).toString('utf8'),
  )
  const text = `Invalid new files: [${invalidFiles.join(' ')}]`
  return makeFieldError('validation_invalid_file', text, { invalidFiles })
}

/**
 * Checks the form of an auth record, and hashes passwords. `checkValues` checks all values when the record is
 * stored, after the hook.
 */
export async function checkAuthAndHash(write: Write): Promise<Write> {
  const { collection, passwords } = write
  if (collection.type === 'auth') await checkForm(write, collection)
  const hashed = Object.values(passwords).some(Boolean) ? await hashPasswordValues(write) : write
  if (collection.type === 'auth') renewAuth(hashed, collection)
  return hashed
}

async function checkForm(write: Write, collection: AuthCollection): Promise<void> {
  const { request, values, passwords, stored, options, guard } = write
  const draft = { values, passwords, ...(stored && { old: stored.old }) }
  const manages =
    request.auth?.isSuperuser === true ||
    (asksToManage(collection, draft, request.body) && (await isManager(write, collection)))
  const errors = await checkAuthForm(
    collection,
    draft,
    request.body,
    manages,
    options.passwordWork?.() ?? OWN_WORK,
  )
  if (isEmptyObject(errors)) return
  throw await explainRejection(write, {
    errors,
    conditions: [],
    parameters: new SqlParameters(guard.params),
  })
}

async function isManager({ store, request, values, stored }: Write, collection: AuthCollection) {
  const { manageRule } = collection
  if (!manageRule || !request.auth) return false
  if (!stored)
    return testRule(
      store,
      compileCandidateRule(store.catalog, collection, manageRule, values, request),
    )
  const read = selectRecordRow(store, collection, String(stored.old.id), manageRule, request)
  return (await read.catch(() => undefined)) !== undefined
}

/**
 * The write with hashed passwords. Checks everything else first, as a hash takes 57 ms of a CPU core. The
 * INSERT tests the create rule again: what it reads may have changed meanwhile.
 */
async function hashPasswordValues(write: Write): Promise<Write> {
  const { store, collection, values, options, guard, failure } = write
  const checked = checkValues(write, { ...values })
  if (!isEmptyObject(checked.errors)) throw await explainRejection(write, checked)
  if (!(await testRule(store, guard))) throw badRequest(failure)
  const hashed = await hashPasswords(collection, write, options.passwordWork?.() ?? OWN_WORK)
  return { ...write, values: hashed }
}

/** After a new password or email, renews the tokenKey, which ends all tokens. Makes superusers verified. */
function renewAuth({ values, stored, passwords }: Write, collection: AuthCollection): void {
  if (collection.name === SUPERUSERS) values.verified = true
  if (!stored || values.tokenKey !== stored.old.tokenKey) return
  if (passwords.password || values.email !== stored.old.email) rotateTokenKey(collection, values)
}
