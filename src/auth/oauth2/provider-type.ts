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
  /** Address of the profile; '' if the id token has all of it. */
  readonly userInfoURL: string
  readonly scopes: readonly string[]
  readonly pkce: boolean
  readonly headers?: (clientId: string) => Readonly<Record<string, string>>
  /** JSON by which the profile is requested with POST; absent for GET. */
  readonly query?: string
  readonly authParams?: Readonly<Record<string, string>>
  readonly idToken?: { readonly issuers: readonly string[]; readonly jwksURL: string }
  /** Corrects the profile where a table is not enough. */
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
