import type { Store } from '../../engine/collections/catalog.ts'
import { toDate } from '../../engine/fields/parse-date.ts'
import type { Device } from '../../gateway/base/device-record.ts'
import { claimMessages, readLeasedMessages } from '../../gateway/messages/queue/claim-messages.ts'
import type { Config } from '../../platform/config.ts'
import type { AppRules } from './app-versions.ts'
import { lockForPull, type PhoneState } from './lock-for-pull.ts'
import { findOrMakePhone } from './stored-phone.ts'
import { noteListed, readHandedState } from './texts-at-phone.ts'
import { computeValidUntil, toWire, wireId } from './wire.ts'

/** A phone gets leases of this many times the usual length: it sends texts one by one, with pauses. */
const LEASES = 3
/** A phone stops sending a text at most this long before the lease ends, to leave time for its report. */
const MAX_REPORT_MS = 30_000

type LeaseConfig = Pick<Config, 'leaseSeconds' | 'deviceOnlineSeconds'>

export const phoneLease = (leaseSeconds: number) => leaseSeconds * LEASES

/**
 * Answers a pull: cancellations, texts that the phone may lack, new ones. A phone's pulls run one at a time.
 */
export async function pullMessages(
  store: Store,
  device: Device,
  config: LeaseConfig,
  rules: AppRules,
) {
  return store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    let phone = await lockForPull(db, device, rules)
    if (!phone) {
      await findOrMakePhone(inside, device)
      phone = (await lockForPull(db, device, rules))!
    }
    return answerPull(inside, device, phone, config, rules)
  })
}

async function answerPull(
  inside: Store,
  device: Device,
  phone: PhoneState,
  { leaseSeconds, deviceOnlineSeconds }: LeaseConfig,
  rules: AppRules,
) {
  const { db } = inside
  const {
    texts: held,
    leased,
    canBeWoken,
    hasUrgent,
    isOpen,
  } = await readHandedState(db, device, deviceOnlineSeconds)
  const canceled = held.filter(({ isCanceled }) => isCanceled)
  const toSend = held.filter(({ isToSend }) => isToSend)
  const known = new Map(held.map((text) => [wireId(text), text]))
  const lease = phoneLease(leaseSeconds)
  const claim = async () => {
    if (!device.enabled) return []
    // an expedited text goes alone to a phone that sends nothing: it restarts the app's sender
    if (rules.hasWorkHours && hasUrgent && toSend.length === 0)
      return claimMessages(inside, device, leased + 1, lease)
    // a phone without an open stream gets all it can: it cannot be told later to fetch more
    if (isOpen || (!canBeWoken && rules.atOnce > 1 && !phone.isHolding))
      return claimMessages(inside, device, Math.min(phone.room, leased + rules.atOnce), lease)
    return readLeasedMessages(inside, device, phone.room)
  }
  const soonMs = phone.databaseNowMs + leaseSeconds * 1000
  // list new messages, those the phone may lack, and those to be reported before their lease ends
  const listed = (await claim()).filter((message) => {
    const text = known.get(wireId(message))
    if (!text || !canBeWoken) return true
    return !text.isListed && (!text.isKnown || toDate(message.lease_until)!.getTime() < soonMs)
  })
  const reportMs = Math.min(MAX_REPORT_MS, (lease * 1000) / 4)
  const texts = listed.map((message) => ({
    ...message,
    validUntilMs: computeValidUntil(message, reportMs),
  }))
  const added = texts.filter((message) => !known.has(wireId(message))).length
  const fresh = texts.filter((message) => !known.get(wireId(message))?.isKnown)
  const isAlone = fresh.length === 1 && toSend.every((text) => wireId(text) === wireId(fresh[0]!))
  const options = { ...rules, mayExpedite: isAlone && rules.hasWorkHours }
  if (texts.length + held.length > 0) await noteListed(db, device, { texts, canceled, added })
  return [
    // no phone number: the message may be deleted, and the app needs only the id
    ...canceled.map((attempt) => ({ id: wireId(attempt), phoneNumbers: [], state: 'Cancelling' })),
    ...texts.map((message, i) => toWire(message, i, phone, message.validUntilMs, options)),
  ]
}
