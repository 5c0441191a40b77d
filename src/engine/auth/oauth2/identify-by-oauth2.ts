import { badRequest, forbidden, makeFieldError } from '../../../platform/api-errors.ts'
import { parseJson } from '../../../platform/tools/json.ts'
import { makeObjectShape, map, text, type ValueOf } from '../../fields/json-shapes.ts'
import { writeSortedJson } from '../../fields/json-text.ts'
import { formatDate } from '../../fields/parse-date.ts'
import {
  type Check,
  checkFields,
  checkMaxLength,
  checkRequired,
} from '../../fields/value-checks.ts'
import { type AuthCall, type AuthServices, makeAuthAttempt } from '../auth-services.ts'
import { limitProviderAttempts } from '../sign-in-limits.ts'
import { consumeAppleName } from './apple-name.ts'
import { completeProvider } from './complete-provider-profile.ts'
import {
  makeProviderClient,
  type Profile,
  type Provider,
  type ProviderClient,
  type ProviderResponse,
  type ProviderToken,
  type RawProfile,
  readIdToken,
  readProfile,
  readProfileText,
  readProfileValue,
} from './read-provider-profile.ts'

type Grant = Readonly<Record<'code' | 'codeVerifier' | 'redirectURL', string>>

/**
 * Exchanges a code for a token. Sends the client's credentials in a header or, if that fails, in the form.
 * RFC 6749, 4.1.3
 */
export const exchangeAuthCode = (
  provider: Provider,
  grant: Grant,
  send: ProviderClient,
): Promise<ProviderToken> =>
  requestProviderToken(provider, grant, send, 'header').catch(() =>
    requestProviderToken(provider, grant, send, 'form'),
  )

async function requestProviderToken(
  { tokenURL, clientId, clientSecret, pkce }: Provider,
  { code, codeVerifier, redirectURL }: Grant,
  send: ProviderClient,
  style: 'header' | 'form',
): Promise<ProviderToken> {
  const form = new URLSearchParams({ grant_type: 'authorization_code', code })
  if (redirectURL) form.set('redirect_uri', redirectURL)
  if (pkce) form.set('code_verifier', codeVerifier)
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' }
  if (style === 'header') headers.authorization = makeBasicHeader(clientId, clientSecret)
  else {
    form.set('client_id', clientId)
    if (clientSecret) form.set('client_secret', clientSecret)
  }
  return readToken(await send(tokenURL, { headers, post: form.toString() }))
}

/** A Basic Authorization header. Both parts are escaped, because a colon separates them. RFC 6749, 2.3.1 */
function makeBasicHeader(clientId: string, clientSecret: string) {
  const escaped = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  return `Basic ${Buffer.from(`${escaped(clientId)}:${escaped(clientSecret)}`).toString('base64')}`
}

const FORM_TYPES = /^\s*(application\/x-www-form-urlencoded|text\/plain)\s*(;|$)/i

function readToken({ status, type, text }: ProviderResponse): ProviderToken {
  const isForm = FORM_TYPES.test(type)
  const read = isForm ? Object.fromEntries(new URLSearchParams(text)) : parseJson(text)
  if (typeof read !== 'object' || read === null)
    throw new Error(`the token endpoint answered ${status} with something else than JSON`)
  const raw = read as RawProfile
  const fault = readProfileText(raw, 'error')
  if (status < 200 || status > 299 || fault)
    throw new Error(
      `the token endpoint answered ${status} ${fault} ${readProfileText(raw, 'error_description')}`,
    )
  const accessToken = readProfileText(raw, 'access_token')
  if (accessToken === '') throw new Error('the token endpoint gave no access_token')
  const given = readProfileValue(raw, 'expires_in') ?? 0
  const seconds = typeof given === 'string' && given !== '' ? Number(given) : (given as number)
  if (!Number.isInteger(seconds)) throw new TypeError('expires_in is not a whole number')
  return {
    accessToken,
    tokenType: readProfileText(raw, 'token_type'),
    refreshToken: readProfileText(raw, 'refresh_token'),
    expiry: seconds ? Date.now() + seconds * 1000 : 0,
    raw,
  }
}

/** The body of an OAuth2 sign-in. JSON keys match in upper or lower case: `redirectUrl`, too. */
export const OAUTH2_FORM = makeObjectShape({
  createData: map,
  provider: text,
  code: text,
  codeVerifier: text,
  redirectURL: text,
})
type OAuth2Form = ValueOf<typeof OAUTH2_FORM>

