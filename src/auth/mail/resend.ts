import type { Store } from '../../collections/catalog.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { AuthServices } from '../auth-services.ts'
import { clearAttempts, countAttempt, hasAttempt } from '../limits/attempt-counts.ts'

/** The same mail is not sent twice within this time. */
const RESEND_SECONDS = 120

type Kind = 'verification' | 'passwordReset'
const keyOf = (kind: Kind, auth: AuthRecord | null) =>
  `mail ${kind} ${auth?.collection.id ?? ''} ${auth?.id ?? ''}`

/**
 * Sends a mail at most once per RESEND_SECONDS, after the answer. `null` causes the same lookups, so that
 * nothing reveals whether an account exists. Failures are logged.
 */
export async function mailInBackground(
  store: Store,
  services: AuthServices,
  kind: Kind,
  auth: AuthRecord | null,
  send: (auth: AuthRecord) => Promise<void>,
): Promise<void> {
  const key = keyOf(kind, auth)
  if ((await hasAttempt(store.db, key)) || !auth) return
  void send(auth)
    .then(() => countAttempt(store.db, key, 1, RESEND_SECONDS))
    .catch((error) =>
      services.log.error(
        { err: error, kind, collection: auth.collection.name, id: auth.id },
        'a mail was not sent',
      ),
    )
}

/** Lets the next mail be sent at once. */
export const clearMailLimit = (store: Store, kind: Kind, auth: AuthRecord) =>
  clearAttempts(store.db, keyOf(kind, auth))
