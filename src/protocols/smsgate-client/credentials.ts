import { identifyKey, isKey, isNamed, type KeyHolder, keyHolderById } from '../../auth/tokens/api-keys.ts'
import { effectiveScopes, grants, REFRESH_SCOPE, type Scopes } from '../../auth/tokens/scopes.ts'
import { readBasic } from '../../auth/tokens/tokens.ts'
import type { Store } from '../../collections/catalog.ts'
import type { Ctx, Services } from '../../http/context.ts'
import { scopeRequired } from '../../http/middleware/sender.ts'
import { clientIp } from '../../http/server/client-ip.ts'
import { storeOf } from '../../http/server/store-of.ts'
import type { AuthRecord } from '../../request/request.ts'
import { gatewayRefusal, type Sender, senderOfKey } from '../../sms/send/shape.ts'
import { findToken, type LiveToken, readToken } from './tokens.ts'

/** A caller of SMSGate's client API: a user, by an API key or a token issued for one. */
export interface ClientCaller {
  readonly auth: AuthRecord
  readonly store: Store
  readonly sender: Sender
  readonly apiKey: string
  /** The prefix of the secret of the key that was used. */
  readonly secret: string
  readonly scopes: Scopes
  /** Changes with the user's record and with the key's. */
  readonly version: string
  /** Undefined for an API key. */
  readonly token?: LiveToken
}

const BEARER = /^bearer +(\S+) *$/i
const bearerIn = (authorization: string) => BEARER.exec(authorization)?.[1] ?? ''

/** The API key of an Authorization header, '' for none. */
export function keyIn(authorization: string): string {
  const key = readBasic(authorization)?.password ?? bearerIn(authorization)
  return isKey(key) ? key : ''
}

/** The caller by Basic (user and API key) or Bearer (API key or token). Throws 401, 403 for a scope. */
export async function requireClient(c: Ctx, services: Services, scope: string, cached: boolean) {
  const caller = await identifyClient(c, services, cached)
  if (!caller) throw gatewayRefusal('unauthorized', 'Unauthorized')
  if (grants(caller.scopes, scope)) return caller
  if (cached) return requireClient(c, services, scope, false)
  throw scopeRequired(scope)
}

async function identifyClient(c: Ctx, services: Services, cached: boolean): Promise<ClientCaller | null> {
  const { authorization = '' } = c.env.incoming.headers
  const key = keyIn(authorization)
  const basic = readBasic(authorization)
  if (!key) return basic ? null : identifyToken(c, services, bearerIn(authorization))
  const holder = await identifyKey(services.store.signIn, { key, ip: clientIp(c, services) }, { cached })
  if (!holder || (basic && !isNamed(holder, basic.identity))) return null
  return callerOf(c, services, holder, effectiveScopes(holder.scopes))
}

/** The caller of a token; null if it expired or was revoked, or its API key is invalid. */
async function identifyToken(c: Ctx, services: Services, text: string): Promise<ClientCaller | null> {
  const store = services.store.signIn
  const jti = text ? await readToken(store.db, text) : null
  const token = jti && (await findToken(store, jti))
  const holder = token && (await keyHolderById(store, token.apiKey, token.secret))
  if (!holder || holder.auth.id !== token.user) return null
  const allowed = effectiveScopes(holder.scopes)
  const scopes = token.scopes.filter((scope) => scope === REFRESH_SCOPE || grants(allowed, scope))
  return { ...callerOf(c, services, holder, scopes), token }
}

const callerOf = (c: Ctx, services: Services, holder: KeyHolder, scopes: Scopes): ClientCaller => ({
  auth: holder.auth,
  store: storeOf(c, services, holder.auth),
  sender: senderOfKey(holder),
  apiKey: holder.id,
  secret: holder.secret,
  scopes,
  version: `${holder.auth.version} ${holder.id} ${holder.version}`,
})
