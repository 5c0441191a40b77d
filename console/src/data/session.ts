import { computed, signal } from '@preact/signals'
import type PocketBase from 'pocketbase'
import {
  getTokenPayload,
  type RecordAuthResponse,
  type RecordModel,
  type SendOptions,
} from 'pocketbase'
import { t } from '../language/words.ts'
import { isSuperuser, mustRenew, readActing } from './acting.ts'
import { findPersonalClient, own, pb } from './client.ts'
import { readConnectionSignal } from './connection/connection.ts'
import { readFault } from './fault.ts'
import { stopNotifications } from './notifications/browser.ts'
import { closeEventStream } from './use/shared-subscription.ts'

export type Role = 'user' | 'superuser'

/** Roles in an account, from the fewest rights to the most. `none`: a person who acts for no account. */
const TEAM_ROLES = ['none', 'viewer', 'agent', 'admin', 'owner'] as const
export type TeamRole = (typeof TEAM_ROLES)[number]

/** The signed-in person, and the account that they act for. */
export interface Session {
  readonly role: Role
  /** The account whose records the pages show. */
  readonly record: RecordModel
  readonly email: string
  readonly team: TeamRole
  /** The id of the person's record in the collection `senders`. */
  readonly sender: string
  /** The signed-in person: the owner of the account, or the member who acts for it. */
  readonly person: RecordModel
  /** Whether a superuser sees the account of a user. Nothing is changed or reported in it. */
  readonly isVisit: boolean
}

/** Interval in which the token is renewed. It is also renewed when the page becomes visible. */
const REFRESH_MS = 5 * 60_000
/** Wait after the event stream ends, before the token is renewed: an answer may bring a new token first. */
const NEW_TOKEN_MS = 200

const stored = signal(pb.authStore.isValid ? pb.authStore.record : null)

export const session = computed((): Session | null => {
  const record = stored.value
  if (!record) return null
  const role = isSuperuser(record) ? 'superuser' : 'user'
  const { actor, role: team } = getTokenPayload(pb.authStore.token)
  const person = own.authStore.record ?? record
  const known = { role, record, email: String(record.email ?? ''), isVisit: false } as const
  if (actor) return { ...known, team, sender: actor, person }
  if (role === 'user' && isSuperuser(person))
    return { ...known, team: 'viewer', sender: person.id, person, isVisit: true }
  return {
    ...known,
    team: record.member_only ? 'none' : 'owner',
    sender: record.id,
    person: record,
  }
})

/** Whether the pages show the account of a user, and not the whole server to a superuser. */
export const isUser = (): boolean => session.value?.role === 'user'

export const hasTeamRole = (least: TeamRole): boolean =>
  TEAM_ROLES.indexOf(session.value?.team ?? 'viewer') >= TEAM_ROLES.indexOf(least)

/** Why the session ended by itself. `account`: the team's name, if the person has no account of their own. */
export const ending = signal<{
  readonly how: 'expired' | 'refused'
  readonly account?: string
} | null>(null)

/** The names of accounts that the person may act for, by id. `record.name` is their owner's own name. */
export const accountNames = new Map<string, string>()

/** An account that the person may not act for now. `why`: the server's sentence, for a member. */
export const endedAccount = signal<{
  readonly id: string
  readonly name: string
  readonly why?: string
} | null>(null)

/** Notes an account that the server refused: people who are no members any more get a 404. */
export function noteEndedAccount(id: string, name: string, error: unknown): void {
  const { status, message } = readFault(error)
  endedAccount.value = { id, name, ...(status === 403 && { why: message }) }
}

const identifySession = () => {
  const { record, token } = pb.authStore
  const { actor = '', role = '' } = getTokenPayload(token)
  return `${record?.id} ${actor} ${role}`
}
let before = identifySession()

pb.authStore.onChange(() => {
  // closes the event stream, because the server binds a stream to one identity
  if (before !== identifySession()) closeEventStream()
  before = identifySession()
  stored.value = pb.authStore.isValid ? pb.authStore.record : null
  if (stored.value) ending.value = null
})

export function readUserId(): string {
  if (!session.value) throw new Error(t('Nobody is signed in.'))
  return session.value.record.id
}

/** Names the signed-in person in the account, for what this browser keeps: `ACCOUNT.SENDER`. */
export const namePerson = (): string =>
  `${session.value?.record.id ?? ''}.${session.value?.sender ?? ''}`

/** How often a session was replaced by a new one. Each time, subscriptions must be made again. */
export const renewals = signal(0)

/** Continues with a new token, after the server has ended all sessions of the account. */
export function renewSession(token: string, record: RecordModel): void {
  pb.authStore.save(token, record)
  renewals.value++
}

