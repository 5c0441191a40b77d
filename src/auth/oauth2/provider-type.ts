import type { Profile, ProfilePaths, RawProfile } from './profile.ts'

/** What the token endpoint gave. `expiry`: milliseconds since 1970, 0 for none. `raw`: all of its answer. */
export interface ProviderToken {
  readonly accessToken: string
  readonly tokenType: string
  readonly refreshToken: string
  readonly expiry: number
  readonly raw: RawProfile
}

/** Asks the provider something with the token, and answers status and text. */
export type ProviderCall = (
  url: string,
  options?: { readonly headers?: Readonly<Record<string, string>>; readonly post?: string },
) => Promise<{ readonly status: number; readonly text: string }>

/** What is at hand when a profile is put right. */
export interface ProfileContext {
  readonly raw: RawProfile
  readonly token: ProviderToken
  readonly provider: Provider
  readonly call: ProviderCall
}

/** A kind of provider: where it is and how it speaks. */
export interface ProviderType {
  readonly authURL: string
  readonly tokenURL: string
  /** '' if the id token says it all. */
  readonly userInfoURL: string
  readonly scopes: readonly string[]
  readonly pkce: boolean
  readonly places: ProfilePaths
  /** More headers of the request for the profile. */
  readonly headers?: (clientId: string) => Readonly<Record<string, string>>
  /** The profile is asked for by POST, with this as JSON. */
  readonly query?: string
  /** Other parameters of the address to which people are sent. */
  readonly authParams?: Readonly<Record<string, string>>
  /** What id tokens must come with, where they take the place of a profile. */
  readonly idToken?: { readonly issuers: readonly string[]; readonly jwksURL: string }
  /** What no table can say. */
  readonly amend?: (profile: Profile, visit: ProfileContext) => Profile | Promise<Profile>
  /** Scopes beside its own, by what a collection says of it. */
  readonly moreScopes?: (extra: RawProfile) => readonly string[]
}

/** A provider as a collection has set it up. */
export interface Provider extends ProviderType {
  readonly name: string
  readonly displayName: string
  readonly clientId: string
  readonly clientSecret: string
  readonly extra: RawProfile
}

/** What most have in common: PKCE, and a profile by GET. */
export const providerType = (
  authURL: string,
  tokenURL: string,
  userInfoURL: string,
  scopes: readonly string[],
  places: ProviderType['places'],
  more: Partial<ProviderType> = {},
): ProviderType => ({ authURL, tokenURL, userInfoURL, scopes, places, pkce: true, ...more })
