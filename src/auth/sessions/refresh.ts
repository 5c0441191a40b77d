import type { Db } from '../../db/open.ts'
import type { AuthRecord } from '../../request/request.ts'
import { sha256 } from '../tokens/secrets.ts'
import { readClaims, signToken } from '../tokens/tokens.ts'
import { durationOf, nowSeconds, SPREAD_SECONDS, signOwnToken } from './own-token.ts'

/** Minimum age of a token before a session gets another. Each token is a row until it expires. */
const SAME_SECONDS = 60

const LATEST = `
update auth_sessions s set used_at = now() from auth_session_tokens t
where t.token_hash = $1 and s.id = t.session returning s.id, extract(epoch from s.expires_at)::float8`

/** A session that was ended just now still gets the token; the token is refused like the others. */
const ADD = `
with kept as (
  insert into auth_session_tokens (token_hash, session, expires_at) values ($2, $1, to_timestamp($3))
  on conflict do nothing returning 1
)
update auth_sessions set token_hash = $2, expires_at = to_timestamp($3)
where id = $1 and exists (select from kept) returning 1`

/** A new token of the same session, at most one per SAME_SECONDS. One that cannot be refreshed stays. */
export async function refreshToken(db: Db, auth: AuthRecord, old: string): Promise<string> {
  if (!readClaims(old)?.refreshable) return old
  const { rows } = await db.query(LATEST, [sha256(old)], 'session latest token')
  const [session, latest] = (rows[0] ?? []) as [string?, number?]
  if (session === undefined || latest === undefined) return signToken(auth, 'auth')
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
