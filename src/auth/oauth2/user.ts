import { readIdToken } from './id-token.ts'
import { type Profile, type RawProfile, readProfile, textAt } from './profile.ts'
import type { ProviderClient } from './provider-client.ts'
import type { Provider, ProviderCall, ProviderToken } from './provider-type.ts'

/** A provider's user and the raw answer. */
export interface ProviderUser {
  readonly profile: Profile
  readonly raw: RawProfile
}

/** The user of a token, from the provider or the id token. PocketBase: tools/auth, FetchAuthUser */
export async function fetchUser(
  provider: Provider,
  token: ProviderToken,
  send: ProviderClient,
): Promise<ProviderUser> {
  if (token.expiry > 0 && token.expiry <= Date.now()) throw new Error('the token is over already')
  const authorization = `${typeOf(token)} ${token.accessToken}`
  const call: ProviderCall = (url, { headers, post } = {}) =>
    send(url, { headers: { authorization, ...headers }, ...(post !== undefined && { post }) })
  const raw = provider.userInfoURL
    ? await ask(provider, call)
    : await readIdToken(provider, textAt(token.raw, 'id_token'), send)
  const profile = readProfile(raw, provider.places)
  return { raw, profile: (await provider.amend?.(profile, { raw, token, provider, call })) ?? profile }
}

/** Some providers write `bearer`. */
const typeOf = ({ tokenType }: ProviderToken) =>
  tokenType === '' || tokenType.toLowerCase() === 'bearer' ? 'Bearer' : tokenType

async function ask(
  { userInfoURL, clientId, headers, query }: Provider,
  call: ProviderCall,
): Promise<RawProfile> {
  const own = headers?.(clientId)
  const { status, text } = await call(
    userInfoURL,
    query === undefined
      ? { headers: { ...own } }
      : { headers: { 'content-type': 'application/json', ...own }, post: query },
  )
  if (status >= 400) throw new Error(`the profile was refused with ${status}`)
  const raw: unknown = JSON.parse(text) ?? {}
  if (typeof raw !== 'object' || Array.isArray(raw)) throw new TypeError('the profile is no object')
  return raw as RawProfile
}
