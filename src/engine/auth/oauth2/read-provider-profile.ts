import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import { sendOutgoing } from '../../../platform/outgoing/send-request.ts'
import { toBool, toText } from '../../fields/convert-values.ts'

export type RawProfile = Readonly<Record<string, unknown>>

/** A user's profile at any provider. `email` is empty unless the provider verified it. */
export interface Profile {
  readonly id: string
  readonly name: string
  readonly username: string
  readonly email: string
  readonly avatarURL: string
}

/** Paths of values in a provider's answer, '' for none. Keys are joined by dots; numbers index lists. */
type ProfilePaths = readonly [
  id: string,
  name?: string,
  username?: string,
  email?: string,
  avatarURL?: string,
]

interface ProfileForm {
  readonly paths: ProfilePaths
  readonly at?: string
  readonly hasNumericId?: true
  readonly emailIf?: string
  /** Path of a value that must mean true for the email to count. Some providers send `'true'` or 1. */
  readonly emailIfSaid?: string
  /** Path of a value, and the value that active users have. All other users are refused. */
  readonly active?: readonly [path: string, value: unknown]
}

export function readProfileValue(raw: unknown, place: string): unknown {
  return place.split('.').reduce<unknown>((inner, key) => {
    const isHolder = typeof inner === 'object' && inner !== null
    return isHolder && Object.hasOwn(inner, key) ? (inner as RawProfile)[key] : undefined
  }, raw)
}

/**
 * Makes a function that reads values of one type: `zero` if absent. Throws for other types, as Go's decoder.
 */
const makeProfileReader =
  <T>(zero: T, isFit: (value: unknown) => boolean, fault: string) =>
  (raw: unknown, place = ''): T => {
    const value = (place ? readProfileValue(raw, place) : undefined) ?? zero
    if (!isFit(value)) throw new TypeError(`${place} is ${fault}`)
    return value as T
  }
export const readProfileText = makeProfileReader<string>(
  '',
  (value) => typeof value === 'string',
  'no text',
)
export const readProfileFlag = makeProfileReader<boolean>(
  false,
  (value) => typeof value === 'boolean',
  'neither true nor false',
)
const numberAt = makeProfileReader<number>(0, Number.isInteger, 'no whole number')

/** Reads a profile from a provider's answer. Throws for unexpected types and for an inactive user. */
export function readProfile(answer: RawProfile, form: ProfileForm): Profile {
  const { at, active, hasNumericId, paths } = form
  const raw = at === undefined ? answer : readProfileValue(answer, at)
  if (active && readProfileValue(raw, active[0]) !== active[1])
    throw new Error('the account is not active')
  const [id, name, username, email, avatarURL] = paths
  return {
    id: hasNumericId ? String(numberAt(raw, id)) : readProfileText(raw, id),
    name: readProfileText(raw, name),
    username: readProfileText(raw, username),
    email: isEmailConfirmed(raw, form) ? readProfileText(raw, email) : '',
    avatarURL: readProfileText(raw, avatarURL),
  }
}

function isEmailConfirmed(raw: unknown, { emailIf, emailIfSaid }: ProfileForm): boolean {
  if (emailIfSaid !== undefined) return toBool(readProfileValue(raw, emailIfSaid))
  return emailIf === undefined || readProfileFlag(raw, emailIf)
}

/** The token endpoint's answer. `expiry`: milliseconds since 1970, 0 for none. `raw`: the whole answer. */
export interface ProviderToken {
  readonly accessToken: string
  readonly tokenType: string
  readonly refreshToken: string
  readonly expiry: number
  readonly raw: RawProfile
}

interface ProfileContext {
  readonly raw: RawProfile
  readonly token: ProviderToken
  readonly provider: Provider
  readonly call: ProviderClient
}

