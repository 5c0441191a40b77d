import { guestHolder } from '../admission/holder.ts'
import { type AuthCollection, type Store, SUPERUSERS } from '../collections/catalog.ts'
import { checkFields, email, equals, failedBefore, length, noneOf, required } from '../collections/checks.ts'
import type { Db } from '../db/open.ts'
import { ApiError, badRequest, type FieldError, fieldError } from '../errors.ts'
import { hashPassword, verifyPassword } from '../fields/bcrypt.ts'
import { now } from '../fields/date.ts'
import { object, text, type ValueOf } from '../fields/shape.ts'
import { deleteInvalidLinks, rotateTokenKey } from '../records/auth-records.ts'
import { isEmptyObject, validate } from '../records/check-values.ts'
import { revokeFormerAccess } from '../records/delete.ts'
import type { Extensions } from '../records/extension.ts'
import type { Values } from '../records/record-sql.ts'
import { uniqueViolationError, updateRow } from '../records/store.ts'
import type { AuthRecord } from '../request/request.ts'
import { randomText } from '../tools/random.ts'
import { limitMails, limitSignInAttempts } from './attempt-limits.ts'
import { findAuthRecord, findByEmail } from './auth-rows.ts'
import { type AuthCall, attemptOf } from './auth-services.ts'
import { mailLink } from './mails.ts'
import { clearMailLimit, type EmailForm, findForMail, mailInBackground } from './resend.ts'
import { INSTALLER_EMAIL } from './superusers.ts'
import { claimOf, findByToken, ownerError, passwordField } from './tokens.ts'

/** Length of a password made by the server. The field's password rules do not apply to it. */
const RANDOM_LENGTH = 30

export interface AuthChange {
  readonly email?: string
  readonly verified?: boolean
  readonly password?: string
  readonly withoutPassword?: boolean
  readonly endsTokens?: boolean
}

export type InSameTransaction = (db: Db, auth: AuthRecord) => Promise<void>

/**
 * Changes an auth record without API rules. A new password or email invalidates its tokens. A takeover (see
 * `isTakenOver`) also deletes its API keys and the like. Throws 400 for invalid values, and if the record was
 * changed meanwhile. PocketBase: core/record_model_auth.go
 */
export async function changeAuthRecord(
  store: Store,
  extensions: Extensions,
  auth: AuthRecord,
  change: AuthChange,
  failure: string,
  also?: InSameTransaction,
): Promise<AuthRecord> {
  const collection = auth.collection as AuthCollection
  const { password: given, withoutPassword, endsTokens, ...fields } = change
  const values: Values = { ...auth.values, ...fields }
  const passwords: Record<string, string> = given === undefined ? {} : { password: given }
  const errors = validate(collection, { values, passwords, old: auth.values })
  if (!isEmptyObject(errors)) throw badRequest(failure, errors)
  const time = now()
  for (const field of collection.fields) {
    if (field.type === 'autodate' && field.onUpdate) values[field.name] = time
  }
  const password = withoutPassword ? randomText(RANDOM_LENGTH) : given
  if (password !== undefined) values.password = await hashPassword(password, passwordField(collection)?.cost)
  if (password !== undefined || values.email !== auth.values.email || endsTokens)
    rotateTokenKey(collection, values)
  try {
    await store.db.transaction(async (db) => {
      const inside = { db, catalog: store.catalog }
      await deleteInvalidLinks(inside, collection, values, auth.values)
      const found = { old: auth.values, version: auth.version }
      if (!(await updateRow(inside, collection, values, found))) throw badRequest(failure)
      if (isTakenOver(values, auth.values)) await revokeFormerAccess(inside, extensions, collection, auth.id)
      await also?.(db, auth)
    })
  } catch (error) {
    throw uniqueViolationError(collection, failure, error)
  }
  return (await findAuthRecord(store, collection, auth.id)) ?? auth
}

/** Whether the email's owner takes over an unverified record: it becomes verified, with another password. */
const isTakenOver = (values: Readonly<Values>, old: Readonly<Values>) =>
  old.verified !== true && values.verified === true && values.password !== old.password

function demandUsers({ name }: AuthCollection, otherwise = 'All superusers are verified by default.'): void {
  if (name === SUPERUSERS) throw badRequest(otherwise)
}

/**
 * Mails a verification link, once per RESEND_SECONDS at most. PocketBase: record_auth_verification_request
 */
export async function requestVerification(call: AuthCall<EmailForm>): Promise<void> {
  const { store, services, collection } = call
  demandUsers(collection)
  const auth = await findForMail(call)
  await mailInBackground(store, services, 'verification', auth?.values.verified ? null : auth)
}

export const TOKEN_FORM = object({ token: text })

/**
 * Marks the record as verified if the token contains its current email. PocketBase:
 * record_auth_verification_confirm.go
 */
export async function confirmVerification(call: AuthCall<{ token: string }>): Promise<void> {
  const { store, services, collection } = call
  demandUsers(collection)
  const form = await call.readForm()
  const auth = await findByToken(store, form.token, 'verification')
  checkFields(form, { token: [required, failedBefore(tokenError(collection, form.token, auth))] })
  if (!auth) return
  const change = { verified: true, withoutPassword: !collection.passwordAuth.enabled }
  const failure = 'An error occurred while saving the verified state.'
  if (!auth.values.verified) await changeAuthRecord(store, services.extensions, auth, change, failure)
  await clearMailLimit(store, 'verification', auth)
}

