import { computed, signal } from '@preact/signals'
import type { RecordModel, SendOptions } from 'pocketbase'
import { t } from '../language/words.ts'
import { pb } from './client.ts'
import { stopNotifications } from './notifications/browser.ts'

export type Role = 'user' | 'superuser'

/** Who is signed in. */
export interface Session {
  readonly role: Role
  readonly record: RecordModel
  readonly email: string
}

/** A sign-in is looked at again this often, and when the page comes to the front. */
const REFRESH_MS = 5 * 60_000
/** The stream of changes may end before the answer comes that has the token of a new session. */
const NEW_TOKEN_MS = 200

const stored = signal(pb.authStore.isValid ? pb.authStore.record : null)

/** Who is signed in; null for nobody. */
export const session = computed((): Session | null => {
  const record = stored.value
  if (!record) return null
  const role = record.collectionName === '_superusers' ? 'superuser' : 'user'
  return { role, record, email: String(record.email ?? '') }
})

/** How a session ended without the user; the sign-in form says so. */
export const ending = signal<'none' | 'expired' | 'refused'>('none')

pb.authStore.onChange(() => {
  stored.value = pb.authStore.isValid ? pb.authStore.record : null
  if (stored.value) ending.value = 'none'
})

/** The id of the signed-in user, for the `user` field of new records. Throws when nobody is signed in. */
export function userId(): string {
  if (!session.value) throw new Error(t('Nobody is signed in.'))
  return session.value.record.id
}

/** Counts tokens that took the place of one that was void: what listens to changes has to ask again. */
export const renewals = signal(0)

/** Goes on with a token of a new session, after all others of the account have ended. */
export function renewSession(token: string, record: RecordModel): void {
  pb.authStore.save(token, record)
  renewals.value++
}

/** Ends the session and its notifications here; the page stays, so that signing in again leads back to it. */
export function signOut(): void {
  stopNotifications()
  endSession()
}

function endSession(): void {
  void pb.realtime.unsubscribe().catch(() => {})
  pb.authStore.clear()
}

function expire(how: 'expired' | 'refused'): void {
  ending.value = how
  endSession()
}

/** A token that has run out would make us a guest, who sees empty lists: it is never sent. */
pb.beforeSend = (url, options) => {
  if (pb.authStore.token && !pb.authStore.isValid) expire('expired')
  return { url, options }
}

/** 401 to the token of now: the session has ended on the server. */
pb.afterSend = (response: Response, data: unknown, options?: SendOptions) => {
  const { token } = pb.authStore
  const isOfNow = token !== '' && options?.headers?.Authorization === token
  if (response.status === 401 && isOfNow && !response.url.includes('/auth-with-')) expire('refused')
  return data
}

async function refresh(): Promise<void> {
  const record = pb.authStore.record
  if (!record || !navigator.onLine) return
  await pb
    .collection(record.collectionName)
    .authRefresh()
    .catch(() => {}) // a 401 was seen by afterSend; anything else is no reason to sign out
}

/** Keeps the session fresh for as long as the console is open. */
export function watchSession(): void {
  void refresh()
  setInterval(() => void refresh(), REFRESH_MS)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void refresh()
  })
  // the server ends the stream of changes of a session that has ended
  pb.realtime.onDisconnect = (topics) => {
    if (topics.length > 0) setTimeout(() => void refresh(), NEW_TOKEN_MS)
  }
}
