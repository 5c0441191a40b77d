import {
  hasScope,
  identifyKey,
  isNamed,
  type KeyHolder,
  type Scope,
  type Scopes,
} from '../../auth/api-keys.ts'
import { type Store, USERS_ID } from '../../collections/catalog.ts'
import type { AuthRecord } from '../../request/request.ts'
import { gatewayRefusal, type Sender, senderOfKey } from '../../sms/send/shape.ts'
import type { Ctx, Services } from '../context.ts'
import { authenticate, authOf } from '../request-info.ts'
import { retry, withCatalog } from '../retry.ts'
import { clientIp, storeOf } from '../server/store-of.ts'

export interface SendingCaller extends Sender {
  readonly store: Store
  readonly auth: AuthRecord
  readonly scopes?: Scopes
}

/**
 * The sending user, by X-API-Key or Authorization. Throws 401 for a guest; 403 for a device, a superuser or a
 * key without any of the scopes.
 */
export const requireSender = (c: Ctx, services: Services, scopes: readonly Scope[]): Promise<SendingCaller> =>
  withCatalog(services.store, () => identifySender(c, services, scopes, false))

async function identifySender(
  c: Ctx,
  services: Services,
  scopes: readonly Scope[],
  cached: boolean,
): Promise<SendingCaller> {
  const apiKey = c.env.incoming.headers['x-api-key']
  if (apiKey === undefined) return userOf(c, services, await authenticate(c, services, cached))
  const by = { key: String(apiKey), ip: clientIp(c, services) }
  return callerOfKey(c, services, await identifyKeyHolder(services, by, scopes, cached))
}

export function callerOfKey(c: Ctx, services: Services, holder: KeyHolder) {
  const { auth, scopes } = holder
  return { ...senderOfKey(holder), auth, scopes, store: storeOf(c, services, auth) } satisfies SendingCaller
}

/** An API key. `name`: the user name that came with it, which must be the email or id of the key's user. */
export interface KeyCredentials {
  readonly key: string
  readonly ip: string
  readonly name?: string | undefined
}

/** The user of an API key that has one of these scopes. Throws 401, 403. `cached`: see `identifyKey`. */
export async function identifyKeyHolder(
  services: Pick<Services, 'store'>,
  credentials: KeyCredentials,
  scopes: readonly Scope[],
  cached: boolean,
): Promise<KeyHolder> {
  const { name } = credentials
  const holder = await identifyKey(services.store.signIn, credentials, { cached })
  if (!holder || (name !== undefined && !isNamed(holder, name))) throw gatewayRefusal('unauthorized')
  if (scopes.some((scope) => hasScope(holder.scopes, scope))) return holder
  if (cached) return identifyKeyHolder(services, credentials, scopes, false)
  throw scopeRequired(scopes[0]!)
}

export const scopeRequired = (scope: string) => gatewayRefusal('forbidden', `scope required: ${scope}`)

/** The signed-in user; API keys are refused. Throws 401 for a guest, 403 for a device or superuser. */
export const requireUser = async (c: Ctx, services: Services): Promise<SendingCaller> =>
  userOf(c, services, await authOf(c, services))

function userOf(c: Ctx, services: Services, auth: AuthRecord | null): SendingCaller {
  if (!auth) throw gatewayRefusal('unauthorized')
  // devices and superusers cannot send: they have no quota and no devices of their own
  if (auth.collection.id !== USERS_ID) throw gatewayRefusal('forbidden')
  const { id: user, version, sender: sentBy } = auth
  return { user, version, sentBy, isAgent: auth.limits === 'agent', auth, store: storeOf(c, services, auth) }
}

/** Scopes that may read an account's statistics. `messages:send` may, too, to see the remaining quota. */
export const READS: readonly Scope[] = ['messages:read', 'messages:send']

/** The user whose statistics may be read; null for a superuser, who reads all. Throws as `requireSender`. */
export async function requireReader(c: Ctx, services: Services) {
  const { 'x-api-key': apiKey } = c.env.incoming.headers
  const auth = apiKey === undefined ? await authOf(c, services) : null
  if (auth?.isSuperuser) return { user: null, store: storeOf(c, services, auth) }
  return requireSender(c, services, READS)
}

export const SENDS: readonly Scope[] = ['messages:send']

/** Runs `work` for the cached sender. Repeats it if its SQL finds that the user or the key has changed. */
export const withSender = <T>(
  c: Ctx,
  services: Services,
  work: (sender: SendingCaller) => Promise<T>,
): Promise<T> =>
  retry(services.store, (isCached) => identifySender(c, services, SENDS, isCached), work, {
    startsCached: true,
  })

/** Runs `work` for a caller with one of these scopes. Repeats it if the collections were outdated. */
export const withReader = <T>(
  c: Ctx,
  services: Services,
  scopes: readonly Scope[],
  work: (caller: SendingCaller) => Promise<T>,
): Promise<T> =>
  retry(services.store, () => identifySender(c, services, scopes, false), work, { isRead: true })
