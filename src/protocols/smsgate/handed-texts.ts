import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/open.ts'
import { number, part, run, runForRow, statement, text } from '../../db/statement.ts'
import { dateOf } from '../../fields/date.ts'
import { allowance, type Device } from '../../sms/devices/device.ts'
import { type Attempt, claimMessages, leasedMessages, renewLeases } from '../../sms/queue/claim.ts'
import { applyReports, type Report } from '../../sms/queue/report.ts'
import { REASONS } from '../../sms/status.ts'
import { wakeDevices } from '../../sms/wake.ts'
import type { StateReport } from './incoming.ts'
import {
  CAPACITY_SQL,
  IS_OWN,
  lockForPull,
  MAX_CAPACITY,
  noteClockAhead,
  type PhoneState,
  phoneOf,
  reduceCapacity,
} from './phone.ts'
import { readWireId, toWire, validUntil, wireId } from './wire.ts'

/** A text is not listed again within this time: the phone may still be reading the last answer. */
const ANSWER_SECONDS = 3
/** A phone that still has at least half of its last new texts after this time gets more: it is slow. */
const SLOW_SECONDS = 5
/** After this time, a phone gets more even if it has only a few of its last new texts left. */
const STUCK_SECONDS = 60

interface HandedText extends Attempt {
  /** The phone must not send this text any more: it was deleted, or given to another device. */
  readonly isCanceled: boolean
  /** An answer listed this text so recently that the phone may still be reading it. */
  readonly isListed: boolean
  readonly isKnown: boolean
}

/** SQL: how many texts a phone has yet to send, by its reports. */
const TO_SEND = part`(
  select count(*) from smsgate_texts t
  where ${IS_OWN} and not t.is_processed and t.valid_until > now())`

const IS_CANCELED = `not t.is_processed and t.valid_until > now() and not exists (
  select from sms_dispatch d
  where d.message = t.message and d.attempt = t.attempt and d.device = t.device and d.state = 'sending')`

/**
 * SQL: whether phone `p` may get new texts: if it has none, or still many. If a text comes while the SMSGate
 * app sends its last one, the app restarts its sender and sends the last one twice.
 */
const IS_OPEN = part`(
  select n = 0 or n <= ${CAPACITY_SQL} / 2 and (
    p.handed_at < now() - interval '${SLOW_SECONDS} seconds' and n * 2 >= p.handed
    or p.handed_at < now() - interval '${STUCK_SECONDS} seconds')
  from ${TO_SEND} as c(n))`

/** SQL: whether the phone seems to lack a text or a cancellation. Then it should fetch them (pull). */
const IS_UNANSWERED = part`exists (
  select from smsgate_texts t
  where ${IS_OWN} and (
    not t.is_known and t.valid_until > now() and t.listed_at < now() - interval '${ANSWER_SECONDS} seconds'
    or ${IS_CANCELED} and (t.canceled_at is null or t.canceled_at < now() - interval '${ANSWER_SECONDS} seconds')))`

const STATE = statement('smsgate handed', { canBeWoken: 'boolean', isOpen: 'boolean', texts: 'string' })`
select exists (select from device_streams s where s.device = ${text('id')} and s.until > now()) as "canBeWoken",
  coalesce((select ${IS_OPEN} from smsgate_phones p where ${IS_OWN}), false)
    as "isOpen",
  coalesce((
    select json_agg(json_build_object(
      'id', t.message, 'attempt', t.attempt, 'isCanceled', ${IS_CANCELED}, 'isKnown', t.is_known,
      'isListed', t.listed_at > now() - interval '${ANSWER_SECONDS} seconds') order by t.message)
    from smsgate_texts t where ${IS_OWN}), '[]')::text as texts`

/** Reads what a phone was given, whether its event stream is open, and IS_OPEN. Its row must be locked. */
async function handedState(db: Db, device: Device) {
  const state = (await runForRow(db, STATE, device))!
  const texts: readonly HandedText[] = JSON.parse(state.texts)
  return { ...state, texts }
}

/** What an answer to a phone lists. `validUntilMs` is by the database's clock. */
interface Listed {
  readonly texts: readonly (Attempt & { readonly validUntilMs: number })[]
  readonly canceled: readonly Attempt[]
  /** How many of `texts` the phone gets for the first time. */
  readonly added: number
}

const NOTE = statement('smsgate note listed', {})`
with forgotten as (
  delete from smsgate_texts t where ${IS_OWN} and t.valid_until <= now() and not exists (
    select from sms_dispatch d where d.message = t.message and d.attempt = t.attempt and d.state = 'sending')
), canceled as (
  update smsgate_texts t set canceled_at = now()
  from json_to_recordset(${text('canceled')}) g(id text, attempt int)
  where ${IS_OWN} and t.message = g.id and t.attempt = g.attempt
), phone as (
  update smsgate_phones set handed_at = now(), handed = ${number('added')}::int + ${TO_SEND}
  where ${IS_OWN} and ${number('added')}::int > 0
)
insert into smsgate_texts (device, "user", message, attempt, listed_at, valid_until)
select ${text('id')}, ${text('user')}, g.id, g.attempt, now(), to_timestamp(g."validUntilMs" / 1000)
from json_to_recordset(${text('given')}) g(id text, attempt int, "validUntilMs" float8)
on conflict (device, message, attempt) do update set listed_at = excluded.listed_at`

