import type { OAuth2Provider } from '../../collections/auth-shape.ts'
import { OAUTH2_PROVIDERS } from '../../collections/definition/oauth2-providers.ts'
import { toBool } from '../../fields/convert-values.ts'
import { isEmail } from '../../fields/email.ts'
import table from './providers.json' with { type: 'json' }
import {
  type Provider,
  type ProviderType,
  type RawProfile,
  readIdTokenClaims,
  readProfileFlag,
  readProfileText,
  readProfileValue,
} from './read-provider-profile.ts'

const isEmailSecret = (status: number) => [401, 403, 404].includes(status)

/** The email of the first entry that `isOurs` accepts, or ''. Throws if `entries` is no list. */
function pickEmail(entries: unknown, isOurs: (entry: unknown) => boolean) {
  if (!Array.isArray(entries)) throw new TypeError('the addresses are not a list')
  return readProfileText(entries.find(isOurs), 'email')
}

type Amend = NonNullable<ProviderType['amend']>

/** Makes a function that takes the email with two flags, such as `verified`, from a list at the provider. */
const fetchListedEmail =
  (
    flags: readonly [string, string],
    isRefusal: (status: number) => boolean,
    listOf: (answer: unknown) => unknown,
  ): Amend =>
  async (profile, { call, provider }) => {
    const { status, text } = await call(`${provider.userInfoURL}/emails`)
    if (isRefusal(status)) return profile
    const isOurs = (entry: unknown) => flags.every((flag) => readProfileValue(entry, flag) === true)
    return { ...profile, email: pickEmail(listOf(JSON.parse(text)), isOurs) }
  }
const withGithubEmail = fetchListedEmail(
  ['verified', 'primary'],
  isEmailSecret,
  (entries) => entries,
)
/** Bitbucket's answer is a page of results, with the list in `values`. */
const withBitbucketEmail = fetchListedEmail(
  ['is_primary', 'is_confirmed'],
  (status) => status >= 400,
  (page) => readProfileValue(page, 'values') ?? [],
)

/** If the profile has no email, takes the user's primary email at Gitee. PocketBase: tools/auth/gitee.go */
const fetchGiteeEmail: Amend = async (profile, { call }) => {
  if (isEmail(profile.email)) return profile
  const isOurs = (entry: unknown) =>
    readProfileValue(entry, 'state') === 'confirmed' &&
    [readProfileValue(entry, 'scope')].flat().includes('primary') &&
    isEmail(readProfileText(entry, 'email'))
  const { status, text } = await call('https://gitee.com/api/v5/emails')
  return { ...profile, email: isEmailSecret(status) ? '' : pickEmail(JSON.parse(text), isOurs) }
}

const readConfirmedEmail = (claims: unknown) =>
  toBool(readProfileValue(claims, 'xms_edov')) ? readProfileText(claims, 'email') : ''

/** How to read the email from an id token, by the value of the provider's option `idTokenEmailClaim`. */
const MICROSOFT_EMAILS: Readonly<Record<string, (claims: unknown) => string>> = {
  any_verified: (claims) =>
    readProfileText(claims, 'verified_primary_email') || readConfirmedEmail(claims),
  verified_primary_email: (claims) => readProfileText(claims, 'verified_primary_email'),
  email_and_xms_edov: readConfirmedEmail,
  email: (claims) => readProfileText(claims, 'email'),
}
const addMicrosoftEmail: Amend = (profile, { provider, token }) => {
  const choose = MICROSOFT_EMAILS[String(provider.extra.idTokenEmailClaim ?? '')]
  if (!choose) return profile
  return { ...profile, email: choose(readIdTokenClaims(readProfileText(token.raw, 'id_token'))) }
}

/**
 * Adds the avatar and, if the name is missing, the user name: `name#1234` if it is one of Discord's old kind.
 * PocketBase: tools/auth/discord.go
 */
const addDiscordName: Amend = (profile, { raw }) => {
  const avatar = readProfileText(raw, 'avatar')
  const number = readProfileText(raw, 'discriminator')
  const userName =
    number === '' || number === '0' ? profile.username : `${profile.username}#${number}`
  return {
    ...profile,
    name: profile.name || userName,
    avatarURL: avatar && `https://cdn.discordapp.com/avatars/${profile.id}/${avatar}.png`,
  }
}

