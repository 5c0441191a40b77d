import { z } from 'zod'
import type { Db } from '../../db/open.ts'
import { pbText, run, sql, statement, type Texts, tables } from '../../db/statements/statement.ts'
import { INSTANT } from '../../fields/values/instant.ts'
import type { AuthRecord } from '../../request/request.ts'
import { randomId } from '../../tools/random.ts'
import type { Origin } from '../sign-in/origins.ts'
import { sha256 } from '../tokens/secrets.ts'
import { signOwnToken } from './own-token.ts'

/** Sessions listed per record. Older ones stay valid, unlisted. */
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

const shortened = (userAgent: string) => userAgent.slice(0, MAX_AGENT_LENGTH)

const START = `
with kept as (
  insert into auth_session_tokens (token_hash, session, expires_at) values ($4, $1, to_timestamp($7))
  on conflict do nothing returning 1
), unlisted as (
  delete from auth_sessions where exists (select from kept) and id in (
    select id from auth_sessions where collection = $2 and record = $3 and ended_at is null
    order by created desc offset ${MAX_LISTED - 1})
)
insert into auth_sessions (id, collection, record, token_hash, ip, user_agent, expires_at)
select $1, $2, $3, $4, $5, $6, to_timestamp($7) from kept returning 1`

/** Stores a sign-in and returns its token. During many concurrent sign-ins the session may stay unlisted. */
export async function startSession(db: Db, auth: AuthRecord, { ip, userAgent }: Origin): Promise<string> {
  const { token } = await signOwnToken(auth, async (hash, expires) => {
    const values = [randomId(), auth.collection.id, auth.id, hash, ip, shortened(userAgent), expires]
    return (await db.query(START, values)).rows.length > 0
  })
  return token
}

const LIST = statement(
  'sessions of a record',
  ({ collection, record, hash }: Texts<'collection' | 'record' | 'hash'>) =>
    tables
      .selectFrom('auth_sessions as s')
      .select(({ exists, selectFrom }) => [
        'id',
        pbText('s.created').as('created'),
        pbText('s.used_at').as('used_at'),
        pbText('s.expires_at').as('expires_at'),
        'ip',
        'user_agent',
        exists(
          selectFrom('auth_session_tokens as t')
            .where('t.token_hash', '=', hash)
            .whereRef('t.session', '=', 's.id'),
        )
          .$castTo<boolean>()
          .as('current'),
      ])
      .where(({ and }) => and({ collection, record, ended_at: null }))
      .where(sql<boolean>`expires_at > now()`)
      .orderBy('s.used_at', 'desc')
      .orderBy('id')
      .limit(MAX_LISTED),
)

/** The sessions of a record, latest use first. `token`: the request's own. */
export const listSessions = (db: Db, auth: AuthRecord, token: string): Promise<Session[]> =>
  run(db, LIST, { collection: auth.collection.id, record: auth.id, hash: sha256(token) })

/** Clocks of nodes differ, so hashes are kept an hour longer. */
const EXPIRED = `expires_at <= now() - interval '1 hour'`

/** Deletes expired tokens and sessions without tokens. */
export async function deleteExpiredSessions(db: Db): Promise<void> {
  await db.query(`delete from auth_sessions where expires_at <= now() and (ended_at is null or ${EXPIRED})`)
  await db.query(`delete from auth_session_tokens where ${EXPIRED}`)
}