function tokenError(collection: AuthCollection, token: string, auth: AuthRecord | null) {
  const address = claimOf(token, 'email')
  if (address === '') return fieldError('validation_invalid_token_claims', 'Missing email token claim.')
  const error = ownerError(collection, auth)
  if (error || auth?.values.email === address) return error
  const message = "The record email doesn't match with the requested token claims."
  return fieldError('validation_token_email_mismatch', message)
}

const MAX_PASSWORD_LENGTH = 255

/** Mails a reset link, at most once per RESEND_SECONDS. PocketBase: record_auth_password_reset_request.go */
export async function requestPasswordReset(call: AuthCall<EmailForm>): Promise<void> {
  const { store, services, collection } = call
  if (!collection.passwordAuth.enabled)
    throw badRequest('The collection is not configured to allow password authentication.')
  const auth = await findForMail(call)
  const isStandIn = auth?.isSuperuser && auth.values.email === INSTALLER_EMAIL
  await mailInBackground(store, services, 'passwordReset', isStandIn ? null : auth)
}

export const PASSWORD_RESET_FORM = object({ token: text, password: text, passwordConfirm: text })
type PasswordResetForm = ValueOf<typeof PASSWORD_RESET_FORM>

/**
 * Sets the password, marks the mailed email as verified and invalidates older tokens. If the record was
 * unverified, also deletes its API keys and the like. Throws 400. PocketBase:
 * apis/record_auth_password_reset_confirm.go
 */
export async function confirmPasswordReset(
  { store, services, collection, readForm }: AuthCall<PasswordResetForm>,
  also?: InSameTransaction,
): Promise<void> {
  const form = await readForm()
  const auth = await findByToken(store, form.token, 'passwordReset')
  checkFields(form, {
    token: [required, failedBefore(ownerError(collection, auth))],
    password: [required, length(passwordField(collection)?.min || 1, MAX_PASSWORD_LENGTH)],
    passwordConfirm: [required, equals(form.password)],
  })
  if (!auth) return
  const isTheirs = auth.values.verified === true || claimOf(form.token, 'email') === auth.values.email
  const change = { password: form.password, verified: isTheirs }
  await changeAuthRecord(store, services.extensions, auth, change, 'Failed to set new password.', also)
  await clearMailLimit(store, 'passwordReset', auth)
}

const DIRECTLY = 'All superusers can change their emails directly.'

export const EMAIL_CHANGE_FORM = object({ newEmail: text })

/** Mails a link to the new address. Throws 400, 429. PocketBase: apis/record_auth_email_change_request.go */
export async function requestEmailChange(call: AuthCall<{ newEmail: string }>, auth: AuthRecord) {
  const { store, services, collection } = call
  demandUsers(collection, DIRECTLY)
  const form = await call.readForm()
  await limitMails(attemptOf(call, auth.id))
  const holder = await findByEmail(store, collection, form.newEmail)
  const isTaken = holder !== null && holder.id !== auth.id
  const taken = isTaken ? fieldError('validation_invalid_new_email', 'Invalid new email address.') : undefined
  const isOther = noneOf([String(auth.values.email)])
  checkFields(form, { newEmail: [required, length(1, 255), email, isOther, failedBefore(taken)] })
  try {
    await mailLink(services, auth, 'emailChange', form.newEmail)
  } catch (error) {
    throw Object.assign(new ApiError(400, 'Failed to request email change.'), { cause: error })
  }
}

export const EMAIL_CHANGE_CONFIRM_FORM = object({ token: text, password: text })

/**
 * Sets the token's email and marks it as verified; ends older tokens. PocketBase:
 * record_auth_email_change_confirm.go
 */
export async function confirmEmailChange(
  call: AuthCall<ValueOf<typeof EMAIL_CHANGE_CONFIRM_FORM>>,
  also?: InSameTransaction,
): Promise<void> {
  const { store, services, collection, ip } = call
  demandUsers(collection, DIRECTLY)
  const form = await call.readForm()
  const newEmail = claimOf(form.token, 'newEmail')
  const auth = await findByToken(store, form.token, 'emailChange')
  const error = await newEmailError(store, collection, newEmail, auth)
  const demand = async () => {
    const hash = String(auth?.values.password ?? '')
    const isRight = !error && (await verifyPassword(form.password, hash, guestHolder(ip)))
    checkFields(form, {
      token: [required, failedBefore(error)],
      password: [required, length(1, 100), failedBefore(isRight ? undefined : WRONG_PASSWORD)],
    })
  }
  if (error || !auth) return demand()
  await limitSignInAttempts(attemptOf(call, auth.id), demand)
  const change = { email: newEmail, verified: true }
  await changeAuthRecord(store, services.extensions, auth, change, 'Failed to confirm email change.', also)
}

const WRONG_PASSWORD = fieldError('validation_invalid_password', 'Missing or invalid auth record password.')

async function newEmailError(
  store: Store,
  collection: AuthCollection,
  newEmail: string,
  auth: AuthRecord | null,
): Promise<FieldError | undefined> {
  if (newEmail === '')
    return fieldError('validation_invalid_token_payload', 'Invalid token payload - newEmail must be set.')
  const error = ownerError(collection, auth)
  if (error || !(await findByEmail(store, collection, newEmail))) return error
  return fieldError('validation_invalid_token_email', 'The new email address is invalid.')
}
