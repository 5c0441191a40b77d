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

const post = <T>(path: string, body: object = {}) =>
  pb.send<T>(`/api/webhooks/${path}`, { method: 'POST', body })

/** Sends a webhook a made-up event. Answers the delivery's id. */
export const sendTest = (webhook: string) => post<{ id: string }>(`${webhook}/test`)

export const rotateSecret = (webhook: string) => post<{ secret: string }>(`${webhook}/rotate`)

export const resend = (delivery: string) => post(`deliveries/${delivery}/resend`)

/** Resends all deliveries that failed since `since`. Returns how many. */
export const resendFailed = (webhook: string, since: Date) =>
  post<{ resent: number }>(`${webhook}/resend-failed`, { since: since.toISOString() })
