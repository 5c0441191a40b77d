import type { Db } from '../../db/open.ts'
import { runForRow, sql, statement, type Texts, tables } from '../../db/statements/statement.ts'
import type { AuthRecord } from '../../request/request.ts'
import { sha256 } from '../tokens/secrets.ts'
import { readClaims, signToken } from '../tokens/tokens.ts'
import { durationOf, nowSeconds, SPREAD_SECONDS, signOwnToken } from './own-token.ts'

/** Minimum age of a token before a session gets another. Each token is a row until it expires. */
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

/** A session that was ended just now still gets the token; the token is refused like the others. */
const ADD = `
with kept as (
  insert into auth_session_tokens (token_hash, session, expires_at) values ($2, $1, to_timestamp($3))
  on conflict do nothing returning 1
)
update auth_sessions set token_hash = $2, expires_at = to_timestamp($3)
where id = $1 and exists (select from kept) returning 1`

/** A new token of the session, at most one per SAME_SECONDS; the old one if it cannot be refreshed. */
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
