import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries, writeTimeInSeconds } from '../../platform/db/queries.ts'
import { makeOncePer } from '../../platform/tools/lru.ts'
import { makeRandomId } from '../../platform/tools/random.ts'
import { type AuthCollection, DEVICES_ID } from '../collections/collection.ts'
import { INSTANT } from '../fields/date-schema.ts'
import type { AuthRecord } from '../request/request.ts'
import type { SignInOrigin } from './auth-services.ts'
import { SIGN_IN_METHODS } from './check-mfa.ts'
import { hashSha256, readClaims, signToken } from './tokens.ts'

const MAX_TRIES = 5
const SPREAD_SECONDS = 60

const readSessionSeconds = (auth: AuthRecord): number =>
  (auth.collection as AuthCollection).authToken.duration

const readNowSeconds = (): number => Math.floor(Date.now() / 1000)

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
    const expires = readNowSeconds() + readSessionSeconds(auth) + later
    const token = await signToken(auth, 'auth', { expires })
    const isKept = await keep(hashSha256(token), expires)
    if (isKept || tries === MAX_TRIES) return { token, isKept }
  }
}

/** Maximum sessions listed per record. Older ones stay valid but are not listed. */
export const MAX_LISTED = 50
export const MAX_AGENT_LENGTH = 300

export const SESSION = z
  .object({
    id: z.string(),
    created: INSTANT.describe('When it began, by a sign-in.'),
    used_at: INSTANT.describe('When it was last used, to a few minutes.'),
    expires_at: INSTANT.describe('When it ends unless its token is refreshed.'),
    method: z
      .enum([...SIGN_IN_METHODS, 'act-for', ''])
      .describe(
        'How the sign-in was proven, at last. `act-for`: the session of a member who acts for the account. Empty: unknown.',
      ),
    person: z.string().describe('The member of an `act-for` session; else empty.'),
    ip: z.string().describe('The address of the sign-in.'),
    user_agent: z.string().describe('The browser or program of the sign-in, as it named itself.'),
    current: z.boolean().describe('It is the session of this request.'),
  })
  .meta({ id: 'Session' })
export type SignInSession = z.output<typeof SESSION>

/** Sign-ins by which second factors may be changed for a while: by a provider, or with two proofs. */
const PROVING_METHODS: readonly string[] = ['oauth2', 'totp', 'recovery', 'passkey']

/** As Postgres reads it: the present, for a proof that is given by the request. */
const PROVEN_NOW = 'now'

/**
 * Starts a session and returns its token. `provenAt`: when the person gave the proof that the session
 * carries, as `findProof` returns it. If all tries collide with concurrent sign-ins, the token is valid,
 * but no session is listed.
 */
export async function startSession(
  db: Db,
  auth: AuthRecord,
  { ip, userAgent }: SignInOrigin,
  method: SignInSession['method'] = '',
  provenAt = PROVING_METHODS.includes(method) ? PROVEN_NOW : '',
): Promise<string> {
  const { token } = await signOwnToken(auth, async (hash, expires) => {
    const agent = userAgent.slice(0, MAX_AGENT_LENGTH)
    const id = makeRandomId()
    const isKept = await callFunction(
      db,
      'session_start',
      id,
      auth.collection.id,
      auth.id,
      hash,
      expires,
      ip,
      agent,
      method,
    )
    if (isKept && provenAt !== '')
      await queries(db)
        .updateTable('auth_sessions')
        .set({ proven_at: sql<Date>`${provenAt}::text::timestamptz` })
        .where('id', '=', id)
        .execute()
    return isKept
  })
  return token
}

/** Selects the open sessions of a collection's records, latest use first. */
export const selectSessions = (db: Db, collection: string) =>
  queries(db)
    .selectFrom('auth_sessions as s')
    .select([
      's.id',
      sql<string>`pb_text(s.created)`.as('created'),
      sql<string>`pb_text(s.used_at)`.as('used_at'),
      sql<string>`pb_text(s.expires_at)`.as('expires_at'),
      's.ip',
      's.user_agent',
    ])
    .where('s.collection', '=', collection)
    .where('s.ended_at', 'is', null)
    .where('s.expires_at', '>', sql<Date>`now()`)
    .orderBy('s.used_at', 'desc')
    .orderBy('s.id')
    .limit(sql.lit(MAX_LISTED))

