import { sql } from 'kysely'
import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/open.ts'
import { queries } from '../../db/queries.ts'
import { dateOf } from '../../fields/date.ts'
import type { Device } from '../../sms/devices/device.ts'
import { type Attempt, claimMessages, leasedMessages, renewLeases } from '../../sms/queue/claim.ts'
import { applyReports, type Report } from '../../sms/queue/report.ts'
import { REASONS } from '../../sms/status.ts'
import type { StateReport } from './incoming.ts'
import { isOf, lockForPull, noteClockAhead, type PhoneState, phoneOf, reduceCapacity } from './phone.ts'
import { answerTime, IS_CANCELED, isOpen, toSend, wakeForMore } from './refill.ts'
import { readWireId, toWire, validUntil, wireId } from './wire.ts'

interface HandedText extends Attempt {
  /** The phone must not send this text any more: it was deleted, or given to another device. */
  readonly isCanceled: boolean
  /** An answer listed this text so recently that the phone may still be reading it. */
  readonly isListed: boolean
  readonly isKnown: boolean
}

/** Reads what a phone was given, whether its event stream is open, and isOpen. Its row must be locked. */
async function handedState(db: Db, device: Device) {
  const { texts, ...state } = await queries(db)
    .selectNoFrom([
      sql<boolean>`exists (
        select from device_streams s where s.device = ${device.id} and s.until > now())`.as('canBeWoken'),
      sql<boolean>`coalesce((select ${isOpen(device)} from smsgate_phones p where ${isOf(device)}), false)`.as(
        'isOpen',
      ),
      sql<string>`coalesce((
        select json_agg(json_build_object(
          'id', t.message, 'attempt', t.attempt, 'isCanceled', ${IS_CANCELED}, 'isKnown', t.is_known,
          'isListed', t.listed_at > now() - ${answerTime}) order by t.message)
        from smsgate_texts t where ${isOf(device)}), '[]')::text`.as('texts'),
    ])
    .executeTakeFirstOrThrow()
  return { ...state, texts: JSON.parse(texts) as readonly HandedText[] }
}

/** What an answer to a phone lists. `validUntilMs` is by the database's clock. */
interface Listed {
  readonly texts: readonly (Attempt & { readonly validUntilMs: number })[]
  readonly canceled: readonly Attempt[]
  /** How many of `texts` the phone gets for the first time. */
  readonly added: number
}

/** Stores what an answer to a phone lists. Forgets texts that have expired and are no longer being sent. */
async function noteListed(db: Db, device: Device, { texts, canceled, added }: Listed): Promise<void> {
  const given = texts.map(({ id, attempt, validUntilMs }) => ({ id, attempt, validUntilMs }))
  await queries(db)
    .with('forgotten', (query) =>
      query
        .deleteFrom('smsgate_texts as t')
        .where(isOf(device))
        .where('t.valid_until', '<=', sql<Date>`now()`)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('sms_dispatch as d')
                .whereRef('d.message', '=', 't.message')
                .whereRef('d.attempt', '=', 't.attempt')
                .where('d.state', '=', 'sending'),
            ),
          ),
        ),
    )
    .with('canceled', (query) =>
      query
        .updateTable('smsgate_texts as t')
        .from(attempts(canceled).as<'g'>(sql`g(id text, attempt int)`))
        .set({ canceled_at: sql<Date>`now()` })
        .where(isOf(device))
        .whereRef('t.message', '=', 'g.id')
        .whereRef('t.attempt', '=', 'g.attempt'),
    )
    .with('phone', (query) =>
      query
        .updateTable('smsgate_phones')
        .set({ handed_at: sql<Date>`now()`, handed: sql`${added}::int + ${toSend(device)}` })
        .where(isOf(device))
        .where(sql<boolean>`${added}::int > 0`),
    )
    .insertInto('smsgate_texts')
    .columns(['device', 'user', 'message', 'attempt', 'listed_at', 'valid_until'])
    .expression((from) =>
      from
        .selectFrom(attempts(given).as<'g'>(sql`g(id text, attempt int, "validUntilMs" float8)`))
        .select(({ val }) => [
          ...[val(device.id).as('device'), val(device.user).as('user')],
          ...(['g.id', 'g.attempt'] as const),
          sql<Date>`now()`.as('listed_at'),
          sql<Date>`to_timestamp(g."validUntilMs" / 1000)`.as('valid_until'),
        ]),
    )
    .onConflict((found) =>
      found
        .columns(['device', 'message', 'attempt'])
        .doUpdateSet(({ ref }) => ({ listed_at: ref('excluded.listed_at') })),
    )
    .execute()
}

/** A list as rows; the alias names their columns. */
const attempts = <A extends Attempt>(list: readonly A[]) =>
  sql<A>`json_to_recordset(${JSON.stringify(list)}::json)`

/** A phone's report about a text: `waits` on the phone, was `processed` by Android, or is `over`. */
type Progress = Attempt & { readonly step: 'waits' | 'processed' | 'over' }

async function noteProgress({ db }: Store, device: Device, progress: readonly Progress[]) {
  if (progress.length === 0) return
  // the last state counts if a report names a text twice
  const given = [...new Map(progress.map((text) => [`${text.id}.${text.attempt}`, text])).values()]
  await queries(db)
    .with('given', (query) =>
      query
        .selectFrom(attempts(given).as<'g'>(sql`g(id text, attempt int, step text)`))
        .select(['g.id', 'g.attempt', 'g.step']),
    )
    .with('over', (query) =>
      query
        .deleteFrom('smsgate_texts as t')
        .using('given as g')
        .where(isOf(device))
        .whereRef('t.message', '=', 'g.id')
        .whereRef('t.attempt', '=', 'g.attempt')
        .where('g.step', '=', 'over'),
    )
    .updateTable('smsgate_texts as t')
    .from('given as g')
    .set({ is_known: true, is_processed: sql<boolean>`t.is_processed or g.step = 'processed'` })
    .where(isOf(device))
    .whereRef('t.message', '=', 'g.id')
    .whereRef('t.attempt', '=', 'g.attempt')
    .where('g.step', '<>', 'over')
    .execute()
}

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