/** Stores what an answer to a phone lists. Forgets texts that have expired and are no longer being sent. */
async function noteListed(db: Db, device: Device, { texts, canceled, added }: Listed): Promise<void> {
  const given = texts.map(({ id, attempt, validUntilMs }) => ({ id, attempt, validUntilMs }))
  const lists = { given: JSON.stringify(given), canceled: JSON.stringify(canceled) }
  await run(db, NOTE, { ...device, ...lists, added })
}

/** A phone's report about a text: `waits` on the phone, was `processed` by Android, or is `over`. */
type Progress = Attempt & { readonly step: 'waits' | 'processed' | 'over' }

const PROGRESS = statement('smsgate note progress', {})`
with given as (select * from json_to_recordset(${text('given')}) g(id text, attempt int, step text)), over as (
  delete from smsgate_texts t using given g
  where ${IS_OWN} and t.message = g.id and t.attempt = g.attempt and g.step = 'over'
)
update smsgate_texts t set is_known = true, is_processed = t.is_processed or g.step = 'processed'
from given g
where ${IS_OWN} and t.message = g.id and t.attempt = g.attempt and g.step <> 'over'`

async function noteProgress({ db }: Store, device: Device, progress: readonly Progress[]) {
  if (progress.length === 0) return
  // the last state counts if a report names a text twice
  const given = [...new Map(progress.map((text) => [`${text.id}.${text.attempt}`, text])).values()]
  await run(db, PROGRESS, { ...device, given: JSON.stringify(given) })
}

/** SQL: whether a phone holds at most half of its capacity. Texts that Android is sending count, too. */
const HAS_CAPACITY = part`(
  select count(*) from (
    select from sms_dispatch where ${IS_OWN} and state = 'sending' and lease_until > now()
    limit ${MAX_CAPACITY}
  ) held
) <= ${CAPACITY_SQL} / 2`

/** SQL: whether phone `p` may be handed waiting messages now. */
const HAS_MORE = part`(
  exists (
    select from sms_dispatch where ${IS_OWN} and state = 'assigned'
      and (due_at is null or due_at <= now()) and (expires_at is null or expires_at > now())
  ) and ${HAS_CAPACITY} and ${IS_OPEN}
  and exists (
    select from devices d where d.id = ${text('id')} and d."user" = ${text('user')} and d.enabled and coalesce(${allowance('d')}, 1) > 0
  ))`

/**
 * SQL: whether a lease of the phone ends within `leaseSeconds`. A pull makes the phone report what it has.
 */
const IS_LAPSING = part`exists (
    select from sms_dispatch where ${IS_OWN} and state = 'sending'
      and lease_until > now() and lease_until < now() + ${number('leaseSeconds')}::float8 * interval '1 second'
  )`

const REFILL = statement('smsgate refill', { hasMore: 'boolean' })`
select coalesce(${HAS_MORE}, false) as "hasMore" from smsgate_phones p where ${IS_OWN}`

/** Tells a phone to fetch messages if it may be given more, by its event stream on any server. */
async function wakeForMore(store: Store, device: Device): Promise<void> {
  const found = await runForRow(store.db, REFILL, device)
  if (found?.hasMore) wakeDevices(store.db, [device.id])
}

/**
 * Returns a row if the phone should be told to pull (fetch texts). Not twice within ANSWER_SECONDS, unless
 * the phone has pulled meanwhile: a second notice would make the app drop a running pull.
 */
const TELL = statement('smsgate should pull', {})`update smsgate_phones p set woken_at = now()
  where ${IS_OWN}
    and (p.woken_at is null or p.pulled_at >= p.woken_at
      or p.woken_at < now() - interval '${ANSWER_SECONDS} seconds')
    and (${HAS_MORE} or ${IS_LAPSING} or ${IS_UNANSWERED})
  returning p.device`

/** Whether to tell a phone to pull now. If so, stores that for all its streams. */
export const shouldPull = async ({ db }: Store, device: Device, leaseSeconds: number): Promise<boolean> =>
  (await runForRow(db, TELL, { ...device, leaseSeconds })) !== undefined

/** The app pulls by itself when its stream opens. `woken_at` is set so that no notice follows at once. */
const CONNECTED = statement('smsgate connected', {})`
update smsgate_phones set woken_at = now() - interval '${ANSWER_SECONDS / 2} seconds' where ${IS_OWN}`

