import type { OAuth2Provider } from '../../collections/auth-shape.ts'
import { OAUTH2_PROVIDERS } from '../../collections/definition/oauth2-providers.ts'
import {
  withBitbucketEmail,
  withDiscordName,
  withGiteeEmail,
  withListedEmail,
  withMicrosoftEmail,
} from './amend.ts'
import { flagAt, textAt } from './profile.ts'
import type { Provider, ProviderType } from './provider-type.ts'
import table from './providers.json' with { type: 'json' }

type InCode = Pick<ProviderType, 'amend' | 'headers' | 'moreScopes'>

/** What the table cannot say of a provider. */
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
