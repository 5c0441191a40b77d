import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import {
  findCachedKeyHolder,
  identifyKey,
  isKeyOwnerName,
  type KeyHolder,
} from '../engine/auth/identify-key.ts'
import { findCachedIdentity, identifyToken } from '../engine/auth/tokens.ts'
import type { Catalog } from '../engine/collections/catalog.ts'
import type { AuthRecord } from '../engine/request/request.ts'
import type { Ctx, Services } from './request-context.ts'
import { readClientIp } from './server/client-address.ts'

/** Who asks: a record, by its token or by an API key of it. */
export interface Identity {
  readonly auth: AuthRecord
  readonly key?: KeyHolder
}

/**
 * How requests of a route show who asks. Limits and the route itself use the same, so both have the same
 * caller.
 */
export interface Credentials<Who extends Identity = Identity> {
  /** The caller, if the cache has these credentials. It may be outdated. No lookup. */
  readonly findCached: (headers: IncomingHttpHeaders, catalog: Catalog) => AuthRecord | undefined
  /** The caller; null for a guest and for wrong credentials. `cached`: may be outdated. */
  readonly identify: (c: Ctx, services: IdentifyServices, cached: boolean) => Promise<Who | null>
}

type IdentifyServices = Pick<Services, 'store' | 'settings' | 'config'>

/** A token in `Authorization`. */
export const BY_TOKEN: Credentials = {
  findCached: ({ authorization }, catalog) => findCachedIdentity(catalog, authorization),
  async identify({ env }, { store }, cached) {
    const { authorization } = env.incoming.headers
    const known = cached && findCachedIdentity(store.catalog, authorization)
    const auth = known || (await identifyToken(store.signIn, authorization))
    return auth && { auth }
  },
}

/**
 * No credentials that limits can read: the caller is a guest for them. For routes with a secret of their own,
 * and for API keys in a body or query.
 */
export const BY_NOTHING: Credentials = { findCached: () => undefined, identify: async () => null }

/** An API key as a request shows it. `name`: the user name beside it. */
export interface ShownKey {
  readonly key: string
  readonly name?: string | undefined
}

type FitsKey = (holder: KeyHolder, shown: ShownKey) => boolean

/** Whether a key came without a user name, or with the email or id of its user. */
const isOwnName: FitsKey = (holder, { name }) => name === undefined || isKeyOwnerName(holder, name)

/** The user of an API key, if the user name fits it; else null. `cached`: see `identifyKey`. */
export async function identifyShownKey(
  { store }: Pick<Services, 'store'>,
  shown: ShownKey & { readonly ip: string },
  cached: boolean,
  fits = isOwnName,
): Promise<KeyHolder | null> {
  const holder = await identifyKey(store.signIn, shown, { cached })
  return holder && fits(holder, shown) ? holder : null
}

/** An API key in a header. `readKey`: undefined for a request that shows none; `otherwise` then counts. */
export const byKey = <Who extends Identity = Identity>(
  readKey: (headers: IncomingHttpHeaders) => ShownKey | undefined,
  otherwise: Credentials<Who> = BY_NOTHING as Credentials<Who>,
  fits = isOwnName,
): Credentials<Identity | Who> => ({
  findCached(headers, catalog) {
    const shown = readKey(headers)
    if (!shown) return otherwise.findCached(headers, catalog)
    const holder = findCachedKeyHolder(catalog, shown.key)
    return holder && fits(holder, shown) ? holder.auth : undefined
  },
  async identify(c, services, cached) {
    const shown = readKey(c.env.incoming.headers)
    if (!shown) return otherwise.identify(c, services, cached)
    const ip = readClientIp(c, services)
    const key = await identifyShownKey(services, { ...shown, ip }, cached, fits)
    return key && { auth: key.auth, key }
  },
})

/** The API key in a header; undefined without the header. */
export const readKeyHeader =
  (name: string) =>
  (headers: IncomingHttpHeaders): ShownKey | undefined =>
    headers[name] === undefined ? undefined : { key: String(headers[name]) }

/** An API key in `X-API-Key`; without this header, a token in `Authorization`. */
export const BY_KEY_OR_TOKEN = byKey(readKeyHeader('x-api-key'), BY_TOKEN)

/** How the routes of requests are asked, if not by a token. */
const ofRequests = new WeakMap<IncomingMessage, Credentials>()

/** Notes how the route of a request is asked. Undefined: by a token, as routes without a row are. */
export function setCredentials(
  incoming: IncomingMessage,
  credentials: Credentials | undefined,
): void {
  if (credentials) ofRequests.set(incoming, credentials)
}

const findCredentials = (incoming: IncomingMessage) => ofRequests.get(incoming) ?? BY_TOKEN

/** The caller of a request, if the cache has its credentials; it may be outdated. For limits and logs. */
export const findCachedCaller = (
  { store: { catalog } }: Pick<Services, 'store'>,
  incoming: IncomingMessage,
): AuthRecord | undefined => findCredentials(incoming).findCached(incoming.headers, catalog)

/**
 * Finds out who asks, for limits and for the route. Null for a guest and for wrong credentials, which one
 * request looks up once. The memory of the request is charged to the caller from then on.
 */
export async function identifyCaller<Who extends Identity = Identity>(
  c: Ctx,
  services: IdentifyServices,
  cached: boolean,
  credentials = findCredentials(c.env.incoming) as Credentials<Who>,
): Promise<Who | null> {
  const { catalog } = services.store
  if (c.get('unknownIn') === catalog) return null
  const found = await credentials.identify(c, services, cached)
  if (!found && catalog === services.store.catalog) c.set('unknownIn', catalog)
  c.set('asker', found?.auth ?? null)
  return found
}