export interface ProviderType extends ProfileForm {
  readonly authURL: string
  readonly tokenURL: string
  /** Address of the profile; '' if the id token has all of it. */
  readonly userInfoURL: string
  readonly scopes: readonly string[]
  readonly pkce: boolean
  readonly headers?: (clientId: string) => Readonly<Record<string, string>>
  /** The JSON body of a POST request for the profile; if absent, the request is a GET. */
  readonly query?: string
  readonly authParams?: Readonly<Record<string, string>>
  readonly idToken?: { readonly issuers: readonly string[]; readonly jwksURL: string }
  /** Completes the profile where `paths` are not enough. */
  readonly amend?: (profile: Profile, visit: ProfileContext) => Profile | Promise<Profile>
  readonly moreScopes?: (extra: RawProfile) => readonly string[]
}

export interface Provider extends ProviderType {
  readonly name: string
  readonly displayName: string
  readonly clientId: string
  readonly clientSecret: string
  readonly extra: RawProfile
}

const LEEWAY_SECONDS = 300

/** The claims of an id token. Does not check its signature. Throws if it is expired or not yet valid. */
export function readIdTokenClaims(idToken: string): JWTPayload {
  const claims = decodeJwt(idToken)
  const { exp = Infinity, nbf = 0, iat = 0 } = claims
  if ([exp, nbf, iat].some((time) => typeof time !== 'number'))
    throw new TypeError('a time is not a number')
  const now = Date.now() / 1000
  if (now >= exp + LEEWAY_SECONDS || now < Math.max(nbf, iat) - LEEWAY_SECONDS)
    throw new Error('the id_token has expired or is not valid yet')
  return claims
}

/**
 * Returns the claims of an id token. Throws unless it is valid now and for this client. Checks issuer and
 * signature only if the provider has `issuers` and `jwksURL`. PocketBase: tools/auth/oidc.go, apple.go;
 * OpenID Connect Core, 3.1.3.7
 */
export async function readIdToken(provider: Provider, idToken: string, send: ProviderClient) {
  const claims = readIdTokenClaims(idToken)
  if (![claims.aud].flat().includes(provider.clientId))
    throw new Error('the id_token is for another client')
  const { extra } = provider
  const { issuers, jwksURL } = provider.idToken ?? {
    issuers: [readProfileValue(extra, 'issuers') ?? []].flat().map(String),
    jwksURL: String(readProfileValue(extra, 'jwksURL') ?? ''),
  }
  const issuer = toText(claims.iss)
  if (issuers.length > 0 && !issuers.includes(issuer))
    throw new Error(`the id_token is from ${issuer}`)
  if (!jwksURL) return claims
  const { status, text } = await send(jwksURL)
  if (status >= 400) throw new Error(`the keys were refused with ${status}`)
  const keys = createLocalJWKSet(JSON.parse(text) as JSONWebKeySet)
  await jwtVerify(idToken, keys, { clockTolerance: LEEWAY_SECONDS })
  return claims
}

/** Time for all requests to a provider in one sign-in. */
const TIMEOUT_MS = 30_000
const MAX_BODY_BYTES = 1 << 20

export interface ProviderResponse {
  readonly status: number
  readonly type: string
  readonly text: string
}

export type ProviderClient = (
  url: string,
  request?: {
    readonly headers?: Readonly<Record<string, string>>
    readonly post?: string | undefined
  },
) => Promise<ProviderResponse>

/** An HTTP client for one sign-in. Private addresses are allowed, because a superuser configures the URLs. */
export function makeProviderClient(): ProviderClient {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  return async (url, { headers = {}, post } = {}) => {
    const answer = await sendOutgoing(
      {
        url,
        method: post === undefined ? 'GET' : 'POST',
        headers: { accept: 'application/json', 'user-agent': 'pocketsms', ...headers },
        body: post,
      },
      { allowPrivate: true, maxBodyBytes: MAX_BODY_BYTES, timeoutMs: TIMEOUT_MS, signal },
    )
    const type = answer.headers['content-type'] ?? ''
    return { status: answer.status, type, text: answer.body.toString('utf8') }
  }
}
