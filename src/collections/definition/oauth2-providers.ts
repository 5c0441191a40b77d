import logos from './oauth2-logos.json' with { type: 'json' }

/** PocketBase's OAuth2 providers in its order: name in the options, display name. */
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
 * SVG logos of providers, from PocketBase 0.39.11 (MIT License, Copyright (c) 2022 - present, Gani Georgiev).
 */
export const OAUTH2_LOGOS: Readonly<Record<string, string>> = logos