/** Stores that a phone has opened its stream, after which it pulls by itself. */
export const noteConnected = ({ db }: Store, device: Device) => run(db, CONNECTED, device)

/** A phone gets leases of this many times the usual length: it sends texts one by one, with pauses. */
const LEASES = 3
/** A phone stops sending a text at most this long before the lease ends, to leave time for its report. */
const MAX_REPORT_MS = 30_000

const phoneLease = (leaseSeconds: number) => leaseSeconds * LEASES

/**
 * Answers a pull: cancellations, texts that the phone may lack, new ones. A phone's pulls run one at a time.
 */
export async function pullMessages(store: Store, device: Device, leaseSeconds: number) {
  return store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    let phone = await lockForPull(db, device)
    if (!phone) {
      await phoneOf(inside, device)
      phone = (await lockForPull(db, device))!
    }
    return answerPull(inside, device, phone, leaseSeconds)
  })
}

async function answerPull(inside: Store, device: Device, phone: PhoneState, leaseSeconds: number) {
  const { db } = inside
  const { texts: held, canBeWoken, isOpen } = await handedState(db, device)
  const canceled = held.filter(({ isCanceled }) => isCanceled)
  const known = new Map(held.map((text) => [wireId(text), text]))
  const lease = phoneLease(leaseSeconds)
  const claim = async () => {
    if (!device.enabled) return []
    // a phone without an open stream gets all it can: it cannot be told later to fetch more
    if (isOpen || !canBeWoken) return claimMessages(inside, device, phone.room, lease)
    return leasedMessages(inside, device, phone.room)
  }
  const soonMs = phone.databaseNowMs + leaseSeconds * 1000
  // list new messages, those the phone may lack, and those to be reported before their lease ends
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
    // no phone number: the message may be deleted, and the app needs only the id
    ...canceled.map((attempt) => ({ id: wireId(attempt), phoneNumbers: [], state: 'Cancelling' })),
    ...texts.map((message, i) => toWire(message, i, phone, message.validUntilMs)),
  ]
}

/** The app's error for a message that expired just before sending. */
const TOO_LATE = 'TTL expired'
type Outcome = Omit<Report, 'id' | 'attempt'>

/** Outcomes by the app's final states. In the other states the phone still has the text. */
const OUTCOMES: Readonly<Partial<Record<StateReport['state'], (report: StateReport) => Outcome>>> = {
  Sent: ({ states }) => ({ status: 'sent', at: states.Sent }),
  Delivered: ({ states }) => ({ status: 'delivered', at: states.Delivered }),
  Failed: (report) => failed(errorOf(report)),
  Cancelled: () => ({ status: 'failed', error_message: REASONS.canceledOnPhone, blameless: true }),
}

/** The app checks for TOO_LATE before it sends, so a message with this error was not sent. */
const failed = (error: string): Outcome => ({
  status: 'failed',
  error_message: error,
  not_sent: error === TOO_LATE,
  blameless: error === TOO_LATE,
})

const errorOf = ({ recipients }: StateReport) => recipients.find(({ error }) => error)?.error ?? ''

/** Stores the states that a phone reports; ignores unknown ids. May tell the phone to fetch more texts. */
export async function takeStates(
  store: Store,
  device: Device,
  states: readonly StateReport[],
  { leaseSeconds, deviceOnlineSeconds }: Pick<Config, 'leaseSeconds' | 'deviceOnlineSeconds'>,
): Promise<void> {
  const known = states.flatMap((state) => {
    const attempt = readWireId(state.id)
    return attempt ? [{ state, attempt, outcome: OUTCOMES[state.state]?.(state) }] : []
  })
  const reports = known.flatMap(({ attempt, outcome }) => (outcome ? [{ ...attempt, ...outcome }] : []))
  const held = known.flatMap(({ attempt, outcome }) => (outcome ? [] : [attempt]))
  await renewLeases(store, device, held, phoneLease(leaseSeconds))
  await learn(store, device, states, leaseSeconds)
  const progress = known.map(({ state, attempt, outcome }): Progress => {
    const has = state.state === 'Processed' ? 'processed' : 'waits'
    return { ...attempt, step: outcome ? 'over' : has }
  })
  if (reports.length > 0) await applyReports(store, device, reports, deviceOnlineSeconds)
  await noteProgress(store, device, progress)
  if (progress.some(({ step }) => step !== 'waits')) await wakeForMore(store, device)
}

/** After texts expired on a phone: stores that its clock is ahead, or else gives it fewer at once. */
async function learn(store: Store, device: Device, states: readonly StateReport[], leaseSeconds: number) {
  if (!states.some((state) => errorOf(state) === TOO_LATE)) return
  const latestMs = Math.max(0, ...states.flatMap(({ states }) => Object.values(states)))
  if (await noteClockAhead(store, device, latestMs - Date.now())) return
  await reduceCapacity(store, device, phoneLease(leaseSeconds))
}
