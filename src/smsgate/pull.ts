import type { Store } from '../collections/catalog.ts'
import { dateOf } from '../fields/date.ts'
import { type ClaimedMessage, claimMessages } from '../sms/claim.ts'
import type { Device } from '../sms/device.ts'
import { type Phone, phoneOf } from './phone.ts'

/** A message as the app reads it. Absent: as the app likes. */
export interface WireMessage {
  readonly id: string
  readonly message: string
  readonly textMessage: { readonly text: string }
  readonly phoneNumbers: readonly string[]
  readonly simNumber?: number
  readonly withDeliveryReport: boolean
  readonly isEncrypted: boolean
  readonly validUntil: string
  readonly priority: number
  readonly state: 'Pending'
  readonly createdAt: string
}

/** A phone sends one text after the other, with pauses: what it is handed is its own for so many leases. */
const LEASES = 3
/** So long before the end of its lease, at most, a message is no longer sent: what became of it can still be told. */
const MAX_REPORT_MS = 30_000

/** How long a phone may take for what it pulled, in seconds. */
export const phoneLease = (leaseSeconds: number) => leaseSeconds * LEASES

/**
 * What a phone has to send: what it holds, then new messages, as many as it can send within their lease. Pulled again,
 * they have the same ids, which the app knows and does not send again. [] for a disabled phone.
 */
export async function pullMessages(
  store: Store,
  device: Device,
  leaseSeconds: number,
): Promise<WireMessage[]> {
  if (!device.enabled) return []
  const { room, ...clocks } = await phoneOf(store, device)
  const lease = phoneLease(leaseSeconds)
  const claimed = await claimMessages(store, device, room, lease)
  const reportMs = Math.min(MAX_REPORT_MS, (lease * 1000) / 4)
  return claimed.map((message, i) => toWire(message, i, clocks, reportMs))
}

/**
 * The app never sends an id twice, and one of another attempt as a new message: so the id has both. All instants are by
 * the phone's clock; those of the lease come from the database's, which need not be ours. It sends what it created first, first, and forgets what it created long ago: so they are created
 * now, in their order.
 */
function toWire(
  message: ClaimedMessage,
  i: number,
  { clockMs, databaseMs }: Pick<Phone, 'clockMs' | 'databaseMs'>,
  reportMs: number,
): WireMessage {
  const ends = [message.expires_at, message.lease_until].map((text) => dateOf(text)?.getTime() ?? Infinity)
  const validUntil = Math.min(ends[0]!, ends[1]! - reportMs)
  return {
    id: wireId(message.id, message.attempt),
    message: message.body,
    textMessage: { text: message.body },
    phoneNumbers: [message.to],
    ...(message.sim > 0 && { simNumber: message.sim }),
    withDeliveryReport: true,
    isEncrypted: false,
    validUntil: phoneTime(validUntil - databaseMs, clockMs),
    priority: message.priority,
    state: 'Pending',
    createdAt: phoneTime(Date.now() + i, clockMs),
  }
}

/** An instant by the phone's clock, with three digits of a second: other forms the app refuses. */
const phoneTime = (ms: number, clockMs: number) => new Date(ms + clockMs).toISOString()

/** How the app names an attempt of a message. */
export const wireId = (id: string, attempt: number) => `${id}.${attempt}`

const WIRE_ID = /^([a-z0-9]{15})\.(\d{1,9})$/

/** The attempt that the app names; undefined for an id that is none of ours. */
export function readWireId(text: string): { id: string; attempt: number } | undefined {
  const [, id, attempt] = WIRE_ID.exec(text) ?? []
  return id === undefined ? undefined : { id, attempt: Number(attempt) }
}
