import { badRequest } from '../../platform/api-errors.ts'
import { makeObjectShape, text, type ValueOf } from '../fields/json-shapes.ts'
import {
  checkEquals,
  checkFields,
  checkLength,
  checkRequired,
  failWith,
} from '../fields/value-checks.ts'
import type { AuthCall } from './auth-services.ts'
import { changeAuthRecord, type InSameTransaction } from './change-auth-record.ts'
import {
  clearMailLimit,
  type EmailForm,
  findMailedRecord,
  mailInBackground,
} from './mail-on-request.ts'
import { findPasswordField } from './password-check.ts'
import { INSTALLER_EMAIL } from './superusers.ts'
import { findOwnerError, findRecordByToken, readTokenClaim } from './tokens.ts'

const MAX_PASSWORD_LENGTH = 255

/** Mails a reset link, at most once per RESEND_SECONDS. PocketBase: record_auth_password_reset_request.go */
export async function requestPasswordReset(call: AuthCall<EmailForm>): Promise<void> {
  const { store, services, collection } = call
  if (!collection.passwordAuth.enabled)
    throw badRequest('The collection is not configured to allow password authentication.')
  const auth = await findMailedRecord(call)
  const isStandIn = auth?.isSuperuser && auth.values.email === INSTALLER_EMAIL
  await mailInBackground(store, services, 'passwordReset', isStandIn ? null : auth, call.browser)
}

export const PASSWORD_RESET_FORM = makeObjectShape({
  token: text,
  password: text,
  passwordConfirm: text,
})
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
  const auth = await findRecordByToken(store, form.token, 'passwordReset')
  checkFields(form, {
    token: [checkRequired, failWith(findOwnerError(collection, auth))],
    password: [
      checkRequired,
      checkLength(findPasswordField(collection)?.min || 1, MAX_PASSWORD_LENGTH),
    ],
    passwordConfirm: [checkRequired, checkEquals(form.password)],
  })
  if (!auth) return
  const isTheirs =
    auth.values.verified === true || readTokenClaim(form.token, 'email') === auth.values.email
  const change = { password: form.password, verified: isTheirs }
  await changeAuthRecord(
    store,
    services.extensions,
    auth,
    change,
    'Failed to set new password.',
    also,
  )
  await clearMailLimit(store, 'passwordReset', auth)
}
