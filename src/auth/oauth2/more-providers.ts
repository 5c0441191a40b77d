import { flagAt, textAt } from './profile.ts'
import { type ProviderType, providerType } from './provider-type.ts'

/** Second half of the table in providers.ts. */
export const MORE_PROVIDERS: Readonly<Record<string, ProviderType>> = {
  linear: providerType(
    'https://linear.app/oauth/authorize',
    'https://api.linear.app/oauth/token',
    'https://api.linear.app/graphql',
    ['read'],
    ['id', 'name', 'displayName', 'email', 'avatarUrl'],
    {
      at: 'data.viewer',
      active: ['active', true],
      pkce: false,
      query: '{"query": "query Me { viewer { id displayName name email avatarUrl active } }"}',
    },
  ),
  notion: providerType(
    'https://api.notion.com/v1/oauth/authorize',
    'https://api.notion.com/v1/oauth/token',
    'https://api.notion.com/v1/users/me',
    [],
    ['id', 'name', '', 'person.email', 'avatar_url'],
    { at: 'bot.owner.user', headers: () => ({ 'notion-version': '2022-06-28' }) },
  ),
  monday: providerType(
    'https://auth.monday.com/oauth2/authorize',
    'https://auth.monday.com/oauth2/token',
    'https://api.monday.com/v2',
    ['me:read'],
    ['id', 'name', '', 'email', 'photo_small'],
    {
      at: 'data.me',
      emailIf: 'is_verified',
      active: ['enabled', true],
      query: '{"query": "query { me { id enabled name email is_verified photo_small }}"}',
    },
  ),
  lark: providerType(
    'https://accounts.feishu.cn/open-apis/authen/v1/authorize',
    'https://open.feishu.cn/open-apis/authen/v2/oauth/token',
    'https://open.feishu.cn/open-apis/authen/v1/user_info',
    [],
    ['union_id', 'name', '', '', 'avatar_url'],
    { at: 'data' },
  ),
  box: providerType(
    'https://account.box.com/api/oauth2/authorize',
    'https://api.box.com/oauth2/token',
    'https://api.box.com/2.0/users/me',
    ['root_readonly'],
    ['id', 'name', '', 'login', 'avatar_url'],
    { active: ['status', 'active'] },
  ),
  spotify: providerType(
    'https://accounts.spotify.com/authorize',
    'https://accounts.spotify.com/api/token',
    'https://api.spotify.com/v1/me',
    ['user-read-private'],
    ['id', 'display_name', '', '', 'images.0.url'],
  ),
  trakt: providerType(
    'https://trakt.tv/oauth/authorize',
    'https://api.trakt.tv/oauth/token',
    'https://api.trakt.tv/users/settings',
    [],
    ['ids.uuid', 'name', 'username', '', 'images.avatar.full'],
    {
      at: 'user',
      headers: (clientId) => ({
        'content-type': 'application/json',
        'trakt-api-key': clientId,
        'trakt-api-version': '2',
      }),
    },
  ),
  twitch: providerType(
    'https://id.twitch.tv/oauth2/authorize',
    'https://id.twitch.tv/oauth2/token',
    'https://api.twitch.tv/helix/users',
    ['user:read:email'],
    ['id', 'display_name', 'login', 'email', 'profile_image_url'],
    { at: 'data.0', headers: (clientId) => ({ 'client-id': clientId }) },
  ),
  patreon: providerType(
    'https://www.patreon.com/oauth2/authorize',
    'https://www.patreon.com/api/oauth2/token',
    'https://www.patreon.com/api/oauth2/v2/identity?fields%5Buser%5D=full_name,email,vanity,image_url,is_email_verified',
    ['identity', 'identity[email]'],
    ['id', 'attributes.full_name', 'attributes.vanity', 'attributes.email', 'attributes.image_url'],
    { at: 'data', emailIf: 'attributes.is_email_verified' },
  ),
  strava: providerType(
    'https://www.strava.com/oauth/authorize',
    'https://www.strava.com/api/v3/oauth/token',
    'https://www.strava.com/api/v3/athlete',
    ['profile:read_all'],
    ['id', '', 'username', '', 'profile'],
    {
      hasNumericId: true,
      amend: (profile, { raw }) => ({
        ...profile,
        id: profile.id === '0' ? '' : profile.id,
        name: `${textAt(raw, 'firstname')} ${textAt(raw, 'lastname')}`,
      }),
    },
  ),
  wakatime: providerType(
    'https://wakatime.com/oauth/authorize',
    'https://wakatime.com/oauth/token',
    'https://wakatime.com/api/v1/users/current',
    ['email'],
    ['id', 'display_name', 'username', 'email', 'photo'],
    {
      at: 'data',
      emailIf: 'is_email_confirmed',
      amend: (profile, { raw }) =>
        flagAt(raw, 'data.photo_public') ? profile : { ...profile, avatarURL: '' },
    },
  ),
  livechat: providerType(
    'https://accounts.livechat.com/',
    'https://accounts.livechat.com/token',
    'https://accounts.livechat.com/v2/accounts/me',
    [],
    ['account_id', 'name', '', 'email', 'avatar_url'],
    { emailIf: 'email_verified' },
  ),
  mailcow: providerType('', '', '', ['profile'], ['id', 'full_name', 'username', 'email'], {
    active: ['active', 1],
    amend: (profile) => ({ ...profile, username: profile.username.split('@')[0]! }),
  }),
  planningcenter: providerType(
    'https://api.planningcenteronline.com/oauth/authorize',
    'https://api.planningcenteronline.com/oauth/token',
    'https://api.planningcenteronline.com/people/v2/me',
    ['people'],
    ['id', 'attributes.name', '', '', 'attributes.avatar'],
    { at: 'data', active: ['attributes.status', 'active'] },
  ),
}
