import { readBasic } from '../../engine/auth/basic-credentials.ts'
import {
  findKeyHolderById,
  isKey,
  type KeyHolder,
  requireKeyAddress,
} from '../../engine/auth/identify-key.ts'
import type { Catalog } from '../../engine/collections/catalog.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import {
  grantsScope,
  REFRESH_SCOPE,
  resolveScopes,
  type Scopes,
} from '../../engine/request/scopes.ts'
import { gatewayRefusal } from '../../gateway/base/gateway-errors.ts'
import { makeScopeError } from '../../gateway/base/permissions.ts'
import { makeKeyCaller, type SendingCaller } from '../../gateway/messages/require-sender.ts'
import {
  byKey,
  type Credentials,
  type Identity,
  makeKeyIdentity,
} from '../../http/identify-caller.ts'
import type { Ctx } from '../../http/request-context.ts'
import { Lru, memoize } from '../../platform/tools/lru.ts'
import { readToken } from './signed-token.ts'
import { findToken, type LiveToken } from './token-pairs.ts'

/** A caller of SMSGate's client API: a user, by an API key or a token issued for an API key. */
export interface ClientCaller extends SendingCaller {
  /** The prefix of the API key's secret. */
  readonly secret: string
  readonly scopes: Scopes
  /** Undefined if the caller sent the API key itself. */
  readonly token?: LiveToken
}

const BEARER = /^bearer +(\S+) *$/i
const readBearerToken = (authorization: string) => BEARER.exec(authorization)?.[1] ?? ''

/** The caller by an API key, or by a token that was issued for one. */
interface ClientIdentity extends Identity {
  readonly token?: LiveToken
}

const MAX_KNOWN = 10_000
/** The user of each token when it was last looked up, for limits. */
const ownersOf = memoize((_: Catalog) => new Lru<string, AuthRecord | null>(MAX_KNOWN))

/** A token issued for an API key. The token is looked up for each request. */
const BY_ISSUED_TOKEN: Credentials<ClientIdentity> = {
  findCached({ headers: { authorization = '' } }, catalog) {
    const auth = ownersOf(catalog).get(readBearerToken(authorization))
    return auth ? { auth, version: auth.version, isForLimits: true } : undefined
  },
  async lookUp({ headers: { authorization = '' }, ip }, signIn) {
    const text = readBearerToken(authorization)
    const jti = text ? await readToken(signIn.db, text) : null
    const token = jti && (await findToken(signIn, jti))
    const key = token && (await findKeyHolderById(signIn, token.apiKey, token.secret))
    if (key) requireKeyAddress(signIn, key, ip)
    const found = key && key.auth.id === token.user ? { ...makeKeyIdentity(key), token } : null
    const owners = ownersOf(signIn.catalog)
    if (found || owners.get(text)) owners.set(text, found?.auth ?? null)
    return found
  },
}

/** Basic (user, API key) or Bearer (API key, or token issued for one). */
export const BY_CLIENT_LOGIN = byKey(({ authorization = '' }) => {
  const basic = readBasic(authorization)
  if (basic) return { key: basic.password, name: basic.identity }
  const key = readBearerToken(authorization)
  return isKey(key) ? { key } : undefined
}, BY_ISSUED_TOKEN)

/** The caller. Throws 401, or 403 without the scope. `scope`: '' for any caller. */
export async function requireClient(c: Ctx, scope: string, cached: boolean): Promise<ClientCaller> {
  const found: ClientIdentity | null = await c.env.incoming.identify(cached)
  if (!found?.key) throw gatewayRefusal('unauthorized', 'Unauthorized')
  const caller = makeClientCaller(c, found.key, found.token)
  if (scope === '' || grantsScope(caller.scopes, scope)) return caller
  if (cached) return requireClient(c, scope, false)
  throw makeScopeError(scope)
}

function makeClientCaller(c: Ctx, key: KeyHolder, token: LiveToken | undefined): ClientCaller {
  const caller = makeKeyCaller(c, key)
  const { secret } = key
  const all = resolveScopes(key.scopes)
  if (!token) return { ...caller, secret, scopes: all }
  const scopes = token.scopes.filter((scope) => scope === REFRESH_SCOPE || grantsScope(all, scope))
  return { ...caller, secret, scopes, token }
}
