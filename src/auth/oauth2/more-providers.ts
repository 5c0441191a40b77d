import { flagAt, textAt } from './profile.ts'
import { type ProviderType, providerType } from './provider-type.ts'

/** Second half of the table in providers.ts. */
export const MORE_PROVIDERS: Readonly<Record<string, ProviderType>> = {
  linear: providerType(
    'https://linear.app/oauth/authorize',
    'https://api.linear.app/oauth/token',
    'https://api.linear.app/graphql',
    ['read'],
    {
      id: 'data.viewer.id',
      name: 'data.viewer.name',
      username: 'data.viewer.displayName',
      email: 'data.viewer.email',
      avatarURL: 'data.viewer.avatarUrl',
      active: ['data.viewer.active', true],
    },
    {
      pkce: false,
      query: '{"query": "query Me { viewer { id displayName name email avatarUrl active } }"}',
    },
  ),
  notion: providerType(
    'https://api.notion.com/v1/oauth/authorize',
    'https://api.notion.com/v1/oauth/token',
    'https://api.notion.com/v1/users/me',
    [],
    {
      id: 'bot.owner.user.id',
      name: 'bot.owner.user.name',
      email: 'bot.owner.user.person.email',
      avatarURL: 'bot.owner.user.avatar_url',
    },
    { headers: () => ({ 'notion-version': '2022-06-28' }) },
  ),
  monday: providerType(
    'https://auth.monday.com/oauth2/authorize',
    'https://auth.monday.com/oauth2/token',
    'https://api.monday.com/v2',
    ['me:read'],
    {
      id: 'data.me.id',
      name: 'data.me.name',
      email: 'data.me.email',
      emailIf: 'data.me.is_verified',
      avatarURL: 'data.me.photo_small',
      active: ['data.me.enabled', true],
    },
    { query: '{"query": "query { me { id enabled name email is_verified photo_small }}"}' },
  ),
  lark: providerType(
    'https://accounts.feishu.cn/open-apis/authen/v1/authorize',
    'https://open.feishu.cn/open-apis/authen/v2/oauth/token',
    'https://open.feishu.cn/open-apis/authen/v1/user_info',
    [],
    { id: 'data.union_id', name: 'data.name', avatarURL: 'data.avatar_url' },
  ),
  box: providerType(
    'https://account.box.com/api/oauth2/authorize',
    'https://api.box.com/oauth2/token',
    'https://api.box.com/2.0/users/me',
    ['root_readonly'],
    { id: 'id', name: 'name', email: 'login', avatarURL: 'avatar_url', active: ['status', 'active'] },
  ),
  spotify: providerType(
    'https://accounts.spotify.com/authorize',
    'https://accounts.spotify.com/api/token',
    'https://api.spotify.com/v1/me',
    ['user-read-private'],
    { id: 'id', name: 'display_name', avatarURL: 'images.0.url' },
  ),
  trakt: providerType(
    'https://trakt.tv/oauth/authorize',
    'https://api.trakt.tv/oauth/token',
    'https://api.trakt.tv/users/settings',
    [],
    {
      id: 'user.ids.uuid',
      name: 'user.name',
      username: 'user.username',
      avatarURL: 'user.images.avatar.full',
    },
    {
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
    {
      id: 'data.0.id',
      name: 'data.0.display_name',
      username: 'data.0.login',
      email: 'data.0.email',
      avatarURL: 'data.0.profile_image_url',
    },
    { headers: (clientId) => ({ 'client-id': clientId }) },
  ),
  patreon: providerType(
    'https://www.patreon.com/oauth2/authorize',
    'https://www.patreon.com/api/oauth2/token',
    'https://www.patreon.com/api/oauth2/v2/identity?fields%5Buser%5D=full_name,email,vanity,image_url,is_email_verified',
    ['identity', 'identity[email]'],
    {
      id: 'data.id',
      name: 'data.attributes.full_name',
      username: 'data.attributes.vanity',
      email: 'data.attributes.email',
      emailIf: 'data.attributes.is_email_verified',
      avatarURL: 'data.attributes.image_url',
    },
  ),
  strava: providerType(
    'https://www.strava.com/oauth/authorize',
    'https://www.strava.com/api/v3/oauth/token',
    'https://www.strava.com/api/v3/athlete',
    ['profile:read_all'],
    { hasNumericId: true, id: 'id', username: 'username', avatarURL: 'profile' },
    {
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
    {
      id: 'data.id',
      name: 'data.display_name',
      username: 'data.username',
      email: 'data.email',
      emailIf: 'data.is_email_confirmed',
      avatarURL: 'data.photo',
    },
    {
      amend: (profile, { raw }) =>
        flagAt(raw, 'data.photo_public') ? profile : { ...profile, avatarURL: '' },
    },
  ),
  livechat: providerType(
    'https://accounts.livechat.com/',
    'https://accounts.livechat.com/token',
    'https://accounts.livechat.com/v2/accounts/me',
    [],
    { id: 'account_id', name: 'name', email: 'email', emailIf: 'email_verified', avatarURL: 'avatar_url' },
  ),
  mailcow: providerType(
    '',
    '',
    '',
    ['profile'],
    { id: 'id', name: 'full_name', username: 'username', email: 'email', active: ['active', 1] },
    { amend: (profile) => ({ ...profile, username: profile.username.split('@')[0]! }) },
  ),
  planningcenter: providerType(
    'https://api.planningcenteronline.com/oauth/authorize',
    'https://api.planningcenteronline.com/oauth/token',
    'https://api.planningcenteronline.com/people/v2/me',
    ['people'],
    {
      id: 'data.id',
      name: 'data.attributes.name',
      avatarURL: 'data.attributes.avatar',
      active: ['data.attributes.status', 'active'],
    },
  ),
}
