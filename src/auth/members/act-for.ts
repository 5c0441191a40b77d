import type { Store } from '../../collections/catalog.ts'
import type { AuthCollection } from '../../collections/collection.ts'
import { notFound } from '../../errors.ts'
import type { AuthRecord } from '../../request/request.ts'
import { findActing } from '../auth-rows.ts'
import { sha256 } from '../tokens/secrets.ts'
import { readClaims, signToken } from '../tokens/tokens.ts'

/** The token belongs to the session of the member's own token, and ends with it. */
const KEEP = `
insert into auth_session_tokens (token_hash, session, expires_at)
select $2, session, expires_at from auth_session_tokens where token_hash = $1 on conflict do nothing`

/**
 * A token with which a member acts for an account; `own`: the member's token. It expires when that does, so
 * the same token gives the same one again. Throws 404 for an account that the user is no member of.
 */
export async function actFor(store: Store, member: AuthRecord, own: string, account: string) {
  const collection = member.collection as AuthCollection
  const auth = await findActing(store, collection, account, sha256(own), { member: member.id })
  if (!auth) throw notFound()
  const exp = readClaims(own)?.exp
  const token = await signToken(auth, 'auth', { refreshable: false, ...(exp && { expires: exp }) })
  await store.db.query(KEEP, [sha256(own), sha256(token)], 'session add acting token')
  return { auth, token }
}
