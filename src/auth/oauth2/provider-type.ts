import type { Profile, ProfileForm, RawProfile } from './profile.ts'
import type { ProviderClient } from './provider-client.ts'

/** Answer of the token endpoint. `expiry`: milliseconds since 1970, 0 for none. `raw`: the whole answer. */
export interface ProviderToken {
  readonly accessToken: string
  readonly tokenType: string
  readonly refreshToken: string
  readonly expiry: number
  readonly raw: RawProfile
}

export interface ProfileContext {
  readonly raw: RawProfile
  readonly token: ProviderToken
  readonly provider: Provider
  readonly call: ProviderClient
}

export interface ProviderType extends ProfileForm {
  readonly authURL: string
  readonly tokenURL: string
  /** '' if the id token has the whole profile. */
  readonly userInfoURL: string
  readonly scopes: readonly string[]
  readonly pkce: boolean
  readonly headers?: (clientId: string) => Readonly<Record<string, string>>
  /** Set: the profile is requested by POST with this JSON. */
  readonly query?: string
  /** Further parameters of the address that users are sent to. */
  readonly authParams?: Readonly<Record<string, string>>
  /** Checks of the id token, where it replaces the profile. */
  readonly idToken?: { readonly issuers: readonly string[]; readonly jwksURL: string }
  /** Corrects the profile where a table is not enough. */
  readonly amend?: (profile: Profile, visit: ProfileContext) => Profile | Promise<Profile>
  /** Further scopes, by the collection's options. */
  readonly moreScopes?: (extra: RawProfile) => readonly string[]
}

export interface Provider extends ProviderType {
  readonly name: string
  readonly displayName: string
  readonly clientId: string
  readonly clientSecret: string
  readonly extra: RawProfile
}
