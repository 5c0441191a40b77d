import { t } from '../../language/words.ts'
import { pb } from '../client.ts'
import type { WEBHOOK_EVENTS, Webhook } from '../records.ts'

export const EVENT_WORDS: Readonly<Record<(typeof WEBHOOK_EVENTS)[number], string>> = {
  'message.sent': t('Sent'),
  'message.delivered': t('Delivered'),
  'message.failed': t('Failed'),
  'message.received': t('Received'),
}

/** Whom a webhook can write to: the presets, and programs that take Standard Webhooks. */
export const WEBHOOK_SERVICES: readonly (readonly [preset: Webhook['preset'], name: string])[] = [
  ['', t('A program of yours')],
  ['slack', 'Slack'],
  ['discord', 'Discord'],
  ['telegram', 'Telegram'],
  ['ntfy', 'ntfy'],
  ['gotify', 'Gotify'],
  ['mattermost', 'Mattermost'],
  ['matrix', 'Matrix'],
  ['mail', t('Mail by this server')],
  ['custom', t('Something else')],
]

/** Requests an action on webhooks or their deliveries. */
export const postWebhooks = <T>(path: string, body: object = {}) =>
  pb.send<T>(`/api/webhooks/${path}`, { method: 'POST', body })
