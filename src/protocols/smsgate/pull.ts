import type { Store } from '../../collections/catalog.ts'
import { dateOf } from '../../fields/types/date.ts'
import type { Device } from '../../sms/devices/device.ts'
import { claimMessages, leasedMessages } from '../../sms/queue/claim.ts'
import { handedState, noteListed } from './handed-texts.ts'
import { lockForPull, type PhoneState, phoneOf } from './phone.ts'
import { toCancel, toWire, validUntil, wireId } from './wire.ts'

/** A phone sends one by one, with pauses, so it may keep its texts for this many leases. */
const LEASES = 3
/** A message is not sent in this time before its lease ends, so that its result can still be reported. */
const MAX_REPORT_MS = 30_000

/** Seconds that a phone has to send pulled texts. */
export const phoneLease = (leaseSeconds: number) => leaseSeconds * LEASES

/** Answers a pull, one at a time for each phone: cancellations, then unreported texts, then new ones. */
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
  const { texts: held, canBeWoken, isOpen } = await handedState(db, device)
  const canceled = held.filter(({ isCanceled }) => isCanceled)
  const known = new Map(held.map((text) => [wireId(text), text]))
  const lease = phoneLease(leaseSeconds)
  const claim = async () => {
    if (!device.enabled) return []
    // a phone without an open stream gets all it can: it cannot be told to pull later
    if (isOpen || !canBeWoken) return claimMessages(inside, device, phone.room, lease)
    return leasedMessages(inside, device, phone.room)
  }
  const soonMs = phone.databaseNowMs + leaseSeconds * 1000
  // list a held message again if the phone may lack it, or so that the phone reports it before its lease ends
  const listed = (await claim()).filter((message) => {
    const text = known.get(wireId(message))
    if (!text || !canBeWoken) return true
    return !text.isListed && (!text.isKnown || dateOf(message.lease_until)!.getTime() < soonMs)
  })
  const reportMs = Math.min(MAX_REPORT_MS, (lease * 1000) / 4)
  const texts = listed.map((message) => ({ ...message, validUntilMs: validUntil(message, reportMs) }))
  const added = texts.filter((message) => !known.has(wireId(message))).length
  if (texts.length + held.length > 0) await noteListed(db, device, { texts, canceled, added })
  return [
    ...canceled.map(toCancel),
    ...texts.map((message, i) => toWire(message, i, phone, message.validUntilMs)),
  ]
}
