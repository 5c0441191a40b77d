import type { IncomingHttpHeaders } from 'node:http'
import { isTokenAllowedAt, requireTokenAddress } from '../engine/auth/allowed-addresses.ts'
import {
  findCachedKeyHolder,
  identifyKey,
  isKeyOwnerName,
  type KeyHolder,
} from '../engine/auth/identify-key.ts'
import { recordSessionUse } from '../engine/auth/sign-in-sessions.ts'
import { findCachedIdentity, identifyToken, readHeaderToken } from '../engine/auth/tokens.ts'
import type { Catalog, Store } from '../engine/collections/catalog.ts'
import type { AuthRecord } from '../engine/request/request.ts'

/** The caller of a request: a record, by its token or by its API key. */
export interface Identity {
  readonly auth: AuthRecord
  /** That of the record, see `retryRequest`. */
  readonly version: string
  readonly key?: KeyHolder
}

export const makeKeyIdentity = (key: KeyHolder) => ({
  auth: key.auth,
  version: key.auth.version,
  key,
})

/**
 * Where requests of a route have their credentials. Limits and the route read the same place, so both find
 * the same caller.
 */
export interface Credentials<Who extends Identity = Identity> {
  /**
   * The caller that the cache has; it may be outdated. Null for wrong credentials, undefined for those that
   * must be looked up.
   */
  readonly findCached: (asking: Asking, catalog: Catalog) => Identity | null | undefined
  /**
   * The caller from the database; null for wrong credentials. `ServedRequest` asks only if the cache has no
   * caller, or one who has changed.
   */
  readonly lookUp: (asking: Asking, store: Store) => Promise<Who | null>
}

/** The source of credentials: a ServedRequest. `ip`: where a key or token was used. */
export interface Asking {
  readonly headers: IncomingHttpHeaders
  readonly ip: string
}

/** A token that is used at an address which its list excludes is looked up and refused. */
export const BY_TOKEN: Credentials = {
  findCached({ headers: { authorization }, ip }, catalog) {
    if (!authorization) return null
    const auth = findCachedIdentity(catalog, authorization)
    return auth && isTokenAllowedAt(auth, ip) ? { auth, version: auth.version } : undefined
  },
  async lookUp({ headers: { authorization }, ip }, store) {
    const auth = await identifyToken(store, authorization)
    if (!auth) return null
    requireTokenAddress(store, auth, ip)
    recordSessionUse(store.db, auth, readHeaderToken(authorization))
    return { auth, version: auth.version }
  },
}

/**
 * No credentials that limits can read: the caller is a guest for them. For routes with a secret of their own,
 * and for API keys in a body or query.
 */
export const BY_NOTHING: Credentials = { findCached: () => null, lookUp: async () => null }

/** An API key as a request shows it. `name`: the user name beside it. */
export interface ShownKey {
  readonly key: string
  readonly name?: string | undefined
}

type FitsKey = (holder: KeyHolder, shown: ShownKey) => boolean

/** Whether a key was sent without a user name, or with the email or id of its user. */
const isOwnName: FitsKey = (holder, { name }) => name === undefined || isKeyOwnerName(holder, name)

/** The user of an API key, if the user name fits it; else null. `cached`: see `identifyKey`. */
export async function identifyShownKey(
  store: Store,
  shown: ShownKey & { readonly ip: string },
  cached: boolean,
  fits = isOwnName,
): Promise<KeyHolder | null> {
  const holder = await identifyKey(store, shown, { cached })
  return holder && fits(holder, shown) ? holder : null
}

/** An API key in a header. `readKey`: undefined for a request that shows none; `otherwise` then counts. */
export const byKey = <Who extends Identity = Identity>(
  readKey: (headers: IncomingHttpHeaders) => ShownKey | undefined,
  otherwise: Credentials<Who> = BY_NOTHING as Credentials<Who>,
  fits = isOwnName,
): Credentials<Identity | Who> => ({
  findCached(asking, catalog) {
    const shown = readKey(asking.headers)
    if (!shown) return otherwise.findCached(asking, catalog)
    const holder = findCachedKeyHolder(catalog, shown.key, asking.ip)
    return holder && (fits(holder, shown) ? makeKeyIdentity(holder) : null)
  },
  async lookUp(asking, store) {
    const shown = readKey(asking.headers)
    if (!shown) return otherwise.lookUp(asking, store)
    const key = await identifyShownKey(store, { ...shown, ip: asking.ip }, false, fits)
    return key && makeKeyIdentity(key)
  },
})

/** The API key in a header; undefined without the header. */
export const readKeyHeader =
  (name: string) =>
  (headers: IncomingHttpHeaders): ShownKey | undefined =>
    headers[name] === undefined ? undefined : { key: String(headers[name]) }

/** An API key in `X-API-Key`; without this header, a token in `Authorization`. */
export const BY_KEY_OR_TOKEN = byKey(readKeyHeader('x-api-key'), BY_TOKEN)
