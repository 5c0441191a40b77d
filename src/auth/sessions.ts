import { randomInt } from 'node:crypto'
import { z } from 'zod'
import { accountHolder } from '../admission/holder.ts'
import { type AuthCollection, quote, type Store, tableName, USERS_ID } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import {
  number,
  run,
  runForCount,
  runForRow,
  sql,
  statement,
  type Texts,
  tables,
  text,
} from '../db/statement.ts'
import { notFound } from '../errors.ts'
import { INSTANT } from '../fields/instant.ts'
import { ENDED_SESSIONS, logChange } from '../records/record-sql.ts'
import type { AuthRecord } from '../request/request.ts'
import { randomId } from '../tools/random.ts'
import type { InSameTransaction } from './account.ts'
import { deleteOldSystemRecords } from './auth-rows.ts'
import type { Origin } from './auth-services.ts'
import { readClaims, sha256, signToken } from './tokens.ts'

const MAX_TRIES = 5
const SPREAD_SECONDS = 60

const durationOf = (auth: AuthRecord): number => (auth.collection as AuthCollection).authToken.duration

const nowSeconds = (): number => Math.floor(Date.now() / 1000)

/**
 * Signs a token that no other session has. `keep` stores the token's hash, or returns false if another
 * session has this hash. The next try then signs another expiry.
 */
async function signOwnToken(
  auth: AuthRecord,
  keep: (hash: string, expires: number) => Promise<boolean>,
): Promise<{ token: string; isKept: boolean }> {
  for (let tries = 1; ; tries++) {
    const later = tries === 1 ? 0 : 1 + randomInt(SPREAD_SECONDS)
    const expires = nowSeconds() + durationOf(auth) + later
    const token = await signToken(auth, 'auth', { expires })
    const isKept = await keep(sha256(token), expires)
    if (isKept || tries === MAX_TRIES) return { token, isKept }
  }
}

/** Maximum sessions listed per record. Older ones stay valid but are not listed. */
const MAX_LISTED = 50
const MAX_AGENT_LENGTH = 300

export const SESSION = z
  .object({
    id: z.string(),
    created: INSTANT.describe('When it began, by a sign-in.'),
    used_at: INSTANT.describe('When its token was last refreshed.'),
    expires_at: INSTANT.describe('When it ends unless its token is refreshed.'),
    ip: z.string().describe('The address of the sign-in.'),
    user_agent: z.string().describe('The browser or program of the sign-in, as it named itself.'),
    current: z.boolean().describe('It is the session of this request.'),
  })
  .meta({ id: 'Session' })
export type Session = z.output<typeof SESSION>

const START = statement('session start', {})`
with kept as (
  insert into auth_session_tokens (token_hash, session, expires_at) values (${text('hash')}, ${text('id')}, to_timestamp(${number('expires')}))
  on conflict do nothing returning 1
), unlisted as (
  delete from auth_sessions where exists (select from kept) and id in (
    select id from auth_sessions where collection = ${text('collection')} and record = ${text('record')} and ended_at is null
    order by created desc offset ${MAX_LISTED - 1})
)
insert into auth_sessions (id, collection, record, token_hash, ip, user_agent, expires_at)
select ${text('id')}, ${text('collection')}, ${text('record')}, ${text('hash')}, ${text('ip')}, ${text('agent')},
  to_timestamp(${number('expires')}) from kept`

/**
 * Starts a session and returns its token. If all tries collide with concurrent sign-ins, the token is valid,
 * but no session is listed.
 */
export async function startSession(db: Db, auth: AuthRecord, { ip, userAgent }: Origin): Promise<string> {
  const { token } = await signOwnToken(auth, async (hash, expires) => {
    const session = { id: randomId(), collection: auth.collection.id, record: auth.id, hash, ip, expires }
    return (await runForCount(db, START, { ...session, agent: userAgent.slice(0, MAX_AGENT_LENGTH) })) > 0
  })
  return token
}

const LIST = statement('sessions of a record', SESSION)`
select s.id, pb_text(s.created) as created, pb_text(s.used_at) as used_at, pb_text(s.expires_at) as expires_at, s.ip,
  s.user_agent, exists (
    select from auth_session_tokens t where t.token_hash = ${text('hash')} and t.session = s.id) as current
from auth_sessions s
where s.collection = ${text('collection')} and s.record = ${text('record')} and s.ended_at is null and s.expires_at > now()
order by s.used_at desc, s.id limit ${MAX_LISTED}`

