import type { Store } from '../../collections/catalog.ts'
import { checkFields, email, length, required, when } from '../../collections/checks.ts'
import { object, text, type ValueOf } from '../../fields/shape.ts'
import type { AuthRecord } from '../../request/request.ts'
import { findByEmail } from '../auth-rows.ts'
import { type AuthCall, type AuthServices, attemptOf } from '../auth-services.ts'
import { clearAttempts, countAttempt, limitMails } from '../limits/attempt-limits.ts'
import { type MailedLink, mailLink } from './mails.ts'
import { findByNumber, isNumber } from './otp-text.ts'

const RESEND_SECONDS = 120

const keyOf = (link: MailedLink, auth: AuthRecord | null) =>
  `mail ${link} ${auth?.collection.id ?? ''} ${auth?.id ?? ''}`

/** Starts to mail a link, at most once in RESEND_SECONDS. For null it takes as long and sends nothing. */
export async function mailInBackground(
  store: Store,
  services: AuthServices,
  link: MailedLink,
  auth: AuthRecord | null,
): Promise<void> {
  const key = keyOf(link, auth)
  // counted before sending: a concurrent request may ask for the same mail
  if (!(await countAttempt(store.db, key, 1, RESEND_SECONDS)) || !auth) return
  const about = { kind: link, collection: auth.collection.name, id: auth.id }
  void mailLink(services, auth, link).catch(async (err) => {
    services.log.error({ err, ...about }, 'could not send a mail')
    await clearAttempts(store.db, key).catch(() => {})
  })
}

export const clearMailLimit = (store: Store, link: MailedLink, auth: AuthRecord) =>
  clearAttempts(store.db, keyOf(link, auth))

export const EMAIL_FORM = object({ email: text })
export type EmailForm = ValueOf<typeof EMAIL_FORM>

/** Finds the record with the form's address or number; null if unknown or disabled. Throws 400, 429. */
export async function findForMail(
  call: AuthCall<EmailForm>,
  takesNumbers = false,
): Promise<AuthRecord | null> {
  const { store, collection } = call
  const form = await call.readForm()
  const isByNumber = takesNumbers && isNumber(collection, form.email)
  checkFields(form, { email: [required, length(1, 255), when(!isByNumber, email)] })
  await limitMails(attemptOf(call, form.email))
  const auth = await (isByNumber ? findByNumber : findByEmail)(store, collection, form.email)
  return auth && !auth.isDisabled ? auth : null
}
