import type { Language } from '../../portable/languages.ts'
import { E164 } from '../../portable/phone/e164.ts'
import type { Store } from '../collections/catalog.ts'
import type { AuthCollection } from '../collections/collection.ts'
import { makeObjectShape, text, type ValueOf } from '../fields/json-shapes.ts'
import {
  checkEmail,
  checkFields,
  checkLength,
  checkRequired,
  checkWhen,
} from '../fields/value-checks.ts'
import type { AuthRecord } from '../request/request.ts'
import { type MailedLink, sendLinkMail } from './auth-mails.ts'
import { type AuthCall, type AuthServices, makeAuthAttempt } from './auth-services.ts'
import { findByEmail, findByIdentity } from './find-auth-record.ts'
import { readFactorState } from './proof-state.ts'
import { clearAttempts, countAttempt, limitMails } from './sign-in-limits.ts'

const RESEND_SECONDS = 120

const makeMailLimitKey = (link: MailedLink, auth: AuthRecord | null) =>
  `mail ${link} ${auth?.collection.id ?? ''} ${auth?.id ?? ''}`

/** Mails a link in the background, once per RESEND_SECONDS. If `auth` is null, only takes the same time. */
export async function mailInBackground(
  store: Store,
  services: AuthServices,
  link: MailedLink,
  auth: AuthRecord | null,
  browser: Language | undefined,
): Promise<void> {
  const key = makeMailLimitKey(link, auth)
  // count before sending, because a concurrent request may ask for the same mail
  if (!(await countAttempt(store.db, key, 1, RESEND_SECONDS)) || !auth) return
  const about = { kind: link, collection: auth.collection.name, id: auth.id }
  const factors = await readFactorState(store.db, auth)
  void sendLinkMail(services, auth, link, browser, { factors }).catch(async (err) => {
    services.log.error({ err, ...about }, 'could not send a mail')
    await clearAttempts(store.db, key).catch(() => {})
  })
}

export const clearMailLimit = (store: Store, link: MailedLink, auth: AuthRecord) =>
  clearAttempts(store.db, makeMailLimitKey(link, auth))

export const EMAIL_FORM = makeObjectShape({ email: text })
export type EmailForm = ValueOf<typeof EMAIL_FORM>

/** Finds the record with the form's email or phone number; null if unknown or disabled. Throws 400, 429. */
export async function findMailedRecord(
  call: AuthCall<EmailForm>,
  takesNumbers = false,
): Promise<AuthRecord | null> {
  const { store, collection } = call
  const form = await call.readForm()
  const isByNumber = takesNumbers && isPhoneLogin(collection, form.email)
  checkFields(form, {
    email: [checkRequired, checkLength(1, 255), checkWhen(!isByNumber, checkEmail)],
  })
  await limitMails(makeAuthAttempt(call, form.email))
  const auth = await (isByNumber ? findRecordByPhone : findByEmail)(store, collection, form.email)
  return auth && !auth.isDisabled ? auth : null
}

const isPhoneLogin = ({ otp }: AuthCollection, typed: string): boolean =>
  otp.channel !== undefined && E164.test(typed)

/** The record with this phone number; null if it has an email: that may belong to another person. */
async function findRecordByPhone(store: Store, collection: AuthCollection, number: string) {
  const auth = await findByIdentity(store, collection, collection.otp.channel!.field, number)
  return auth?.values.email === '' ? auth : null
}
