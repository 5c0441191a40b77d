import { readBasic } from '../../engine/auth/basic-credentials.ts'
import {
  findKeyHolderById,
  isKey,
  isKeyAllowedAt,
  type KeyHolder,
} from '../../engine/auth/identify-key.ts'
import type { Catalog, Store } from '../../engine/collections/catalog.ts'
import { grantsScope, REFRESH_SCOPE, type Scopes } from '../../engine/request/scopes.ts'
import { gatewayRefusal } from '../../gateway/base/gateway-errors.ts'
import { makeScopeError } from '../../gateway/base/permissions.ts'
import { makeKeyCaller, type SendingCaller } from '../../gateway/messages/require-sender.ts'
import type { Attempt } from '../../http/attempt.ts'
import {
  byKey,
  type Credentials,
  type Identity,
  makeKeyIdentity,
} from '../../http/identify-caller.ts'
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
/** The user of each token when it was last looked up. */
const listKnownCallers = memoize((_: Catalog) => new Lru<string, ClientIdentity | null>(MAX_KNOWN))

/** A token issued for an API key. */
const BY_ISSUED_TOKEN: Credentials<ClientIdentity> = {
  findCached({ headers: { authorization = '' }, ip }, catalog) {
    const known = listKnownCallers(catalog).get(readBearerToken(authorization))
    return known?.key && isKeyAllowedAt(known.key, ip) ? known : undefined
  },
  async lookUp({ headers: { authorization = '' }, ip }, signIn) {
    const text = readBearerToken(authorization)
    const jti = text ? await readToken(signIn.db, text) : null
    const token = jti && (await findToken(signIn, jti))
    const key =
      token && (await findKeyHolderById(signIn, token.apiKey, token.secret, token.until, ip))
    const found = key && key.auth.id === token.user ? { ...makeKeyIdentity(key), token } : null
    const callers = listKnownCallers(signIn.catalog)
    if (found || callers.get(text)) callers.set(text, found)
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
export function requireClient({ found, store }: Attempt, scope: string): ClientCaller {
  const { key, token }: Partial<ClientIdentity> = found ?? {}
  if (!key) throw gatewayRefusal('unauthorized', 'Unauthorized')
  const caller = makeClientCaller(store, key, token)
  if (scope !== '' && !grantsScope(caller.scopes, scope)) throw makeScopeError(scope)
  return caller
}

function makeClientCaller(
  store: Store,
  key: KeyHolder,
  token: LiveToken | undefined,
): ClientCaller {
  const caller = makeKeyCaller(store, key)
  const { secret } = key
  const all = caller.scopes ?? []
  if (!token) return { ...caller, secret, scopes: all }
  const scopes = token.scopes.filter((scope) => scope === REFRESH_SCOPE || grantsScope(all, scope))
  return { ...caller, secret, scopes, token }
}
