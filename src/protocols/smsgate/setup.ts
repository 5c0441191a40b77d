import type { Phone } from './phone.ts'

/** Where the app's routes are, and below it what phones post. */
export const MOBILE_PATH = '/api/mobile/v1'

/** What phones tell us of. `mms:received` only announces what `mms:downloaded` brings. */
const EVENTS = [
  'sms:received',
  'sms:data-received',
  'mms:received',
  'mms:downloaded',
  'system:ping',
  'app:started',
] as const

/** The app pulls and signs a ping that often, should its stream be down and not know it. */
const PING_SECONDS = 120
/** The app's own default: it gives up after two days. */
const WEBHOOK_RETRIES = 15

/** A webhook as the app reads it. */
export interface WireWebhook {
  readonly id: string
  readonly url: string
  readonly event: (typeof EVENTS)[number]
}

/** The webhooks of a phone. Ids never change, or the app would notify its owner. */
export const webhooksOf = ({ path }: Phone, publicUrl: string): WireWebhook[] =>
  EVENTS.map((event) => ({
    id: event.replace(':', '-'),
    url: `${publicUrl}${MOBILE_PATH}/incoming/${path}`,
    event,
  }))

/** The settings of a phone, never changed: the app would ask its owner to restart it. */
export const settingsOf = ({ signingKey }: Pick<Phone, 'signingKey'>) => ({
  gateway: { notification_channel: 'SSE_ONLY' },
  messages: { processing_order: 'FIFO' },
  ping: { interval_seconds: PING_SECONDS },
  webhooks: { internet_required: true, retry_count: WEBHOOK_RETRIES, signing_key: signingKey },
})
