import type { Value } from '../../engine/fields/field.ts'
import { toDate } from '../../engine/fields/parse-date.ts'
import type { ClaimedMessage } from '../messages/queue/claim-messages.ts'
import type { MessageAttempt } from '../messages/queue/message-leases.ts'
import { type AppRules, URGENT_PRIORITY } from './app-versions.ts'
import type { AppFile } from './files-to-send.ts'
import type { Phone } from './phone-record.ts'

/** A stored date in the only form that the app reads; undefined for none. */
export const renderDate = (text: string): string | undefined => toDate(text)?.toISOString()

export const renderDevice = (values: Readonly<Record<string, Value>>) => ({
  id: String(values.id),
  name: String(values.name),
  createdAt: renderDate(String(values.created)),
  updatedAt: renderDate(String(values.updated || values.created)),
  lastSeen: renderDate(String(values.last_seen || values.created)),
  simCards: parseSimCards(values.sims),
})

/** The SIMs of a device. Other devices than SMSGate phones may have stored any JSON. */
function parseSimCards(sims: Value | undefined) {
  const list = typeof sims === 'string' && sims !== '' ? JSON.parse(sims) : []
  if (!Array.isArray(list)) return []
  const cards = list.filter((sim) => Number.isInteger(sim?.slot))
  return cards.map(({ slot, number, carrier }) => ({
    slotIndex: slot - 1,
    simNumber: slot,
    phoneNumber: textOrNone(number),
    carrierName: textOrNone(carrier),
  }))
}

const textOrNone = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** A past date: the app sends immediately. */
const SCHEDULED_AT = '2000-01-01T00:00:00.000Z'

/**
 * Makes a message for the app, which never sends the same id twice. Dates are by the phone's clock.
 * `createdAt` is the present time: the app sends the oldest first, and forgets old ones. An expedited text
 * restarts the app's sender, and ignores the pauses and the work hours that its owner has set.
 */
export const renderAppMessage = (
  message: ClaimedMessage & { readonly files?: readonly AppFile[] | undefined },
  i: number,
  { clockMs, databaseMs }: { readonly clockMs: number; readonly databaseMs: number },
  validUntilMs: number,
  { needsDate, mayExpedite }: Pick<AppRules, 'needsDate'> & { readonly mayExpedite: boolean },
) => ({
  id: makeAppId(message),
  ...(message.files
    ? {
        mmsMessage: {
          ...(message.subject && { subject: message.subject }),
          ...(message.body !== '' && { text: message.body }),
          attachments: message.files,
        },
      }
    : { message: message.body, textMessage: { text: message.body } }),
  phoneNumbers: [message.to],
  ...(message.sim > 0 && { simNumber: message.sim }),
  withDeliveryReport: true,
  isEncrypted: false,
  validUntil: phoneTime(validUntilMs - databaseMs, clockMs),
  ...(needsDate && { scheduleAt: SCHEDULED_AT }),
  priority: mayExpedite ? message.priority : Math.min(message.priority, URGENT_PRIORITY - 1),
  state: 'Pending',
  createdAt: phoneTime(Date.now() + i, clockMs),
})

/** When to stop sending a message: when it expires, or `reportMs` before its lease ends. In ms since 1970. */
export function computeValidUntil(
  { expires_at, lease_until }: ClaimedMessage,
  reportMs: number,
): number {
  const [expiresMs, leaseMs] = [expires_at, lease_until].map(
    (text) => toDate(text)?.getTime() ?? Infinity,
  )
  return Math.min(expiresMs!, leaseMs! - reportMs)
}

/** A date by the phone's clock, with milliseconds: the app refuses other forms. */
const phoneTime = (ms: number, clockMs: number) => new Date(ms + clockMs).toISOString()

export const makeAppId = ({ id, attempt }: MessageAttempt) => `${id}.${attempt}`

const APP_ID = /^([a-z0-9]{15})\.(\d{1,9})$/

/** Reads a message's id that the app sends back; undefined if this server has not made it. */
export function readAppId(text: string): MessageAttempt | undefined {
  const [, id, attempt] = APP_ID.exec(text) ?? []
  return id === undefined ? undefined : { id, attempt: Number(attempt) }
}

/** Path of the app's routes, and of the URLs to which phones post events. */
export const MOBILE_PATH = '/api/mobile/v1'

/** Events that phones post. `mms:received` only announces `mms:downloaded`. */
const EVENTS = [
  'sms:received',
  'sms:data-received',
  'mms:received',
  'mms:downloaded',
  'system:ping',
  'app:started',
] as const

/** Seconds between the app's pings. Each also makes the app fetch its texts, in case its stream is dead. */
const PING_SECONDS = 120
/** Retries of a failed webhook call, the app's default. Pauses between them grow, to two days in all. */
const WEBHOOK_RETRIES = 15

/** The webhooks that a phone calls. Their ids never change, or the app would notify its owner. */
export const listPhoneWebhooks = ({ path }: Phone, publicUrl: string) =>
  EVENTS.map((event) => ({
    id: event.replace(':', '-'),
    url: `${publicUrl}${MOBILE_PATH}/incoming/${path}`,
    event,
  }))

/** The settings of a phone. They never change, or the app would ask its owner to restart it. */
export const makePhoneSettings = ({ signingKey }: Pick<Phone, 'signingKey'>) => ({
  gateway: { notification_channel: 'SSE_ONLY' },
  messages: { processing_order: 'FIFO' },
  ping: { interval_seconds: PING_SECONDS },
  webhooks: { internet_required: true, retry_count: WEBHOOK_RETRIES, signing_key: signingKey },
})
