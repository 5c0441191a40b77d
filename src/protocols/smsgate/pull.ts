import type { Store } from '../../collections/catalog.ts'
import { dateOf } from '../../fields/types/date.ts'
import type { Device } from '../../sms/devices/device.ts'
import { type ClaimedMessage, claimMessages, leasedMessages } from '../../sms/queue/claim.ts'
import { type HandedState, type HandedText, handedState, noteListed } from './handed-texts.ts'
import { lockForPull, type PhoneState, phoneOf } from './phone.ts'
import { toCancel, toWire, validUntil, wireId } from './wire.ts'

/** A phone sends one by one, with pauses: it keeps its texts for this many leases. */
const LEASES = 3
/** A message is not sent this long before its lease ends, so that it can be reported. */
const MAX_REPORT_MS = 30_000

/** How long a phone may take for what it pulled, in seconds. */
export const phoneLease = (leaseSeconds: number) => leaseSeconds * LEASES

/**
 * A phone's work, one pull at a time: cancellations, then texts that it has not reported, then new ones
 * within their lease. A message keeps its id, so the app does not send it twice. A disabled phone gets none.
 */
export async function pullMessages(store: Store, device: Device, leaseSeconds: number) {
  return store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    const phone = (await lockForPull(db, device)) ?? (await beginPhone(inside, device))
    return answerPull(inside, device, phone, leaseSeconds)
  })
}

async function beginPhone(inside: Store, device: Device): Promise<PhoneState> {
  await phoneOf(inside, device)
  return (await lockForPull(inside.db, device))!
}

async function answerPull(inside: Store, device: Device, phone: PhoneState, leaseSeconds: number) {
  const { db } = inside
  const state = await handedState(db, device)
  const canceled = state.texts.filter(({ isCanceled }) => isCanceled)
  const known = new Map(state.texts.map((text) => [wireId(text), text]))
  const claimed = await messagesFor(inside, device, phone, state, leaseSeconds)
  const listed = claimed.filter((message) =>
    isToBeListed(message, known.get(wireId(message)), state, phone, leaseSeconds),
  )
  const lease = phoneLease(leaseSeconds)
  const reportMs = Math.min(MAX_REPORT_MS, (lease * 1000) / 4)
  const texts = listed.map((message) => ({ ...message, validUntilMs: validUntil(message, reportMs) }))
  const added = texts.filter((message) => !known.has(wireId(message))).length
  if (texts.length + state.texts.length > 0) await noteListed(db, device, { texts, canceled, added })
  return [
    ...canceled.map(toCancel),
    ...texts.map((message, i) => toWire(message, i, phone, message.validUntilMs)),
  ]
}

/** What the phone holds, and new messages if it may have some. */
function messagesFor(
  inside: Store,
  device: Device,
  { room }: PhoneState,
  { canBeWoken, isOpen }: HandedState,
  leaseSeconds: number,
): Promise<ClaimedMessage[]> {
  if (!device.enabled) return Promise.resolve([])
  // who cannot be told to pull later is handed what there is
  if (isOpen || !canBeWoken) return claimMessages(inside, device, room, phoneLease(leaseSeconds))
  return leasedMessages(inside, device, room)
}

/** A message is listed again if the answer may be lost or its lease ends soon, for a report. */
function isToBeListed(
  { lease_until }: ClaimedMessage,
  known: HandedText | undefined,
  { canBeWoken }: HandedState,
  { databaseNowMs }: PhoneState,
  leaseSeconds: number,
): boolean {
  if (!known || !canBeWoken) return true
  if (known.isListed) return false
  return !known.isKnown || dateOf(lease_until)!.getTime() < databaseNowMs + leaseSeconds * 1000
}
