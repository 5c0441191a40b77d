import { t } from '../../language/words.ts'
import { pb } from '../client.ts'
import { webhooks } from '../collections.ts'
import type { Webhook } from '../record-types.ts'

export const WEBHOOK_EVENTS = webhooks.events.values

export const EVENT_WORDS: Readonly<Record<(typeof WEBHOOK_EVENTS)[number], string>> = {
  'message.sent': t('Sent'),
  'message.delivered': t('Delivered'),
  'message.failed': t('Failed'),
  'message.received': t('Received'),
}

/** Services that webhooks can call, and how to set them up. `''` sends in the Standard Webhooks format. */
export const WEBHOOK_SERVICES: readonly (readonly [preset: Webhook['preset'], name: string, how?: string])[] =
  [
    ['', t('A program of yours')],
    ['slack', 'Slack', t('Add an incoming webhook to a channel in Slack, and enter its URL as address.')],
    ['discord', 'Discord', t('Make a webhook in the channel’s settings, and enter its URL as address.')],
    [
      'telegram',
      'Telegram',
      t('Make a bot with @BotFather, add it to the chat, and enter its token and the chat’s id.'),
    ],
    [
      'ntfy',
      'ntfy',
      t('Enter the topic that you follow in the app. A token is needed for protected topics only.'),
    ],
    [
      'gotify',
      'Gotify',
      t('Make an application in Gotify. Enter its token, and the address of your Gotify.'),
    ],
    ['mattermost', 'Mattermost', t('Add an incoming webhook in Mattermost, and enter its URL as address.')],
    [
      'matrix',
      'Matrix',
      t('Enter your homeserver, the id of the room, and an access token of the user that writes.'),
    ],
    ['mail', t('Mail by this server'), t('Enter the email address that gets the mails.')],
    ['custom', t('Something else')],
  ]

/** Beginnings of addresses by which a service is recognised. */
const ADDRESSES = [
  ['slack', 'https://hooks.slack.com/'],
  ['discord', 'https://discord.com/api/webhooks/'],
  ['telegram', 'https://api.telegram.org/'],
] as const

/** The name of the service that an address belongs to; undefined for other addresses. */
export function serviceOf(url: string): string | undefined {
  const preset = ADDRESSES.find(([, beginning]) => url.trim().startsWith(beginning))?.[0]
  return WEBHOOK_SERVICES.find(([service]) => service === preset)?.[1]
}

export const postWebhooks = <T>(path: string, body: object = {}) =>
  pb.send<T>(`/api/webhooks/${path}`, { method: 'POST', body })
