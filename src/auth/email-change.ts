import type { Store } from '../collections/catalog.ts'
import { demandFields, email, failing, length, noneOf, required } from '../collections/checks.ts'
import { type AuthCollection, SUPERUSERS } from '../collections/collection.ts'
import { object, text } from '../collections/decode.ts'
import { ApiError, badRequest, type FieldError, fieldError } from '../errors.ts'
import { verifyPassword } from '../fields/bcrypt.ts'
import type { AuthRecord } from '../filter/request.ts'
import { networkOf } from './addresses.ts'
import { attempt, countMail } from './attempts.ts'
import { findByEmail } from './auth-rows.ts'
import { type Also, changeAuthRecord } from './change.ts'
import type { Desk } from './desk.ts'
import { findByToken } from './identify.ts'
import { mailEmailChange } from './mails.ts'
import { collectionMismatch, invalidToken } from './token-errors.ts'
import { claimOf } from './tokens.ts'

function demandUsers(collection: AuthCollection): void {
  if (collection.name === SUPERUSERS) throw badRequest('All superusers can change their emails directly.')
}

/** What a client submits to ask for such a mail. */
export const EMAIL_CHANGE_FORM = object<{ newEmail: string }>({ newEmail: text })

/**
 * Mails a link to the address that a signed-in record wants to take on. Throws 400 with the error of the form, also for an
 * address that is taken, and when the mail cannot be sent; 429 when it was asked for too often. PocketBase: apis/record_auth_email_change_request.go
 */
export async function requestEmailChange(
  store: Store,
  desk: Desk,
  collection: AuthCollection,
  auth: AuthRecord,
  ip: string,
  readForm: () => Promise<{ newEmail: string }>,
): Promise<void> {
  demandUsers(collection)
  const form = await readForm()
  await countMail({ db: store.db, config: desk.config, collection: collection.id, account: auth.id, ip })
  const holder = await findByEmail(store, collection, form.newEmail)
  const isTaken = holder !== null && holder.id !== auth.id
  demandFields(form, {
    newEmail: [
      required,
      length(1, 255),
      email,
      noneOf([String(auth.values.email)]),
      failing(isTaken ? fieldError('validation_invalid_new_email', 'Invalid new email address.') : undefined),
    ],
  })
  try {
    await mailEmailChange(desk, auth, form.newEmail)
  } catch (error) {
    throw Object.assign(new ApiError(400, 'Failed to request email change.'), { cause: error })
  }
}

/** What comes back from the page that the mail leads to. */
export interface ConfirmForm {
  token: string
  password: string
}
/** The same as a body must have it. */
export const EMAIL_CHANGE_CONFIRM_FORM = object<ConfirmForm>({ token: text, password: text })

/**
 * Takes on the address of the token, which counts as verified; all tokens of before are void. Throws 400 with the errors of
 * the form. PocketBase: apis/record_auth_email_change_confirm.go
 */
export async function confirmEmailChange(
  store: Store,
  desk: Desk,
  collection: AuthCollection,
  ip: string,
  readForm: () => Promise<ConfirmForm>,
  also?: Also,
): Promise<void> {
  demandUsers(collection)
  const form = await readForm()
  const newEmail = claimOf(form.token, 'newEmail')
  const auth = await findByToken(store, form.token, 'emailChange')
  const error = await tokenError(store, collection, newEmail, auth)
  const demand = async (isKnown = false) => {
    const hash = String(auth?.values.password ?? '')
    const isRight = !error && (await verifyPassword(form.password, hash, networkOf(ip), isKnown))
    demandFields(form, {
      token: [required, failing(error)],
      password: [required, length(1, 100), failing(isRight ? undefined : wrongPassword())],
    })
  }
  if (error || !auth) return demand()
  await attempt(
    { db: store.db, config: desk.config, collection: collection.id, account: auth.id, ip },
    demand,
  )
  const change = { email: newEmail, verified: true }
  await changeAuthRecord(store, desk.extensions, auth, change, 'Failed to confirm email change.', also)
}

const wrongPassword = () =>
  fieldError('validation_invalid_password', 'Missing or invalid auth record password.')

async function tokenError(
  store: Store,
  collection: AuthCollection,
  newEmail: string,
  auth: AuthRecord | null,
): Promise<FieldError | undefined> {
  if (newEmail === '')
    return fieldError('validation_invalid_token_payload', 'Invalid token payload - newEmail must be set.')
  if (!auth) return invalidToken()
  if (auth.collection.id !== collection.id) return collectionMismatch()
  const isTaken = (await findByEmail(store, collection, newEmail)) !== null
  return isTaken
    ? fieldError('validation_invalid_token_email', 'The new email address is invalid.')
    : undefined
}
