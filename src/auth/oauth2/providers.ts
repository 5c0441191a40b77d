import {
  withBitbucketEmail,
  withDiscordName,
  withGiteeEmail,
  withListedEmail,
  withMicrosoftEmail,
} from './amend.ts'
import { MORE_PROVIDERS } from './more-providers.ts'
import { flagAt, textAt } from './profile.ts'
import { type ProviderType, providerType } from './provider-type.ts'

const oidc = providerType(
  '',
  '',
  '',
  ['openid', 'email', 'profile'],
  ['sub', 'name', 'preferred_username', 'email', 'picture'],
  { emailIfSaid: 'email_verified' },
)

/** PocketBase's providers with its addresses, scopes and paths. PocketBase: tools/auth */
export const PROVIDERS: Readonly<Record<string, ProviderType>> = {
  oidc,
  oidc2: oidc,
  oidc3: oidc,
  apple: providerType(
    'https://appleid.apple.com/auth/authorize',
    'https://appleid.apple.com/auth/token',
    '',
    ['name', 'email'],
    ['sub', 'name', '', 'email'],
    {
      emailIfSaid: 'email_verified',
      authParams: { response_mode: 'form_post' },
      idToken: { issuers: ['https://appleid.apple.com'], jwksURL: 'https://appleid.apple.com/auth/keys' },
    },
  ),
  google: providerType(
    'https://accounts.google.com/o/oauth2/v2/auth',
    'https://oauth2.googleapis.com/token',
    'https://www.googleapis.com/oauth2/v3/userinfo',
    ['https://www.googleapis.com/auth/userinfo.profile', 'https://www.googleapis.com/auth/userinfo.email'],
    ['sub', 'name', '', 'email', 'picture'],
    { emailIf: 'email_verified' },
  ),
  microsoft: providerType(
    'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    'https://graph.microsoft.com/v1.0/me',
    ['User.Read'],
    ['id', 'displayName', '', 'mail'],
    {
      amend: withMicrosoftEmail,
      moreScopes: ({ idTokenEmailClaim }) => (idTokenEmailClaim ? ['openid'] : []),
    },
  ),
  yandex: providerType(
    'https://oauth.yandex.com/authorize',
    'https://oauth.yandex.com/token',
    'https://login.yandex.ru/info',
    ['login:email', 'login:avatar', 'login:info'],
    ['id', 'real_name', 'login', 'default_email'],
    {
      amend: (profile, { raw }) => ({
        ...profile,
        avatarURL: flagAt(raw, 'is_avatar_empty')
          ? ''
          : `https://avatars.yandex.net/get-yapic/${textAt(raw, 'default_avatar_id')}/islands-200`,
      }),
    },
  ),
  facebook: providerType(
    'https://www.facebook.com/v3.2/dialog/oauth',
    'https://graph.facebook.com/v3.2/oauth/access_token',
    'https://graph.facebook.com/me?fields=name,email,picture.type(large)',
    ['email'],
    ['id', 'name', '', 'email', 'picture.data.url'],
  ),
  instagram2: providerType(
    'https://www.instagram.com/oauth/authorize',
    'https://api.instagram.com/oauth/access_token',
    'https://graph.instagram.com/me?fields=id,username,account_type,user_id,name,profile_picture_url,followers_count,follows_count,media_count',
    ['instagram_business_basic'],
    ['user_id', 'name', 'username', '', 'profile_picture_url'],
  ),
  github: providerType(
    'https://github.com/login/oauth/authorize',
    'https://github.com/login/oauth/access_token',
    'https://api.github.com/user',
    ['read:user', 'user:email'],
    ['id', 'name', 'login', '', 'avatar_url'],
    { hasNumericId: true, amend: withListedEmail },
  ),
  gitlab: providerType(
    'https://gitlab.com/oauth/authorize',
    'https://gitlab.com/oauth/token',
    'https://gitlab.com/api/v4/user',
    ['read_user'],
    ['id', 'name', 'username', 'email', 'avatar_url'],
    {
      hasNumericId: true,
      amend: (profile, { raw }) =>
        Number.isNaN(Date.parse(textAt(raw, 'confirmed_at'))) ? { ...profile, email: '' } : profile,
    },
  ),
  bitbucket: providerType(
    'https://bitbucket.org/site/oauth2/authorize',
    'https://bitbucket.org/site/oauth2/access_token',
    'https://api.bitbucket.org/2.0/user',
    ['account'],
    ['uuid', 'display_name', 'username', '', 'links.avatar.href'],
    { active: ['account_status', 'active'], pkce: false, amend: withBitbucketEmail },
  ),
  gitee: providerType(
    'https://gitee.com/oauth/authorize',
    'https://gitee.com/oauth/token',
    'https://gitee.com/api/v5/user',
    ['user_info', 'emails'],
    ['id', 'name', 'login', 'email', 'avatar_url'],
    { hasNumericId: true, amend: withGiteeEmail },
  ),
  gitea: providerType(
    'https://gitea.com/login/oauth/authorize',
    'https://gitea.com/login/oauth/access_token',
    'https://gitea.com/api/v1/user',
    ['read:user', 'user:email'],
    ['id', 'full_name', 'login', '', 'avatar_url'],
    { hasNumericId: true, active: ['active', true], amend: withListedEmail },
  ),
  discord: providerType(
    'https://discord.com/api/oauth2/authorize',
    'https://discord.com/api/oauth2/token',
    'https://discord.com/api/users/@me',
    ['identify', 'email'],
    ['id', 'global_name', 'username', 'email'],
    { emailIf: 'verified', amend: withDiscordName },
  ),
  twitter: providerType(
    'https://x.com/i/oauth2/authorize',
    'https://api.x.com/2/oauth2/token',
    'https://api.x.com/2/users/me?user.fields=id,name,username,profile_image_url,confirmed_email',
    ['users.read', 'users.email', 'tweet.read'],
    ['id', 'name', 'username', 'confirmed_email', 'profile_image_url'],
    { at: 'data' },
  ),
  kakao: providerType(
    'https://kauth.kakao.com/oauth/authorize',
    'https://kauth.kakao.com/oauth/token',
    'https://kapi.kakao.com/v2/user/me',
    ['account_email', 'profile_nickname', 'profile_image'],
    ['id', '', 'properties.nickname', 'kakao_account.email', 'properties.profile_image'],
    {
      hasNumericId: true,
      emailIf: 'kakao_account.is_email_verified',
      amend: (profile, { raw }) =>
        flagAt(raw, 'kakao_account.is_email_valid') ? profile : { ...profile, email: '' },
    },
  ),
  vk: providerType(
    'https://oauth.vk.com/authorize',
    'https://oauth.vk.com/access_token',
    'https://api.vk.com/method/users.get?fields=photo_max,screen_name&v=5.131',
    ['email'],
    ['id', '', 'screen_name', '', 'photo_max'],
    {
      at: 'response.0',
      hasNumericId: true,
      pkce: false,
      amend: (profile, { raw, token }) => ({
        ...profile,
        name: `${textAt(raw, 'response.0.first_name')} ${textAt(raw, 'response.0.last_name')}`.trim(),
        email: textAt(token.raw, 'email'),
      }),
    },
  ),
  ...MORE_PROVIDERS,
}
