import { z } from 'zod'
import type { AuthCollection } from '../../collections/collection.ts'
import type { Db } from '../../db/open.ts'
import { INSTANT } from '../../fields/values/instant.ts'
import type { AuthRecord } from '../../request/request.ts'
import { randomId } from '../../tools/random.ts'
import type { Origin } from '../sign-in/origins.ts'
import { sha256 } from '../tokens/secrets.ts'

/** Sessions of a record that are listed. Older ones go on, unlisted. */
const MAX_LISTED = 50
const MAX_AGENT_LENGTH = 300

/** A session as its account sees it. */
export const SESSION = z
  .object({
    id: z.string(),
    created: INSTANT.meta({ description: 'When it began, by a sign-in.' }),
    used_at: INSTANT.meta({ description: 'When its token was last refreshed.' }),
    expires_at: INSTANT.meta({ description: 'When it ends unless its token is refreshed.' }),
    ip: z.string().meta({ description: 'The address of the sign-in.' }),
    user_agent: z
      .string()
      .meta({ description: 'The browser or program of the sign-in, as it named itself.' }),
    current: z.boolean().meta({ description: 'It is the session of this request.' }),
  })
  .meta({ id: 'Session' })
export type Session = z.output<typeof SESSION>

/** Seconds until a token of the record expires that is made now. */
const secondsOf = (auth: AuthRecord) => (auth.collection as AuthCollection).authToken.duration

const shortened = (userAgent: string) => userAgent.slice(0, MAX_AGENT_LENGTH)

const START = `
with unlisted as (
  delete from auth_sessions where id in (
    select id from auth_sessions where collection = $2 and record = $3
    order by created desc offset ${MAX_LISTED - 1})
)
insert into auth_sessions (id, collection, record, token_hash, ip, user_agent, expires_at)
values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))`

/** Notes a sign-in, and the token that it gave. */
export async function startSession(
  db: Db,
  auth: AuthRecord,
  { ip, userAgent }: Origin,
  token: string,
): Promise<void> {
  const values = [sha256(token), ip, shortened(userAgent), secondsOf(auth)]
  await db.query(START, [randomId(), auth.collection.id, auth.id, ...values])
}

const TOUCH = `update auth_sessions
set token_hash = $5, used_at = now(), expires_at = now() + make_interval(secs => $6)
where collection = $1 and record = $2 and token_hash = $3 and user_agent = $4`

/**
 * Notes that a session goes on with another token. Sign-ins within a second have the same token: the program
 * tells them apart.
 */
export async function touchSession(
  db: Db,
  auth: AuthRecord,
  userAgent: string,
  { old, token }: { readonly old: string; readonly token: string },
): Promise<void> {
  const found = [auth.collection.id, auth.id, sha256(old), shortened(userAgent)]
  await db.query(TOUCH, [...found, sha256(token), secondsOf(auth)])
}

const LIST = `
select id, pb_text(created), pb_text(used_at), pb_text(expires_at), ip, user_agent,
  token_hash = $3 and user_agent = $4
from auth_sessions where collection = $1 and record = $2 and expires_at > now()
order by used_at desc, id limit ${MAX_LISTED}`

/** Where a record is signed in, the latest use first. `token`, `userAgent`: of the request that asks. */
export async function listSessions(
  db: Db,
  auth: AuthRecord,
  userAgent: string,
  token: string,
): Promise<Session[]> {
  const { rows } = await db.query(LIST, [auth.collection.id, auth.id, sha256(token), shortened(userAgent)])
  return rows.map(
    ([id, created, used_at, expires_at, ip, user_agent, current]) =>
      ({ id, created, used_at, expires_at, ip, user_agent, current }) as Session,
  )
}

/** Forgets sessions whose last token has expired. */
export async function deleteExpiredSessions(db: Db): Promise<void> {
  await db.query('delete from auth_sessions where expires_at <= now()')
}
