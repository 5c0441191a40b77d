import { sql } from 'kysely'
import { z } from 'zod'
import { grantsScope, SCOPES } from '../../engine/request/scopes.ts'
import { checkShape } from '../../gateway/base/body-schemas.ts'
import { gatewayRefusal } from '../../gateway/base/gateway-errors.ts'
import type { Ctx } from '../../http/request-context.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { queries } from '../../platform/db/queries.ts'
import type { ClientCaller } from './credentials.ts'
import { ACCESS_SECONDS, insertPair, parseTokenId } from './token-pairs.ts'

const MAX_TTL = Number.MAX_SAFE_INTEGER

export const TOKEN_BODY = z
  .object({
    scopes: z
      .array(z.string('must be a text'), 'must be a list')
      .min(1, 'must name at least one scope')
      .max(50, 'must have at most 50 items'),
    ttl: z
      .int('must be a whole number')
      .min(0, 'must not be negative')
      .max(MAX_TTL)
      .nullish()
      .describe('Seconds. At most 15 minutes; 0 means 15 minutes, too.'),
  })
  .meta({ id: 'SmsgateTokenRequest' })

/** Issues an access and a refresh token. Throws 400 for unknown scopes, 403 for scopes the caller lacks. */
export async function issueTokens(
  call: ClientCaller & { readonly c: Ctx; readonly json: unknown },
) {
  const { c, store, user, sentBy: apiKey, secret, scopes: allowed } = call
  const { scopes, ttl } = checkShape(TOKEN_BODY, call.json)
  for (const [i, scope] of scopes.entries()) {
    if (!SCOPES.some((known) => known === scope))
      throw invalidRequest(`scopes[${i}] is not a known scope`)
    if (!grantsScope(allowed, scope)) throw gatewayRefusal('forbidden', `scope required: ${scope}`)
  }
  const seconds = Math.min(ttl || ACCESS_SECONDS, ACCESS_SECONDS)
  return insertPair(c, store.db, { user, apiKey, secret, scopes: [...new Set(scopes)] }, seconds)
}

/**
 * Issues a new pair with the same scopes. A refresh token works once, then throws 401. The old access token
 * stays valid until it expires.
 */
export function refreshTokens({ c, store, token }: ClientCaller & { readonly c: Ctx }) {
  return store.db.transaction(async (db) => {
    const used = await queries(db)
      .updateTable('smsgate_tokens')
      .set({ is_refreshed: true })
      .where('id', '=', token!.pair)
      .where('is_refreshed', '=', false)
      .where('refresh_until', '>', sql<Date>`now()`)
      .returning('scopes')
      .executeTakeFirst()
    if (!used) throw gatewayRefusal('unauthorized', 'Unauthorized')
    return insertPair(c, db, { ...token!, ...used }, ACCESS_SECONDS)
  })
}

/** Revokes both tokens of a user's pair. An unknown id is no error. */
export async function revokeTokens({ store, user, id }: ClientCaller & { readonly id: string }) {
  const { pair } = parseTokenId(id)
  await queries(store.db)
    .deleteFrom('smsgate_tokens')
    .where('id', '=', pair)
    .where('user', '=', user)
    .execute()
}
