import type { OAuth2Provider } from '../../collections/auth-shape.ts'
import { OAUTH2_PROVIDERS } from '../../collections/definition/oauth2-providers.ts'
import { isEmail } from '../../fields/address.ts'
import { toBool } from '../../fields/cast.ts'
import { readClaims } from './id-token.ts'
import { flagAt, textAt, valueAt } from './profile.ts'
import type { Provider, ProviderType } from './provider-type.ts'
import table from './providers.json' with { type: 'json' }

const isKeptSecret = (status: number) => status === 401 || status === 403 || status === 404

/** The user's own address in a list; '' if there is none. Throws for anything but a list. */
function pickEmail(entries: unknown, isOurs: (entry: unknown) => boolean): string {
  if (!Array.isArray(entries)) throw new TypeError('the addresses are no list')
  return textAt(entries.find(isOurs), 'email')
}

const hasFlags =
  (...flags: readonly string[]) =>
  (entry: unknown) =>
    flags.every((flag) => valueAt(entry, flag) === true)

type Amend = NonNullable<ProviderType['amend']>

/** Adds the primary address of the provider's list. PocketBase: tools/auth/github.go, gitea.go */
const withListedEmail: Amend = async (profile, { call, provider }) => {
  const { status, text } = await call(`${provider.userInfoURL}/emails`)
  if (isKeptSecret(status)) return profile
  return { ...profile, email: pickEmail(JSON.parse(text), hasFlags('verified', 'primary')) }
}

/** Adds the primary address of Bitbucket's list, which is paged. PocketBase: tools/auth/bitbucket.go */
const withBitbucketEmail: Amend = async (profile, { call, provider }) => {
  const { status, text } = await call(`${provider.userInfoURL}/emails`)
  if (status >= 400) return profile
  const entries = valueAt(JSON.parse(text), 'values') ?? []
  return { ...profile, email: pickEmail(entries, hasFlags('is_primary', 'is_confirmed')) }
}

/** Adds the primary address of Gitee's list, which also has hidden ones. PocketBase: tools/auth/gitee.go */
const withGiteeEmail: Amend = async (profile, { call }) => {
  if (isEmail(profile.email)) return profile
  const isOurs = (entry: unknown) =>
    valueAt(entry, 'state') === 'confirmed' &&
    [valueAt(entry, 'scope')].flat().includes('primary') &&
    isEmail(textAt(entry, 'email'))
  const { status, text } = await call('https://gitee.com/api/v5/emails')
  return { ...profile, email: isKeptSecret(status) ? '' : pickEmail(JSON.parse(text), isOurs) }
}

/** Reads the address from the claim of the id token that the collection's option names. */
const MICROSOFT_EMAILS: Readonly<Record<string, (claims: unknown) => string>> = {
  any_verified: (claims) => textAt(claims, 'verified_primary_email') || confirmedByDomain(claims),
  verified_primary_email: (claims) => textAt(claims, 'verified_primary_email'),
  email_and_xms_edov: (claims) => confirmedByDomain(claims),
  email: (claims) => textAt(claims, 'email'),
}
const confirmedByDomain = (claims: unknown) =>
  toBool(valueAt(claims, 'xms_edov')) ? textAt(claims, 'email') : ''

const withMicrosoftEmail: Amend = (profile, { provider, token }) => {
  const choose = MICROSOFT_EMAILS[String(provider.extra.idTokenEmailClaim ?? '')]
  if (!choose) return profile
  return { ...profile, email: choose(readClaims(textAt(token.raw, 'id_token'))) }
}

/** Adds the number to old Discord names, and the avatar. PocketBase: tools/auth/discord.go */
const withDiscordName: Amend = (profile, { raw }) => {
  const avatar = textAt(raw, 'avatar')
  const number = textAt(raw, 'discriminator')
  const old = number === '' || number === '0' ? profile.username : `${profile.username}#${number}`
  return {
    ...profile,
    name: profile.name || old,
    avatarURL: avatar && `https://cdn.discordapp.com/avatars/${profile.id}/${avatar}.png`,
  }
}

type InCode = Pick<ProviderType, 'amend' | 'headers' | 'moreScopes'>

const IN_CODE: Readonly<Record<string, InCode>> = {
  microsoft: {
    amend: withMicrosoftEmail,
    moreScopes: ({ idTokenEmailClaim }) => (idTokenEmailClaim ? ['openid'] : []),
  },
  yandex: {
    amend: (profile, { raw }) => ({
      ...profile,
      avatarURL: flagAt(raw, 'is_avatar_empty')
        ? ''
        : `https://avatars.yandex.net/get-yapic/${textAt(raw, 'default_avatar_id')}/islands-200`,
    }),
  },
  github: { amend: withListedEmail },
  gitlab: {
    amend: (profile, { raw }) =>
      Number.isNaN(Date.parse(textAt(raw, 'confirmed_at'))) ? { ...profile, email: '' } : profile,
  },
  bitbucket: { amend: withBitbucketEmail },
  gitee: { amend: withGiteeEmail },
  gitea: { amend: withListedEmail },
  discord: { amend: withDiscordName },
  kakao: {
    amend: (profile, { raw }) =>
      flagAt(raw, 'kakao_account.is_email_valid') ? profile : { ...profile, email: '' },
  },
  vk: {
    amend: (profile, { raw, token }) => ({
      ...profile,
      name: `${textAt(raw, 'response.0.first_name')} ${textAt(raw, 'response.0.last_name')}`.trim(),
      email: textAt(token.raw, 'email'),
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
      name: `${textAt(raw, 'firstname')} ${textAt(raw, 'lastname')}`,
    }),
  },
  wakatime: {
    amend: (profile, { raw }) => (flagAt(raw, 'data.photo_public') ? profile : { ...profile, avatarURL: '' }),
  },
  mailcow: { amend: (profile) => ({ ...profile, username: profile.username.split('@')[0]! }) },
}

type InTable = Omit<ProviderType, keyof InCode>

/** PocketBase's providers with its addresses, scopes and paths. PocketBase: tools/auth */
export const PROVIDERS: Readonly<Record<string, ProviderType>> = Object.fromEntries(
  Object.entries({ ...table, oidc2: table.oidc, oidc3: table.oidc } as object as Record<string, InTable>).map(
    ([name, kind]) => [name, { ...kind, pkce: kind.pkce ?? true, ...IN_CODE[name] }],
  ),
)

/** A collection's provider with defaults filled in. Undefined for an unknown name. */
export function providerOf(options: OAuth2Provider): Provider | undefined {
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
    scopes: [...kind.scopes, ...(kind.moreScopes?.(extra) ?? [])],
  }
}