type InCode = Pick<ProviderType, 'amend' | 'headers' | 'moreScopes'>

const IN_CODE: Readonly<Record<string, InCode>> = {
  microsoft: {
    amend: addMicrosoftEmail,
    moreScopes: ({ idTokenEmailClaim }) => (idTokenEmailClaim ? ['openid'] : []),
  },
  yandex: {
    amend: (profile, { raw }) => ({
      ...profile,
      avatarURL: readProfileFlag(raw, 'is_avatar_empty')
        ? ''
        : `https://avatars.yandex.net/get-yapic/${readProfileText(raw, 'default_avatar_id')}/islands-200`,
    }),
  },
  github: { amend: withGithubEmail },
  gitlab: {
    amend: (profile, { raw }) =>
      Number.isNaN(Date.parse(readProfileText(raw, 'confirmed_at')))
        ? { ...profile, email: '' }
        : profile,
  },
  bitbucket: { amend: withBitbucketEmail },
  gitee: { amend: fetchGiteeEmail },
  gitea: { amend: withGithubEmail },
  discord: { amend: addDiscordName },
  kakao: {
    amend: (profile, { raw }) =>
      readProfileFlag(raw, 'kakao_account.is_email_valid') ? profile : { ...profile, email: '' },
  },
  vk: {
    amend: (profile, { raw, token }) => ({
      ...profile,
      name: `${readProfileText(raw, 'response.0.first_name')} ${readProfileText(raw, 'response.0.last_name')}`.trim(),
      email: readProfileText(token.raw, 'email'),
    }),
  },
  notion: { headers: () => ({ 'notion-version': '2022-06-28' }) },
  trakt: {
    headers: (clientId) => ({
      'content-type': 'application/json',
      'trakt-api-key': clientId,
      'trakt-api-version': '2',
    }),
  },
  twitch: { headers: (clientId) => ({ 'client-id': clientId }) },
  strava: {
    amend: (profile, { raw }) => ({
      ...profile,
      id: profile.id === '0' ? '' : profile.id,
      name: `${readProfileText(raw, 'firstname')} ${readProfileText(raw, 'lastname')}`,
    }),
  },
  wakatime: {
    amend: (profile, { raw }) =>
      readProfileFlag(raw, 'data.photo_public') ? profile : { ...profile, avatarURL: '' },
  },
  mailcow: { amend: (profile) => ({ ...profile, username: profile.username.split('@')[0]! }) },
}

type InTable = Omit<ProviderType, keyof InCode>

/** The OAuth2 providers of PocketBase, with their URLs, scopes and profile paths. PocketBase: tools/auth */
export const PROVIDERS: Readonly<Record<string, ProviderType>> = Object.fromEntries(
  Object.entries({ ...table, oidc2: table.oidc, oidc3: table.oidc } as object as Record<
    string,
    InTable
  >).map(([name, kind]) => [name, { ...kind, pkce: kind.pkce ?? true, ...IN_CODE[name] }]),
)

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/
const MAX_SCOPES = 20

/** More scopes to ask for: the list `scopes` in a provider's `extra`. RFC 6749, 3.3 */
const readOwnScopes = (extra: RawProfile): string[] =>
  [readProfileValue(extra, 'scopes') ?? []]
    .flat()
    .filter((scope): scope is string => typeof scope === 'string' && SCOPE.test(scope))
    .slice(0, MAX_SCOPES)

/** A collection's provider with defaults filled in; undefined for an unknown name. */
export function completeProvider(options: OAuth2Provider): Provider | undefined {
  const kind = PROVIDERS[options.name]
  if (!kind) return undefined
  const { name, clientId, clientSecret, extra } = options
  return {
    ...kind,
    name,
    clientId,
    clientSecret,
    extra,
    displayName: options.displayName || (OAUTH2_PROVIDERS.get(name)?.displayName ?? name),
    authURL: options.authURL || kind.authURL,
    tokenURL: options.tokenURL || kind.tokenURL,
    userInfoURL: options.userInfoURL || kind.userInfoURL,
    pkce: options.pkce ?? kind.pkce,
    scopes: [
      ...new Set([...kind.scopes, ...(kind.moreScopes?.(extra) ?? []), ...readOwnScopes(extra)]),
    ],
  }
}
