import logos from './oauth2-logos.json' with { type: 'json' }

/** OAuth2 providers that PocketBase knows, in its order: name in a collection's options, name to show. */
export const OAUTH2_PROVIDERS: readonly (readonly [name: string, displayName: string])[] = [
  ['apple', 'Apple'],
  ['google', 'Google'],
  ['microsoft', 'Microsoft'],
  ['yandex', 'Yandex'],
  ['facebook', 'Facebook'],
  ['instagram2', 'Instagram'],
  ['github', 'GitHub'],
  ['gitlab', 'GitLab'],
  ['bitbucket', 'Bitbucket'],
  ['gitee', 'Gitee'],
  ['gitea', 'Gitea/Forgejo'],
  ['discord', 'Discord'],
  ['twitter', 'X/Twitter'],
  ['kakao', 'Kakao'],
  ['vk', 'ВКонтакте'],
  ['linear', 'Linear'],
  ['notion', 'Notion'],
  ['monday', 'monday.com'],
  ['lark', 'Lark'],
  ['box', 'Box'],
  ['spotify', 'Spotify'],
  ['trakt', 'Trakt'],
  ['twitch', 'Twitch'],
  ['patreon', 'Patreon'],
  ['strava', 'Strava'],
  ['wakatime', 'WakaTime'],
  ['livechat', 'LiveChat'],
  ['mailcow', 'mailcow'],
  ['planningcenter', 'Planning Center'],
  ['oidc', 'OIDC'],
  ['oidc2', 'OIDC'],
  ['oidc3', 'OIDC'],
]

/**
 * The mark of each provider, an SVG, by its name in a collection's options. They are those of PocketBase
 * 0.39.11, tools/auth (MIT License, Copyright (c) 2022 - present, Gani Georgiev); the marks themselves are
 * their owners'.
 */
export const OAUTH2_LOGOS: Readonly<Record<string, string>> = logos
