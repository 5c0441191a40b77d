import { computed, signal } from '@preact/signals'
import { getTokenPayload, type RecordModel, type SendOptions } from 'pocketbase'
import { t } from '../language/words.ts'
import { own, pb, personal } from './client.ts'
import { lineSignal } from './line/line.ts'
import { stopNotifications } from './notifications/browser.ts'

export type Role = 'user' | 'superuser'

/** What a person may do in an account, from the least to the most. `none`: a member without an account. */
const TEAM_ROLES = ['none', 'viewer', 'agent', 'admin', 'owner'] as const
export type TeamRole = (typeof TEAM_ROLES)[number]

/** The signed-in person, and the account that they act for. */
export interface Session {
  readonly role: Role
  /** The account, whose records the pages show. */
  readonly record: RecordModel
  readonly email: string
  readonly team: TeamRole
  /** The person's id among the account's `senders`. */
  readonly sender: string
  /** The person: the account itself, or the member who acts for it. */
  readonly person: RecordModel
}

/** Interval of refreshing the sign-in. It is also refreshed when the page comes to the front. */
const REFRESH_MS = 5 * 60_000
/** Wait after the event stream has ended: the answer with a new session's token may still arrive. */
const NEW_TOKEN_MS = 200

const stored = signal(pb.authStore.isValid ? pb.authStore.record : null)

export const session = computed((): Session | null => {
  const record = stored.value
  if (!record) return null
  const role = record.collectionName === '_superusers' ? 'superuser' : 'user'
  const email = String(record.email ?? '')
  const { actor, role: team } = getTokenPayload(pb.authStore.token)
  return actor
    ? { role, record, email, team, sender: actor, person: own.authStore.record ?? record }
    : { role, record, email, team: record.member_only ? 'none' : 'owner', sender: record.id, person: record }
})

export const may = (least: TeamRole): boolean =>
  TEAM_ROLES.indexOf(session.value?.team ?? 'viewer') >= TEAM_ROLES.indexOf(least)

/** Why a session ended by itself, for the sign-in form. */
export const ending = signal<'none' | 'expired' | 'refused'>('none')

/** The account that the person may no longer act for; '' for none. */
export const endedAccount = signal('')

const identity = () => {
  const { record, token } = pb.authStore
  const { actor = '', role = '' } = getTokenPayload(token)
  return `${record?.id} ${actor} ${role}`
}
let before = identity()

pb.authStore.onChange(() => {
  // the server binds an event stream to one identity
  if (before !== identity()) void pb.realtime.unsubscribe().catch(() => {})
  before = identity()
  stored.value = pb.authStore.isValid ? pb.authStore.record : null
  if (stored.value) ending.value = 'none'
})

export function userId(): string {
  if (!session.value) throw new Error(t('Nobody is signed in.'))
  return session.value.record.id
}

/** How often an invalid token was replaced. Subscriptions must be renewed after each time. */
export const renewals = signal(0)

/** Continues with the token of a new session, when all other sessions of the account have ended. */
export function renewSession(token: string, record: RecordModel): void {
  pb.authStore.save(token, record)
  renewals.value++
}

/** Switches to an account whose member the person is. Keeps their own sign-in for the way back. */
export async function actFor(account: string): Promise<void> {
  const body = { account }
  const { token, record } = await personal().send('/api/account/act-for', { method: 'POST', body })
  if (!own.authStore.isValid) own.authStore.save(pb.authStore.token, pb.authStore.record)
  endedAccount.value = ''
  pb.authStore.save(token, record)
}

/** Goes back to the person's own account. */
export function actForNobody(): void {
  const { token, record } = own.authStore
  if (!own.authStore.isValid) return
  pb.authStore.save(token, record)
  own.authStore.clear()
}

/** Ends the session and its notifications in this browser. Keeps the URL for the next sign-in. */
export function signOut(): void {
  stopNotifications()
  endSession()
}

function endSession(): void {
  pb.authStore.clear()
  own.authStore.clear()
}

function expire(how: 'expired' | 'refused'): void {
  ending.value = how
  endSession()
}

/** Signs out before a request with an expired token, which the server would answer with empty lists. */
pb.beforeSend = (url, options) => {
  if (pb.authStore.token && !pb.authStore.isValid) expire('expired')
  // no signal for uploads: a long upload may fill a healthy connection, which then looks dead
  if (!options.signal && !(options.body instanceof FormData)) options.signal = lineSignal()
  return { url, options }
}

/** After a 401 for the token in use: renews it if the person acts for an account, signs out if not. */
pb.afterSend = (response: Response, data: unknown, options?: SendOptions) => {
  const { token } = pb.authStore
  const isOfNow = token !== '' && options?.headers?.Authorization === token
  if (response.status === 401 && isOfNow && !response.url.includes('/auth-with-'))
    own.authStore.isValid ? void refresh() : expire('refused')
  return data
}

/** While the person acts for an account, `own` keeps their own token. A 401 for that token signs them out. */
own.afterSend = (response: Response, data: unknown) => {
  if (response.status === 401) expire('refused')
  return data
}

let refreshing: Promise<void> | undefined

/** Renews the person's token and the one for acting. Concurrent calls share one renewal. */
function refresh(): Promise<void> {
  refreshing ??= renewTokens().finally(() => {
    refreshing = undefined
  })
  return refreshing
}

async function renewTokens(): Promise<void> {
  const record = pb.authStore.record
  if (!record || !navigator.onLine) return
  const client = personal()
  await client
    .collection(client.authStore.record?.collectionName ?? 'users')
    .authRefresh()
    .catch(() => {}) // afterSend handles a 401; other errors do not sign out
  if (own.authStore.isValid) await actFor(record.id).catch(endActing)
}

function endActing(error: { status?: number }): void {
  const { record } = pb.authStore
  if (!record || !own.authStore.isValid || ![400, 403, 404].includes(error.status ?? 0)) return
  endedAccount.value = record.name || record.email
  actForNobody()
}

/** Keeps the session fresh for as long as the console is open. */
export function watchSession(): void {
  void refresh()
  setInterval(() => void refresh(), REFRESH_MS)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void refresh()
  })
  // the server closes the event stream when it ends a session
  pb.realtime.onDisconnect = (topics) => {
    if (topics.length > 0) setTimeout(() => void refresh(), NEW_TOKEN_MS)
  }
}
