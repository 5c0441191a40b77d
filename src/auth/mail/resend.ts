import type { Store } from '../../collections/catalog.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { AuthServices } from '../auth-services.ts'
import { clearAttempts, countAttempt } from '../limits/attempt-limits.ts'
import { type MailedLink, mailLink } from './mails.ts'

/** The same mail is not sent twice within this time. */
const RESEND_SECONDS = 120

const keyOf = (link: MailedLink, auth: AuthRecord | null) =>
  `mail ${link} ${auth?.collection.id ?? ''} ${auth?.id ?? ''}`

/** Mails a link after the answer, at most once in RESEND_SECONDS. `null` takes as long. Logs failures. */
export async function mailInBackground(
  store: Store,
  services: AuthServices,
  link: MailedLink,
  auth: AuthRecord | null,
): Promise<void> {
  const key = keyOf(link, auth)
  // counted before it is sent: a concurrent request may ask for the same mail
  if (!(await countAttempt(store.db, key, 1, RESEND_SECONDS)) || !auth) return
  const about = { kind: link, collection: auth.collection.name, id: auth.id }
  void mailLink(services, auth, link).catch(async (err) => {
    services.log.error({ err, ...about }, 'could not send a mail')
    await clearAttempts(store.db, key).catch(() => {})
  })
}

/** Lets the next mail be sent at once. */
export const clearMailLimit = (store: Store, link: MailedLink, auth: AuthRecord) =>
  clearAttempts(store.db, keyOf(link, auth))
