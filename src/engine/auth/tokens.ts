import { hash } from 'node:crypto'
import { decodeJwt, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { type FieldError, makeFieldError } from '../../platform/api-errors.ts'
import { Lru } from '../../platform/tools/lru.ts'
import type { TokenOptions } from '../collections/auth-shape.ts'
import type { Catalog, Store } from '../collections/catalog.ts'
import { type AuthCollection, DEVICES_ID } from '../collections/collection.ts'
import type { AuthRecord } from '../request/request.ts'
import { findActingMember, findTokenOwner } from './find-auth-record.ts'
import { readFactorState } from './proof-state.ts'

/** The purpose of a token: its `type` claim. */
type Purpose = 'auth' | 'file' | 'verification' | 'passwordReset' | 'emailChange'

/** Claims of a token; not trusted before `isTokenSigned` has checked it. */
interface Claims {
  readonly id: string
  readonly type: Purpose
  readonly collectionId: string
  readonly exp?: number
  readonly refreshable?: boolean
  readonly email?: string
  readonly newEmail?: string
  readonly actor?: unknown
}

const OPTION = {
  auth: 'authToken',
  file: 'fileToken',
  verification: 'verificationToken',
  passwordReset: 'passwordResetToken',
  emailChange: 'emailChangeToken',
} as const satisfies Record<Purpose, keyof AuthCollection>

const ALGORITHM = 'HS256'

const isMailed = (purpose: Purpose) => purpose !== 'auth' && purpose !== 'file'

function readTokenOptions(record: AuthRecord, purpose: Purpose): TokenOptions {
  if (record.collection.type !== 'auth')
    throw new TypeError(`${record.collection.name} is not an auth collection`)
  return record.collection[OPTION[purpose]]
}

/**
 * The key that signs a token. When a part of it changes, older tokens become invalid. `factors`: the
 * `readFactorState` of a mailed token.
 */
const makeSigningKey = (record: AuthRecord, purpose: Purpose, factors = '') =>
  `${record.actor?.key ?? ''}${record.values.tokenKey ?? ''}${readTokenOptions(record, purpose).secret}${factors}`
const encodeKey = (key: string) => new TextEncoder().encode(key)

interface TokenExtras {
  refreshable?: boolean
  newEmail?: string
  /** Seconds until the token expires; 0 or absent: as the collection says. */
  duration?: number
  expires?: number
  /** The `readFactorState` of the record, for a mailed token: a change of second factors ends it. */
  factors?: string
}

/** Signs a token as PocketBase does: HS256, sorted claims, no `iat`. PocketBase: core/record_tokens.go */
export function signToken(
  record: AuthRecord,
  purpose: Purpose,
  extras: TokenExtras = {},
): Promise<string> {
  const mailed = isMailed(purpose)
  const seconds = extras.duration || readTokenOptions(record, purpose).duration
  const { actor } = record
  const claims = {
    ...(actor && { actor: actor.id }),
    collectionId: record.collection.id,
    ...(mailed && { email: String(record.values.email ?? '') }),
    exp: extras.expires ?? Math.floor(Date.now() / 1000) + seconds,
    id: record.id,
    ...(extras.newEmail !== undefined && { newEmail: extras.newEmail }),
    ...(purpose === 'auth' && { refreshable: extras.refreshable ?? true }),
    ...(actor && { role: actor.role }),
    type: purpose,
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .sign(encodeKey(makeSigningKey(record, purpose, extras.factors)))
}

/** Matches a JWT whose first two parts are strict base64url; jose also accepts spaces. See SIGNATURE, too. */
const COMPACT = /^[\w-]+\.[\w-]+\.[^.]*$/

/** Matches the third part of a JWT if it is strict base64url; jose also accepts padding. */
const SIGNATURE = /\.[\w-]+$/

function decodeToken(token: string): JWTPayload | undefined {
  if (!COMPACT.test(token)) return undefined
  try {
    return decodeJwt(token)
  } catch {
    return undefined // not a JWT
  }
}

/** A token's claims, unverified; null if it is malformed or expired. */
export function readClaims(token: string): Claims | null {
  const claims = decodeToken(token)
  const { id, type, collectionId, exp = Infinity } = claims ?? {}
  const complete = [id, type, collectionId].every((text) => typeof text === 'string' && text)
  return complete && Date.now() / 1000 < exp ? (claims as unknown as Claims) : null
}

/** A text claim of a token that is not verified and may have expired; '' if the claim is absent. */
export function readTokenClaim(token: string, claim: 'email' | 'newEmail'): string {
  const value = decodeToken(token)?.[claim]
  return typeof value === 'string' ? value : ''
}

const MAX_KNOWN = 10_000

/** The key that signed each token, so that a token is verified once and not with each request. */
const signedBy = new Lru<string, string>(MAX_KNOWN)

/** Whether this record's current key signed a token that `readClaims` has read, for this purpose. */
export async function isTokenSigned(
  token: string,
  record: AuthRecord,
  purpose: Purpose,
  factors = '',
): Promise<boolean> {
  const key = makeSigningKey(record, purpose, factors)
  if (signedBy.get(token) === key) return true
  if (!SIGNATURE.test(token)) return false
  try {
    await jwtVerify(token, encodeKey(key), { algorithms: [ALGORITHM] })
  } catch {
    return false
  }
  signedBy.set(token, key)
  return true
}

const BEARER = /^bearer (?=.)/is

/**
 * How long the cache knows the owner of a token that belongs to a session: it may be idle for too long since.
 */
const KNOWN_MS = 5 * 60_000

/** The owner of each token when it was last looked up. Entries become useless when any collection changes. */
const owners = new Lru<string, { catalog: Catalog; auth: AuthRecord; untilMs: number } | null>(
  MAX_KNOWN,
)

/** The token of an Authorization header, with or without `Bearer`; '' if there is none. */
export function readHeaderToken(authorization: string | undefined): string {
  return authorization?.replace(BEARER, '') ?? ''
}

/**
 * The auth record of the Authorization header; null for a guest, an invalid token, an ended session, a
 * disabled user. PocketBase: apis/middlewares.go
 */
export async function identifyToken(
  store: Store,
  authorization: string | undefined,
): Promise<AuthRecord | null> {
  const token = readHeaderToken(authorization)
  if (token === '') return null
  const { catalog } = store
  const claims = readClaims(token)
  const auth = await findRecordByToken(store, token, 'auth', claims)
  const knownMs = auth?.collection.id === DEVICES_ID ? Infinity : KNOWN_MS
  const untilMs = Math.min((claims?.exp ?? Infinity) * 1000, Date.now() + knownMs)
  if (auth) owners.set(token, { catalog, auth, untilMs })
  else if (owners.get(token)) owners.set(token, null)
  return auth
}

/**
 * The cached auth record of an Authorization header; undefined if it is not cached. It may be out of date:
 * the caller compares `version` in its SQL and, if it differs, calls `identifyToken`.
 */
export function findCachedIdentity(
  catalog: Catalog,
  authorization: string | undefined,
): AuthRecord | undefined {
  const hit = owners.get(readHeaderToken(authorization))
  return hit?.catalog === catalog && Date.now() < hit.untilMs ? hit.auth : undefined
}

/** The record of a token; null if the token is not valid for this purpose or its user is disabled. */
export async function findRecordByToken(
  store: Store,
  token: string,
  purpose: Purpose,
  claims = readClaims(token),
): Promise<AuthRecord | null> {
  const auth = await findOwner(store, token, purpose, claims)
  return auth?.isDisabled ? null : auth
}

/** Whether a device's token is invalid only because its user is disabled. */
export async function isSuspended(
  store: Store,
  authorization: string | undefined,
): Promise<boolean> {
  const owner = await findOwner(store, readHeaderToken(authorization), 'auth')
  return owner?.collection.id === DEVICES_ID && owner.isDisabled
}

async function findOwner(
  store: Store,
  token: string,
  purpose: Purpose,
  claims = readClaims(token),
): Promise<AuthRecord | null> {
  if (claims?.type !== purpose) return null
  const collection = store.catalog.find(claims.collectionId)
  if (collection?.type !== 'auth') return null
  const { id, actor } = claims
  const hash = hashSha256(token)
  const auth =
    actor === undefined
      ? await findTokenOwner(store, collection, id, hash)
      : await findActingMember(
          store,
          collection,
          id,
          hash,
          isMailed(purpose) ? undefined : { id: actor },
        )
  const factors = auth && isMailed(purpose) ? await readFactorState(store.db, auth) : ''
  return auth && (await isTokenSigned(token, auth, purpose, factors)) ? auth : null
}

/** The error if a mailed token has no owner or one in another collection; else undefined. */
export function findOwnerError(
  collection: AuthCollection,
  auth: AuthRecord | null,
): FieldError | undefined {
  if (!auth) return makeFieldError('validation_invalid_token', 'Invalid or expired token.')
  const message = 'The provided token is for different auth collection.'
  return auth.collection.id === collection.id
    ? undefined
    : makeFieldError('validation_token_collection_mismatch', message)
}

/** SHA-256 in hex. Only for secrets that are long and random. */
export const hashSha256 = (text: string) => hash('sha256', text)
