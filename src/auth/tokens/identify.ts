import { type AuthCollection, type Catalog, DEVICES_ID, type Store } from '../../collections/catalog.ts'
import { type FieldError, fieldError } from '../../errors.ts'
import type { AuthRecord } from '../../request/request.ts'
import { findActing, findTokenOwner } from '../auth-rows.ts'
import { sha256 } from './secrets.ts'
import { isSigned, type Purpose, readClaims } from './tokens.ts'

const MAX_KNOWN = 10_000
const BEARER = /^bearer /i

/** Owners of tokens as of a lookup. Any change of a collection makes them worthless. */
const owners = new Map<string, { catalog: Catalog; auth: AuthRecord; untilMs: number }>()

/** The token of an Authorization header, with or without `Bearer`; '' if there is none. */
export function tokenOf(authorization: string | undefined): string {
  const header = authorization ?? ''
  return header.length > 7 && BEARER.test(header) ? header.slice(7) : header
}

/**
 * The auth record of the Authorization header. Null for a guest, an invalid token (as in PocketBase), an
 * ended session, a disabled user or its device. Takes one statement. A `cached` record may be outdated: the
 * caller compares `version` in its statement, and repeats without `cached` if it differs. PocketBase:
 * apis/middlewares.go
 */
export async function identify(
  store: Store,
  authorization: string | undefined,
  { cached = false }: { cached?: boolean } = {},
): Promise<AuthRecord | null> {
  const token = tokenOf(authorization)
  if (token === '') return null
  const { catalog } = store
  const hit = cached && cachedIdentity(catalog, authorization)
  if (hit) return hit
  const auth = await findByToken(store, token, 'auth')
  owners.delete(token)
  if (auth) owners.set(token, { catalog, auth, untilMs: (readClaims(token)?.exp ?? Infinity) * 1000 })
  if (owners.size > MAX_KNOWN) owners.delete(owners.keys().next().value!)
  return auth
}

/** The cached auth record of the header, perhaps outdated; undefined if it is not cached. */
export function cachedIdentity(catalog: Catalog, authorization: string | undefined): AuthRecord | undefined {
  const hit = owners.get(tokenOf(authorization))
  return hit?.catalog === catalog && Date.now() < hit.untilMs ? hit.auth : undefined
}

/** The record of a token that is valid for this purpose; null otherwise and for disabled users. */
export async function findByToken(store: Store, token: string, purpose: Purpose): Promise<AuthRecord | null> {
  const auth = await findOwner(store, token, purpose)
  return auth?.isDisabled ? null : auth
}

/** Whether a device's token is invalid only because its user is disabled. */
export async function isSuspended(store: Store, authorization: string | undefined): Promise<boolean> {
  const owner = await findOwner(store, tokenOf(authorization), 'auth')
  return owner?.collection.id === DEVICES_ID && owner.isDisabled
}

/** Members get no tokens for mails. */
const isForCalls = (purpose: Purpose) => purpose === 'auth' || purpose === 'file'

async function findOwner(store: Store, token: string, purpose: Purpose): Promise<AuthRecord | null> {
  const claims = readClaims(token)
  if (claims?.type !== purpose) return null
  const collection = store.catalog.find(claims.collectionId)
  if (collection?.type !== 'auth') return null
  const { id, actor } = claims
  const hash = sha256(token)
  const auth =
    actor === undefined
      ? await findTokenOwner(store, collection, id, hash)
      : await findActing(store, collection, id, hash, isForCalls(purpose) ? { id: actor } : undefined)
  return auth && (await isSigned(token, auth, purpose)) ? auth : null
}

/** The error of a mailed token by its owner; undefined if the token is valid. */
export function ownerError(collection: AuthCollection, auth: AuthRecord | null): FieldError | undefined {
  if (!auth) return fieldError('validation_invalid_token', 'Invalid or expired token.')
  if (auth.collection.id === collection.id) return undefined
  const message = 'The provided token is for different auth collection.'
  return fieldError('validation_token_collection_mismatch', message)
}
