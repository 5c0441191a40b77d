import { readBasic } from '../../engine/auth/basic-credentials.ts'
import {
  findKeyHolderById,
  identifyKey,
  isKey,
  isKeyOwnerName,
  type KeyHolder,
} from '../../engine/auth/identify-key.ts'
import {
  grantsScope,
  REFRESH_SCOPE,
  resolveScopes,
  type Scopes,
} from '../../engine/request/scopes.ts'
import { gatewayRefusal } from '../../gateway/base/gateway-errors.ts'
import { makeScopeError } from '../../gateway/base/permissions.ts'
import { makeKeyCaller, type SendingCaller } from '../../gateway/messages/require-sender.ts'
import type { Ctx } from '../../http/request-context.ts'
import { readClientIp } from '../../http/server/client-address.ts'
import type { GatewayServices } from '../gateway-services.ts'
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

/** The API key of an Authorization header, '' for none. */
export function readApiKey(authorization: string): string {
  const key = readBasic(authorization)?.password ?? readBearerToken(authorization)
  return isKey(key) ? key : ''
}

/** The caller by Basic (user, API key) or Bearer (API key or token). Throws 401, or 403 without the scope. */
export async function requireClient(
  c: Ctx,
  services: GatewayServices,
  scope: string,
  cached: boolean,
) {
  const caller = await identifyClient(c, services, cached)
  if (!caller) throw gatewayRefusal('unauthorized', 'Unauthorized')
  if (grantsScope(caller.scopes, scope)) return caller
  if (cached) return requireClient(c, services, scope, false)
  throw makeScopeError(scope)
}

async function identifyClient(
  c: Ctx,
  services: GatewayServices,
  cached: boolean,
): Promise<ClientCaller | null> {
  const { authorization = '' } = c.env.incoming.headers
  const key = readApiKey(authorization)
  const basic = readBasic(authorization)
  if (!key) return basic ? null : identifyToken(c, services, readBearerToken(authorization))
  const holder = await identifyKey(
    services.store.signIn,
    { key, ip: readClientIp(c, services) },
    { cached },
  )
  if (!holder || (basic && !isKeyOwnerName(holder, basic.identity))) return null
  return makeClientCaller(c, services, holder)
}

/** The caller of a token; null if it expired or was revoked, or its API key is invalid. */
async function identifyToken(
  c: Ctx,
  services: GatewayServices,
  text: string,
): Promise<ClientCaller | null> {
  const store = services.store.signIn
  const jti = text ? await readToken(store.db, text) : null
  const token = jti && (await findToken(store, jti))
  const holder = token && (await findKeyHolderById(store, token.apiKey, token.secret))
  if (!holder || holder.auth.id !== token.user) return null
  const caller = makeClientCaller(c, services, holder)
  const scopes = token.scopes.filter(
    (scope) => scope === REFRESH_SCOPE || grantsScope(caller.scopes, scope),
  )
  return { ...caller, scopes, token }
}

const makeClientCaller = (c: Ctx, services: GatewayServices, holder: KeyHolder): ClientCaller => ({
  ...makeKeyCaller(c, services, holder),
  secret: holder.secret,
  scopes: resolveScopes(holder.scopes),
})