/** The sessions of a record, latest use first. `token` marks the current one. */
export const listSessions = (db: Db, auth: AuthRecord, token: string): Promise<SignInSession[]> =>
  selectSessions(db, auth.collection.id)
    .select(({ exists, selectFrom }) => [
      sql<SignInSession['method']>`s.method`.as('method'),
      sql.lit('').as('person'),
      exists(
        selectFrom('auth_session_tokens as t')
          .where('t.token_hash', '=', hashSha256(token))
          .whereRef('t.session', '=', 's.id'),
      )
        .$castTo<boolean>()
        .as('current'),
    ])
    .where('s.record', '=', auth.id)
    .execute()

/** How long a proof counts for changes of second factors and for new links to providers. */
const FRESH_SECONDS = 600

/**
 * How the session of a token began, and when its person last gave a proof by which second factors may be
 * changed, as Postgres writes it; both are '' if there is none. `isFresh`: within the last ten minutes.
 */
export async function findProof(db: Db, auth: AuthRecord, token: string) {
  const found = await queries(db)
    .selectFrom('auth_sessions as s')
    .innerJoin('auth_session_tokens as t', 't.session', 's.id')
    .select(sql<SignInSession['method']>`s.method`.as('method'))
    .select(sql<string>`coalesce(s.proven_at::text, '')`.as('provenAt'))
    .select(
      sql<boolean>`coalesce(s.proven_at > ${writeTimeInSeconds(-FRESH_SECONDS)}, false)`.as(
        'isFresh',
      ),
    )
    .where('t.token_hash', '=', hashSha256(token))
    .where('s.collection', '=', auth.collection.id)
    .where('s.record', '=', auth.id)
    .where('s.ended_at', 'is', null)
    .executeTakeFirst()
  return found ?? { method: '' as const, provenAt: '', isFresh: false }
}

/** Minimum time between two notes of the use of a session. */
const NOTED_MS = 5 * 60_000
const MAX_NOTED = 10_000
const mustNote = makeOncePer(NOTED_MS, MAX_NOTED)

/**
 * Notes in the background that a token is used, at most once in five minutes. A failure is ignored. Devices
 * have no sessions.
 */
export function recordSessionUse(db: Db, { collection }: AuthRecord, token: string): void {
  if (collection.id === DEVICES_ID || !mustNote(token)) return
  useSession(db, token).catch(() => {})
}

/** Minimum seconds between two tokens of a session. Each token is a row until it expires. */
const SAME_SECONDS = 60

/** The session of a token, which is used now, and the expiry of its newest token in seconds since 1970. */
const useSession = (db: Db, token: string) =>
  queries(db)
    .updateTable('auth_sessions as s')
    .from('auth_session_tokens as t')
    .set({ used_at: sql<Date>`now()` })
    .where('t.token_hash', '=', hashSha256(token))
    .whereRef('s.id', '=', 't.session')
    .returning([
      's.id as session',
      sql<number>`extract(epoch from s.expires_at)::float8`.as('latest'),
    ])
    .executeTakeFirst()

/** Adds a token to a session. False if another session has it. */
async function addToken(
  db: Db,
  session: string,
  token_hash: string,
  expires: number,
): Promise<boolean> {
  const expires_at = sql<Date>`to_timestamp(${expires})`
  const { numUpdatedRows } = await queries(db)
    .with('kept', (query) =>
      query
        .insertInto('auth_session_tokens')
        .values({ token_hash, session, expires_at })
        .onConflict((found) => found.doNothing())
        .returning('session'),
    )
    .updateTable('auth_sessions')
    .set({ token_hash, expires_at })
    .where('id', '=', session)
    .where(({ exists, selectFrom }) => exists(selectFrom('kept')))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Returns a new token for the session of the token `old`, at most one per SAME_SECONDS. Returns `old` itself
 * if it cannot be refreshed.
 */
export async function refreshToken(db: Db, auth: AuthRecord, old: string): Promise<string> {
  if (!readClaims(old)?.refreshable) return old
  const known = await useSession(db, old)
  if (!known) return signToken(auth, 'auth')
  const { session, latest } = known
  const end = readNowSeconds() + readSessionSeconds(auth)
  const isRecent = latest > end - SAME_SECONDS && latest <= end + SPREAD_SECONDS
  if (isRecent) return signToken(auth, 'auth', { expires: latest })
  const { token, isKept } = await signOwnToken(auth, (hash, expires) =>
    addToken(db, session, hash, expires),
  )
  return isKept ? token : old
}
