import { makeFieldError } from '../../platform/api-errors.ts'
import type { AuthCollection } from '../collections/collection.ts'
import { makeObjectShape, text } from '../fields/json-shapes.ts'
import { checkFields, checkRequired, failWith } from '../fields/value-checks.ts'
import type { AuthRecord } from '../request/request.ts'
import type { AuthCall } from './auth-services.ts'
import { changeAuthRecord, demandUsers } from './change-auth-record.ts'
import {
  clearMailLimit,
  type EmailForm,
  findMailedRecord,
  mailInBackground,
} from './mail-on-request.ts'
import { findOwnerError, findRecordByToken, readTokenClaim } from './tokens.ts'

/**
 * Mails a verification link, once per RESEND_SECONDS at most. PocketBase: record_auth_verification_request
 */
export async function requestVerification(call: AuthCall<EmailForm>): Promise<void> {
  const { store, services, collection } = call
  demandUsers(collection)
  const auth = await findMailedRecord(call)
  const unverified = auth?.values.verified ? null : auth
  await mailInBackground(store, services, 'verification', unverified, call.browser)
}

export const TOKEN_FORM = makeObjectShape({ token: text })

/**
 * Marks the record as verified if the token contains its current email. PocketBase:
 * record_auth_verification_confirm.go
 */
export async function confirmVerification(call: AuthCall<{ token: string }>): Promise<void> {
  const { store, services, collection } = call
  demandUsers(collection)
  const form = await call.readForm()
  const auth = await findRecordByToken(store, form.token, 'verification')
  checkFields(form, {
    token: [checkRequired, failWith(findTokenError(collection, form.token, auth))],
  })
  if (!auth) return
  const change = { verified: true, withoutPassword: !collection.passwordAuth.enabled }
  const failure = 'An error occurred while saving the verified state.'
  if (!auth.values.verified)
    await changeAuthRecord(store, services.extensions, auth, change, failure)
  await clearMailLimit(store, 'verification', auth)
}

function findTokenError(collection: AuthCollection, token: string, auth: AuthRecord | null) {
  const address = readTokenClaim(token, 'email')
  if (address === '')
    return makeFieldError('validation_invalid_token_claims', 'Missing email token claim.')
  const error = findOwnerError(collection, auth)
  if (error || auth?.values.email === address) return error
  const message = "The record email doesn't match with the requested token claims."
  return makeFieldError('validation_token_email_mismatch', message)
}
