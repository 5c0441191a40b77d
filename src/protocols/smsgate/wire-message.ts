import { dateOf } from '../../fields/types/date.ts'
import type { ClaimedMessage } from '../../sms/queue/claim.ts'
import type { Attempt } from '../../sms/queue/renew.ts'
import type { Phone } from './phone.ts'

/** A message that the app is to send, in its words. Absent: as the app likes. */
export interface WireMessage {
  readonly id: string
  readonly message: string
  readonly textMessage: { readonly text: string }
  readonly phoneNumbers: readonly string[]
  readonly simNumber?: number
  readonly withDeliveryReport: boolean
  readonly isEncrypted: boolean
  readonly validUntil: string
  readonly scheduleAt: string
  readonly priority: number
  readonly state: 'Pending'
  readonly createdAt: string
}

/** A message that the app is not to send any more. It reports what became of it. */
export interface WireCancel {
  readonly id: string
  readonly phoneNumbers: readonly string[]
  readonly state: 'Cancelling'
}

/** In the past, so the app sends at once. Without it, it restarts its sender and may send twice. */
const SCHEDULED_AT = '2000-01-01T00:00:00.000Z'
/** From 100 on the app restarts its sender and skips its owner's pauses. */
const MAX_PRIORITY = 99

/**
 * The id contains the attempt, as the app never sends an id twice. Instants are by the phone's clock, leases
 * by the database's. The app sends the oldest first and forgets old ones: so all are created now.
 */
export const toWire = (
  message: ClaimedMessage,
  i: number,
  { clockMs, databaseMs }: Pick<Phone, 'clockMs' | 'databaseMs'>,
  validUntilMs: number,
): WireMessage => ({
  id: wireId(message),
  message: message.body,
  textMessage: { text: message.body },
  phoneNumbers: [message.to],
  ...(message.sim > 0 && { simNumber: message.sim }),
  withDeliveryReport: true,
  isEncrypted: false,
  validUntil: phoneTime(validUntilMs - databaseMs, clockMs),
  scheduleAt: SCHEDULED_AT,
  priority: Math.min(message.priority, MAX_PRIORITY),
  state: 'Pending',
  createdAt: phoneTime(Date.now() + i, clockMs),
})

/** The number is not ours to tell any more: the message may have been deleted. The app needs none. */
export const toCancel = (attempt: Attempt): WireCancel => ({
  id: wireId(attempt),
  phoneNumbers: [],
  state: 'Cancelling',
})

/** The last instant to send a message: `reportMs` before its lease ends. */
export function validUntil({ expires_at, lease_until }: ClaimedMessage, reportMs: number): number {
  const [expiresMs, leaseMs] = [expires_at, lease_until].map((text) => dateOf(text)?.getTime() ?? Infinity)
  return Math.min(expiresMs!, leaseMs! - reportMs)
}

/** An instant by the phone's clock, with three digits of a second: other forms the app refuses. */
const phoneTime = (ms: number, clockMs: number) => new Date(ms + clockMs).toISOString()

/** How the app names an attempt of a message. */
export const wireId = ({ id, attempt }: Attempt) => `${id}.${attempt}`

const WIRE_ID = /^([a-z0-9]{15})\.(\d{1,9})$/

/** The attempt that the app names; undefined for an id that is none of ours. */
export function readWireId(text: string): Attempt | undefined {
  const [, id, attempt] = WIRE_ID.exec(text) ?? []
  return id === undefined ? undefined : { id, attempt: Number(attempt) }
}
