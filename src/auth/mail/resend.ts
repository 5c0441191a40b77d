import type { Store } from '../../collections/catalog.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { AuthServices } from '../auth-services.ts'
import { clearAttempts, countAttempt, hasAttempt } from '../limits/attempt-counts.ts'

/** A mail that was sent is not sent again for so long. */
const RESEND_SECONDS = 120

type Kind = 'verification' | 'passwordReset'
const keyOf = (kind: Kind, auth: AuthRecord | null) =>
  `mail ${kind} ${auth?.collection.id ?? ''} ${auth?.id ?? ''}`

/**
 * Sends a mail that anyone may ask for: not again within two minutes, and only after the answer, whose time
 * must not tell whether there is such an account: for nobody the same is looked up. A failure is logged.
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

/** The mail has served: the next one may be sent at once. */
export const clearMailLimit = (store: Store, kind: Kind, auth: AuthRecord) =>
  clearAttempts(store.db, keyOf(kind, auth))
