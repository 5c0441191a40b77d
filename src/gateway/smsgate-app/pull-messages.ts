import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { toDate } from '../../engine/fields/parse-date.ts'
import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/db/open.ts'
import { type Device, hasOldMms, saveMms } from '../base/device-record.ts'
import { applyReports } from '../messages/queue/apply-reports.ts'
import { claimMessages, loadLeasedMessages } from '../messages/queue/claim-messages.ts'
import { CANNOT_SEND } from '../messages/queue/give-back-mms.ts'
import type { MessageAttempt } from '../messages/queue/message-leases.ts'
import { computeValidUntil, makeAppId, renderAppMessage } from './app-json.ts'
import type { AppRules } from './app-versions.ts'
import { readFiles, refuseMms } from './files-to-send.ts'
import { CLOCK_NOISE_MS } from './note-clock.ts'
import { CAPACITY } from './phone-capacity.ts'
import { findOrMakePhone, updatePhone } from './phone-record.ts'
import { noteListed, readHandedState } from './texts-at-phone.ts'

/** A phone gets leases of this many times the usual length: it sends texts one by one, with pauses. */
const LEASES = 3
/** A phone stops sending a text at most this long before the lease ends, to leave time for its report. */
const MAX_REPORT_MS = 30_000

type LeaseConfig = Pick<Config, 'leaseSeconds' | 'deviceOnlineSeconds'>

export const phoneLease = (leaseSeconds: number) => leaseSeconds * LEASES

/**
 * Answers a pull: cancellations, texts that the phone may lack, new ones. A phone's pulls run one at a time.
 * Other lines get the MMS that the phone cannot send.
 */
export async function pullMessages(
  store: Store,
  device: Device,
  config: LeaseConfig,
  rules: AppRules,
) {
  const { answer, refused } = await store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    let phone = await lockForPull(db, device, rules)
    if (!phone) {
      await findOrMakePhone(inside, device)
      phone = (await lockForPull(db, device, rules))!
    }
    if (phone.isMmsUnknown) await saveMms(inside, device, rules.sendsMms)
    return answerPull(inside, device, phone, config, rules)
  })
  if (refused.length > 0) await applyReports(store, device, refused, config.deviceOnlineSeconds)
  return answer
}

/**
 * `clockMs`: milliseconds that the phone's clock is ahead of ours, 0 if unknown. `room`: how many messages
 * the phone may hold. `databaseNowMs`: the database's clock, in milliseconds since 1970.
 */
const notePull = (db: Db, device: Device, { atOnce, sendsMms }: AppRules) =>
  updatePhone(db, device)
    .set({ pulled_at: sql<Date>`now()`, at_once: atOnce })
    .returning([
      sql<number>`coalesce(clock_ms, 0)::float8`.as('clockMs'),
      CAPACITY.as('room'),
      sql<boolean>`coalesce(held_until > now(), false)`.as('isHolding'),
      sql<number>`extract(epoch from clock_timestamp())::float8 * 1000`.as('databaseNowMs'),
      hasOldMms(device, sendsMms).as('isMmsUnknown'),
    ])
    .executeTakeFirst()

type PhoneState = NonNullable<Awaited<ReturnType<typeof notePull>>> & {
  /** Milliseconds that the database's clock (it ends leases) is ahead of ours; 0 below CLOCK_NOISE_MS. */
  readonly databaseMs: number
}

/** Locks a phone's row: its requests for messages run one at a time. Null for an unknown phone. */
async function lockForPull(db: Db, device: Device, rules: AppRules): Promise<PhoneState | null> {
  const askedMs = Date.now()
  const pulled = await notePull(db, device, rules)
  if (!pulled) return null
  const { databaseNowMs: nowMs } = pulled
  const isRight = nowMs > askedMs - CLOCK_NOISE_MS && nowMs < Date.now() + CLOCK_NOISE_MS
  // the difference includes the query's time: leases may seem shorter than they are, but never longer
  return { ...pulled, databaseMs: isRight ? 0 : nowMs - askedMs }
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
  const known = new Map(held.map((text) => [makeAppId(text), text]))
  const lease = phoneLease(leaseSeconds)
  const claim = async () => {
    if (!device.enabled) return []
    // a phone that sends nothing gets an expedited text alone: it restarts the app's sender
    if (rules.hasWorkHours && hasUrgent && toSend.length === 0)
      return claimMessages(inside, device, leased + 1, lease, 1)
    // a phone without an open stream gets all it can: it cannot be told later to fetch more
    if (isOpen || (!canBeWoken && rules.atOnce > 1 && !phone.isHolding))
      return claimMessages(inside, device, phone.room, lease, rules.atOnce)
    return loadLeasedMessages(inside, device, phone.room)
  }
  const soonMs = phone.databaseNowMs + leaseSeconds * 1000
  // list new messages, those the phone may lack, and those to be reported before their lease ends
  const claimed = await claim()
  const refused = claimed.flatMap((message) => {
    const error_message = refuseMms(message, rules)
    // an app that has an MMS may have sent it before an older app replaced it: its lease ends
    if (error_message === '' || known.has(makeAppId(message))) return []
    return { ...CANNOT_SEND, id: message.id, attempt: message.attempt, error_message }
  })
  const listed = claimed.filter((message) => {
    if (refuseMms(message, rules) !== '') return false
    const text = known.get(makeAppId(message))
    if (!text || !canBeWoken) return true
    return !text.isListed && (!text.isKnown || toDate(message.lease_until)!.getTime() < soonMs)
  })
  const reportMs = Math.min(MAX_REPORT_MS, (lease * 1000) / 4)
  const texts = listed.map((message) => ({
    ...message,
    validUntilMs: computeValidUntil(message, reportMs),
  }))
  const added = texts.filter((message) => !known.has(makeAppId(message))).length
  const fresh = texts.filter((message) => !known.get(makeAppId(message))?.isKnown)
  const isAlone =
    fresh.length === 1 && toSend.every((text) => makeAppId(text) === makeAppId(fresh[0]!))
  const options = { ...rules, mayExpedite: isAlone && rules.hasWorkHours }
  // an MMS that does not fit into the answer is listed, too: as after a lost answer, the phone is told to ask
  if (texts.length + held.length > 0) await noteListed(db, device, { texts, canceled, added })
  const isKnown = (message: MessageAttempt) => (known.get(makeAppId(message))?.isKnown ? 1 : 0)
  const files = await readFiles(
    db,
    texts.toSorted((a, b) => isKnown(a) - isKnown(b)),
  )
  const answer = [
    // no phone number: the message may be deleted, and the app needs only the id
    ...canceled.map((attempt) => ({
      id: makeAppId(attempt),
      phoneNumbers: [],
      state: 'Cancelling',
    })),
    ...texts.flatMap((message, i) => {
      const own = files.get(message.id)
      if (message.attachments && !own) return []
      return renderAppMessage({ ...message, files: own }, i, phone, message.validUntilMs, options)
    }),
  ]
  return { answer, refused }
}