/** The sessions of a record, latest use first. `token` marks the current one. */
export const listSessions = (db: Db, auth: AuthRecord, token: string): Promise<Session[]> =>
  run(db, LIST, { collection: auth.collection.id, record: auth.id, hash: sha256(token) })

/** Minimum seconds between two tokens of a session. Each token is a row until it expires. */
const SAME_SECONDS = 60

const LATEST = statement('session latest token', ({ hash }: Texts<'hash'>) =>
  tables
    .updateTable('auth_sessions as s')
    .from('auth_session_tokens as t')
    .set({ used_at: sql<Date>`now()` })
    .where('t.token_hash', '=', hash)
    .whereRef('s.id', '=', 't.session')
    .returning(['s.id as session', sql<number>`extract(epoch from s.expires_at)::float8`.as('latest')]),
)

const ADD = `
with kept as (
  insert into auth_session_tokens (token_hash, session, expires_at) values ($2, $1, to_timestamp($3))
  on conflict do nothing returning 1
)
update auth_sessions set token_hash = $2, expires_at = to_timestamp($3)
where id = $1 and exists (select from kept) returning 1`

/**
 * Returns a new token for the session of the token `old`, at most one per SAME_SECONDS. Returns `old` itself
 * if it cannot be refreshed.
 */
export async function refreshToken(db: Db, auth: AuthRecord, old: string): Promise<string> {
  if (!readClaims(old)?.refreshable) return old
  const known = await runForRow(db, LATEST, { hash: sha256(old) })
  if (!known) return signToken(auth, 'auth')
  const { session, latest } = known
  const end = nowSeconds() + durationOf(auth)
  const isRecent = latest > end - SAME_SECONDS && latest <= end + SPREAD_SECONDS
  if (isRecent) return signToken(auth, 'auth', { expires: latest })
  const { token, isKept } = await signOwnToken(
    auth,
    async (hash, expires) =>
      (await db.query(ADD, [session, hash, expires], 'session add token')).rows.length > 0,
  )
  return isKept ? token : old
}

const END = statement('session end', ({ id, collection, record }: Texts<'id' | 'collection' | 'record'>) =>
  tables
    .updateTable('auth_sessions')
    .set({ ended_at: sql<Date>`now()` })
    .where(({ and }) => and({ id, collection, record, ended_at: null }))
    .where(sql<boolean>`expires_at > now()`)
    .returning('user_agent'),
)

const END_PUSHES = `
delete from push_subscriptions
where ("user" = $1 and sender = '' or sender in (select id from members where member = $1)) and left(user_agent, 300) = $2`

/**
 * Ends a session and its push notifications. Closes the account's event streams, even those of other
 * sessions. Throws 404.
 */
export async function endSession({ db }: Store, auth: AuthRecord, id: string, also?: InSameTransaction) {
  const { collection, id: record } = auth
  await db.transaction(async (inside) => {
    const ended = await runForRow(inside, END, { id, collection: collection.id, record })
    if (!ended) throw notFound()
    // changes the row's `xmin`, so that server processes reload the record that they have cached
    const touch = `update ${quote(tableName(collection))} set id = id where id = $1`
    await inside.query(touch, [record])
    if (collection.id === USERS_ID) await inside.query(END_PUSHES, [record, ended.user_agent])
    await logChange({ db: inside }, { id: ENDED_SESSIONS }, 'delete', accountHolder(collection.id, record))
    await also?.(inside, auth)
  })
}

const EXPIRED = `expires_at <= now() - interval '1 hour'`

/** Deletes expired MFA and OTP records, sessions and invitations. PocketBase: __pbMFACleanup__ */
export async function cleanUpSignIns(store: Store): Promise<void> {
  for (const collection of store.catalog.all) {
    if (collection.type !== 'auth') continue
    await deleteOldSystemRecords(store, '_mfas', collection, collection.mfa.duration)
    await deleteOldSystemRecords(store, '_otps', collection, collection.otp.duration)
  }
  const { db } = store
  await db.query('delete from auth_tries where ends <= now()')
  await db.query(`delete from auth_sessions where expires_at <= now() and (ended_at is null or ${EXPIRED})`)
  await db.query(`delete from auth_session_tokens where ${EXPIRED}`)
  await db.query(`delete from member_invitations where expires < pb_text(now() - interval '30 days')`)
}