export interface OAuth2Identity {
  readonly provider: Provider
  readonly profile: Profile
  readonly createData: Readonly<Record<string, unknown>>
  readonly raw: RawProfile
  readonly token: ProviderToken
}

/**
 * Exchanges the form's code for the user's profile. Throws 403, 400, 429. PocketBase:
 * apis/record_auth_with_oauth2.go
 */
export async function identifyByOAuth2(call: AuthCall<OAuth2Form>): Promise<OAuth2Identity> {
  const { services, collection } = call
  const { oauth2 } = collection
  if (!oauth2.enabled)
    throw forbidden('The collection is not configured to allow OAuth2 authentication.')
  const form = await call.readForm()
  const options = oauth2.providers.find(({ name }) => name === form.provider)
  const provider = options && completeProvider(options)
  const isThere: Check = (name) => {
    const message = `Provider with name ${name} is missing or is not enabled.`
    return provider ? undefined : makeFieldError('validation_invalid_provider', message, { name })
  }
  checkFields(
    form,
    { provider: [checkRequired, checkMaxLength(100), isThere], code: [checkRequired] },
    'An error occurred while loading the submitted data.',
  )
  if (!provider) throw new Error(`there is no provider ${form.provider}`) // checkFields has thrown
  return limitProviderAttempts(makeAuthAttempt(call, ''), () =>
    fetchProviderIdentity(services, provider, form),
  )
}

async function fetchProviderIdentity(
  services: AuthServices,
  provider: Provider,
  form: OAuth2Form,
): Promise<OAuth2Identity> {
  const send = makeProviderClient()
  const refused = (message: string) => (error: unknown) => {
    services.log.warn({ err: error, provider: provider.name }, 'OAuth2 sign-in failed')
    throw badRequest(message)
  }
  const token = await exchangeAuthCode(provider, form, send).catch(
    refused('Failed to fetch OAuth2 token.'),
  )
  const user = await fetchUser(provider, token, send).catch(refused('Failed to fetch OAuth2 user.'))
  const name = user.profile.name || (provider.name === 'apple' ? consumeAppleName(form.code) : '')
  const profile = { ...user.profile, name }
  return { provider, profile, raw: user.raw, token, createData: form.createData }
}

/**
 * The provider's data: the `meta` of a sign-in's answer, as JSON. PocketBase: tools/auth/auth.go, AuthUser
 */
export function renderMeta({ profile, raw, token }: OAuth2Identity, isNew: boolean): string {
  return writeSortedJson({
    ...profile,
    avatarUrl: profile.avatarURL,
    accessToken: token.accessToken,
    refreshToken: token.refreshToken,
    expiry: token.expiry ? formatDate(new Date(token.expiry)) : '',
    rawUser: raw,
    isNew,
  })
}

/** Reads a user's profile, from the provider or from the id token. PocketBase: tools/auth, FetchAuthUser */
export async function fetchUser(provider: Provider, token: ProviderToken, send: ProviderClient) {
  if (token.expiry > 0 && token.expiry <= Date.now()) throw new Error('the token has expired')
  const type = /^(bearer)?$/i.test(token.tokenType) ? 'Bearer' : token.tokenType
  const authorization = `${type} ${token.accessToken}`
  const call: ProviderClient = (url, { headers, post } = {}) =>
    send(url, { headers: { authorization, ...headers }, post })
  const raw = provider.userInfoURL
    ? await requestUserInfo(provider, call)
    : await readIdToken(provider, readProfileText(token.raw, 'id_token'), send)
  const profile = readProfile(raw, provider)
  return {
    raw,
    profile: (await provider.amend?.(profile, { raw, token, provider, call })) ?? profile,
  }
}

async function requestUserInfo(
  { userInfoURL, clientId, headers, query }: Provider,
  call: ProviderClient,
) {
  const type: Record<string, string> =
    query === undefined ? {} : { 'content-type': 'application/json' }
  const { status, text } = await call(userInfoURL, {
    headers: { ...type, ...headers?.(clientId) },
    post: query,
  })
  if (status >= 400) throw new Error(`the profile was refused with ${status}`)
  const raw: unknown = JSON.parse(text) ?? {}
  if (typeof raw !== 'object' || Array.isArray(raw))
    throw new TypeError('the profile is not an object')
  return raw as RawProfile
}
