import { ApiError, type FieldError, makeFieldError } from '../../platform/api-errors.ts'
import { makeGuestHolder } from '../../platform/limits/limit-holder.ts'
import type { Store } from '../collections/catalog.ts'
import type { AuthCollection } from '../collections/collection.ts'
import { verifyPassword } from '../fields/bcrypt.ts'
import { makeObjectShape, text, type ValueOf } from '../fields/json-shapes.ts'
import {
  checkEmail,
  checkFields,
  checkLength,
  checkNotListed,
  checkRequired,
  failWith,
} from '../fields/value-checks.ts'
import type { AuthRecord } from '../request/request.ts'
import { sendLinkMail } from './auth-mails.ts'
import { type AuthCall, makeAuthAttempt } from './auth-services.ts'
import { changeAuthRecord, demandUsers, type InSameTransaction } from './change-auth-record.ts'
import { findByEmail } from './find-auth-record.ts'
import { mailNotice } from './mail-notice.ts'
import { readFactorState } from './proof-state.ts'
import { limitMails, limitSignInAttempts } from './sign-in-limits.ts'
import { findOwnerError, findRecordByToken, readTokenClaim } from './tokens.ts'

const DIRECTLY = 'All superusers can change their emails directly.'

export const EMAIL_CHANGE_FORM = makeObjectShape({ newEmail: text })

/** Mails a link to the new address. Throws 400, 429. PocketBase: apis/record_auth_email_change_request.go */
export async function requestEmailChange(call: AuthCall<{ newEmail: string }>, auth: AuthRecord) {
  const { store, services, collection } = call
  demandUsers(collection, DIRECTLY)
  const form = await call.readForm()
  await limitMails(makeAuthAttempt(call, auth.id))
  const holder = await findByEmail(store, collection, form.newEmail)
  const isTaken = holder !== null && holder.id !== auth.id
  const taken = isTaken
    ? makeFieldError('validation_invalid_new_email', 'Invalid new email address.')
    : undefined
  const isOther = checkNotListed([String(auth.values.email)])
  checkFields(form, {
    newEmail: [checkRequired, checkLength(1, 255), checkEmail, isOther, failWith(taken)],
  })
  try {
    const factors = await readFactorState(store.db, auth)
    const more = { newEmail: form.newEmail, factors }
    await sendLinkMail(services, auth, 'emailChange', call.browser, more)
  } catch (error) {
    throw Object.assign(new ApiError(400, 'Failed to request email change.'), { cause: error })
  }
}

export const EMAIL_CHANGE_CONFIRM_FORM = makeObjectShape({ token: text, password: text })

/**
 * Sets the token's email and marks it as verified; ends older tokens. The former address gets a mail.
 * PocketBase: record_auth_email_change_confirm.go
 */
export async function confirmEmailChange(
  call: AuthCall<ValueOf<typeof EMAIL_CHANGE_CONFIRM_FORM>>,
  also?: InSameTransaction,
): Promise<void> {
  const { store, services, collection, ip } = call
  demandUsers(collection, DIRECTLY)
  const form = await call.readForm()
  const newEmail = readTokenClaim(form.token, 'newEmail')
  const auth = await findRecordByToken(store, form.token, 'emailChange')
  const error = await findEmailError(store, collection, newEmail, auth)
  const demand = async () => {
    const hash = String(auth?.values.password ?? '')
    const isRight = !error && (await verifyPassword(form.password, hash, makeGuestHolder(ip)))
    checkFields(form, {
      token: [checkRequired, failWith(error)],
      password: [
        checkRequired,
        checkLength(1, 100),
        failWith(isRight ? undefined : WRONG_PASSWORD),
      ],
    })
  }
  if (error || !auth) return demand()
  await limitSignInAttempts(makeAuthAttempt(call, auth.id), demand)
  const change = { email: newEmail, verified: true }
  await changeAuthRecord(
    store,
    services.extensions,
    auth,
    change,
    'Failed to confirm email change.',
    also,
  )
  mailNotice(services, auth, MOVED, call.browser)
}

/** For the former address: a thief of a session and the password can change it. */
const MOVED = {
  subject: 'movedSubject',
  lines: ['moved', 'movedEnd', 'signInIgnore'],
} as const

const WRONG_PASSWORD = makeFieldError(
  'validation_invalid_password',
  'Missing or invalid auth record password.',
)

async function findEmailError(
  store: Store,
  collection: AuthCollection,
  newEmail: string,
  auth: AuthRecord | null,
): Promise<FieldError | undefined> {
  if (newEmail === '')
    return makeFieldError(
      'validation_invalid_token_payload',
      'Invalid token payload - newEmail must be set.',
    )
  const error = findOwnerError(collection, auth)
  if (error || !(await findByEmail(store, collection, newEmail))) return error
  return makeFieldError('validation_invalid_token_email', 'The new email address is invalid.')
}
