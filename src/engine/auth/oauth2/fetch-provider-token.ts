import { parseJson } from '../../../platform/tools/json.ts'
import {
  type Provider,
  type ProviderClient,
  type ProviderResponse,
  type ProviderToken,
  type RawProfile,
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
