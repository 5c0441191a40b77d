import { z } from 'zod'
import type { Db } from '../../db/open.ts'
import { number, run, runForCount, statement, text } from '../../db/statements/statement.ts'
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

/** Stores a sign-in and returns its token. During many concurrent sign-ins the session may stay unlisted. */
export async function startSession(db: Db, auth: AuthRecord, { ip, userAgent }: Origin): Promise<string> {
  const { token } = await signOwnToken(auth, async (hash, expires) => {
    const session = { id: randomId(), collection: auth.collection.id, record: auth.id, hash, ip, expires }
    return (await runForCount(db, START, { ...session, agent: shortened(userAgent) })) > 0
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