/** Switches to an account, unless the person signs out meanwhile. `own` keeps the person's own sign-in. */
export async function actForAccount(account: string, isWanted = () => true): Promise<void> {
  const person = findPersonalClient().authStore.record?.id
  const { token, record } = await readActing(account)
  if (findPersonalClient().authStore.record?.id !== person || !isWanted()) return
  if (!own.authStore.isValid) own.authStore.save(pb.authStore.token, pb.authStore.record)
  endedAccount.value = null
  pb.authStore.save(token, record)
}

/** Goes back to the person's own account. */
export function stopActing(): void {
  if (!own.authStore.isValid) return
  pb.authStore.save(own.authStore.token, own.authStore.record)
  own.authStore.clear()
}

/**
 * Signs out here and at the server, and turns off notifications here. The URL stays, so the next sign-in
 * opens the same page.
 */
export function signOut(): void {
  stopNotifications()
  // without a connection the session ends with its token
  const client = findPersonalClient()
  void client.send('/api/account/sessions/current', { method: 'DELETE' }).catch(() => {})
  endSessionHere()
}

/** Signs out here, after the server has ended all sessions of the account. */
export function leaveEndedSession(): void {
  stopNotifications()
  endSessionHere()
}

function endSessionHere(): void {
  pb.authStore.clear()
  own.authStore.clear()
}

function expireSession(how: 'expired' | 'refused'): void {
  const { person, record } = session.peek() ?? {}
  ending.value = {
    how,
    ...(person?.member_only &&
      record && { account: accountNames.get(record.id) ?? (record.name || record.email) }),
  }
  endSessionHere()
}

/** Signs out before a request if the token has expired: the server would answer with empty lists. */
pb.beforeSend = (url, options) => {
  if (pb.authStore.token && !pb.authStore.isValid) expireSession('expired')
  // aborts requests when the connection dies. Not uploads: a long one can make a healthy connection look dead
  if (!options.signal && !(options.body instanceof FormData))
    options.signal = readConnectionSignal()
  // entries of `consents` name the place of the change
  options.headers = { 'Consent-Source': 'console', ...options.headers }
  return { url, options }
}

/** After a 401 for the current token: renews the token if the person acts for a team, else signs out. */
pb.afterSend = (response: Response, data: unknown, options?: SendOptions) => {
  const { token } = pb.authStore
  const isOfNow = token !== '' && options?.headers?.Authorization === token
  if (response.status === 401 && isOfNow && !response.url.includes('/auth-with-'))
    own.authStore.isValid ? void refreshSession(true) : expireSession('refused')
  return data
}

/** While the person acts for another account, `own` has their own token. A 401 for that token signs out. */
own.afterSend = (response: Response, data: unknown) => {
  if (response.status === 401) expireSession('refused')
  return data
}

let refreshing: Promise<void> | undefined

/** Renews the tokens of the session. Concurrent calls share one renewal. */
function refreshSession(isRefused = false): Promise<void> {
  refreshing ??= renewTokens(isRefused).finally(() => {
    refreshing = undefined
  })
  return refreshing
}

async function renewTokens(isRefused: boolean): Promise<void> {
  if (!pb.authStore.record || !navigator.onLine) return
  const client = findPersonalClient()
  const path = `/api/collections/${client.authStore.record?.collectionName ?? 'users'}/auth-refresh`
  // afterSend handles a 401; other errors do not sign out
  await renewClientToken(client, () => client.send(path, { method: 'POST' })).catch(() => {})
  const account = pb.authStore.record?.id
  if (account && own.authStore.isValid && (isRefused || mustRenew(pb.authStore.token)))
    await renewClientToken(pb, () => readActing(account)).catch(endActing)
}

/** Saves a client's new session, or its error, only if the person did not change the account meanwhile. */
async function renewClientToken(
  client: PocketBase,
  read: () => Promise<RecordAuthResponse>,
): Promise<void> {
  const { token } = client.authStore
  const isSame = () => client.authStore.token === token
  const renewed = await read().catch((error) => {
    if (isSame()) throw error
  })
  if (renewed && isSame()) client.authStore.save(renewed.token, renewed.record)
}

function endActing(error: { status?: number }): void {
  const { record } = pb.authStore
  if (!record || ![400, 403, 404].includes(error.status ?? 0)) return
  noteEndedAccount(record.id, record.name || record.email, error)
  stopActing()
}

/** Renews the token regularly for as long as the console is open. */
export function watchSession(): void {
  void refreshSession()
  setInterval(() => void refreshSession(), REFRESH_MS)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void refreshSession()
  })
  // checks the token: the server closes the event stream when it ends a session
  pb.realtime.onDisconnect = (topics) => {
    if (topics.length > 0) setTimeout(() => void refreshSession(), NEW_TOKEN_MS)
  }
}
