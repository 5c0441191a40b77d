import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import {
  number,
  part,
  type Row,
  run,
  runForCount,
  runForRow,
  runForTexts,
  statement,
  text,
} from '../../db/statement.ts'
import { dateOf } from '../../fields/date.ts'
import type { Device } from '../../sms/devices/device.ts'
import { wakeDevices } from '../../sms/wake.ts'
import { randomText } from '../../tools/random.ts'

/** Maximum messages that a phone holds: it sends them one by one, with pauses. */
export const MAX_CAPACITY = 20
/** After a slow phone's capacity was halved, it grows by one message in each such period. */
const WIDEN_SECONDS = 600
/** Letters and digits of a secret: at least 256 bits. */
const SECRET_LENGTH = 43
/** Smaller differences between clocks are ignored. */
const CLOCK_NOISE_MS = 2_000
/** If a phone's clock is ahead by this much more than we knew, its texts expired early: it was not slow. */
const MISLED_MS = 30_000

/** SQL: how many messages a phone may hold now. */
export const CAPACITY_SQL = `least(${MAX_CAPACITY}, room + coalesce(floor(extract(epoch from now() - narrowed_at) / ${WIDEN_SECONDS}), 0))::int`

/** SQL: a row belongs to the device `id` of `user`. */
export const IS_OWN = part`device = ${text('id')} and "user" = ${text('user')}`

const FIND = statement('smsgate phone', {
  /** The secret end of the URL to which the phone posts what it receives. */
  path: 'string',
  signingKey: 'string',
  /** When the phone was last seen before it was away: it may not have posted later texts. '' for never. */
  missedSince: 'string',
})`
select path, signing_key as "signingKey", coalesce(pb_text(missed_since), '') as "missedSince"
from smsgate_phones where ${IS_OWN}`

export type Phone = Row<typeof FIND>

const ADD = statement('smsgate add phone', {})`
insert into smsgate_phones (device, "user", path, signing_key, room)
values (${text('id')}, ${text('user')}, ${text('path')}, ${text('key')}, ${MAX_CAPACITY}) on conflict (device) do nothing`

/** A phone's data, created at its first request. */
export async function phoneOf({ db }: Store, device: Device): Promise<Phone> {
  const known = await runForRow(db, FIND, device)
  if (known) return known
  await run(db, ADD, { ...device, path: randomText(SECRET_LENGTH), key: randomText(SECRET_LENGTH) })
  return (await runForRow(db, FIND, device))!
}

const PULL = statement('smsgate pull', {
  /** Milliseconds that the phone's clock is ahead of ours; 0 if unknown. */
  clockMs: 'number',
  /** How many messages the phone may hold. */
  room: 'number',
  /** The database's clock, in milliseconds since 1970. */
  databaseNowMs: 'number',
})`
update smsgate_phones set pulled_at = now() where ${IS_OWN} returning coalesce(clock_ms, 0)::float8 as "clockMs",
  ${CAPACITY_SQL} as room, extract(epoch from clock_timestamp())::float8 * 1000 as "databaseNowMs"`

export type PhoneState = Row<typeof PULL> & {
  /** Milliseconds that the database's clock (it ends leases) is ahead of ours; 0 below CLOCK_NOISE_MS. */
  readonly databaseMs: number
}

/** Locks a phone's row: its requests for messages run one at a time. Null for an unknown phone. */
export async function lockForPull(db: Db, device: Device): Promise<PhoneState | null> {
  const askedMs = Date.now()
  const pulled = await runForRow(db, PULL, device)
  if (!pulled) return null
  const { databaseNowMs: nowMs } = pulled
  const isRight = nowMs > askedMs - CLOCK_NOISE_MS && nowMs < Date.now() + CLOCK_NOISE_MS
  // the difference includes the query's time: leases may seem shorter than they are, but never longer
  return { ...pulled, databaseMs: isRight ? 0 : nowMs - askedMs }
}

const NARROW = statement('smsgate narrow', {})`
update smsgate_phones set room = greatest(1, ${CAPACITY_SQL} / 2), narrowed_at = now()
where ${IS_OWN} and (narrowed_at is null or narrowed_at < now() - ${number('seconds')}::float8 * interval '1 second')`

/** Halves how many messages a slow phone may hold, at most once every `seconds`. */
export const reduceCapacity = ({ db }: Store, device: Device, seconds: number) =>
  run(db, NARROW, { ...device, seconds })

const MS = number('ms')

const AHEAD = statement('smsgate clock ahead', {})`
update smsgate_phones set clock_ms = ${MS}, room = ${CAPACITY_SQL}, narrowed_at = now()
where ${IS_OWN} and coalesce(clock_ms, 0) < ${MS}::float8 - ${MISLED_MS}`

/** Stores that a phone's clock is `ms` ahead. False, and nothing stored, if MISLED_MS or less is new. */
export const noteClockAhead = async ({ db }: Store, device: Device, ms: number) =>
  (await runForCount(db, AHEAD, { ...device, ms })) > 0

const CLOCK = statement('smsgate clock', {})`
update smsgate_phones set clock_ms = ${MS}
where ${IS_OWN} and abs(coalesce(clock_ms, 0) - ${MS}::float8) > ${CLOCK_NOISE_MS}`

/** Stores how many milliseconds a phone's clock is ahead of ours. */
export const noteClock = ({ db }: Store, device: Device, ms: number) => run(db, CLOCK, { ...device, ms })

const MISSED = statement('smsgate missed', {})`
update smsgate_phones set missed_since = coalesce(missed_since, ${text('since')}::timestamptz) where ${IS_OWN}`

/** If a phone was away for `awaySeconds`, stores when it was last seen: later texts may be missing. */
export async function recordAbsence(store: Store, device: Device, awaySeconds: number): Promise<void> {
  const seen = dateOf(device.lastSeen)
  if (!seen || Date.now() - seen.getTime() < awaySeconds * 1000) return
  await run(store.db, MISSED, { ...device, since: seen.toISOString() })
}

const CAUGHT_UP = statement('smsgate caught up', {})`
update smsgate_phones set missed_since = null where ${IS_OWN} and missed_since <= ${text('since')}::timestamptz`

/** Stores that a phone was asked for all texts since `since`, so that it is not asked again. */
export const endAbsence = ({ db }: Store, device: Device, since: string) =>
  run(db, CAUGHT_UP, { ...device, since })

/** Deletes the data of deleted devices. */
export async function forgetPhones({ db }: Store, devices: readonly string[]): Promise<void> {
  await db.query('delete from smsgate_phones where device = any($1)', [devices])
  await db.query('delete from smsgate_texts where device = any($1)', [devices])
}

/** A period of time, its ends in ISO 8601. */
export interface Period {
  readonly since: string
  readonly until: string
}

const ASK = statement('smsgate ask for inbox', { device: 'string' })`
update smsgate_phones p set export_since = least(p.export_since, ${text('since')}::timestamptz),
  export_until = greatest(p.export_until, ${text('until')}::timestamptz)
where p."user" = ${text('user')} and (${text('device')} = '' or p.device = ${text('device')}) returning p.device`

/**
 * Asks phones (`device` '': all) to post what they received in a period. Returns how many phones were asked.
 */
export async function requestInbox(store: Store, user: string, device: string, period: Period) {
  const phones = await runForTexts(store.db, ASK, { user, device, ...period })
  wakeDevices(store.db, phones)
  return phones.length
}

const TAKE = statement('smsgate take inbox request', { since: 'number', until: 'number' })`
with asked as (
  select device, export_since, export_until from smsgate_phones
  where ${IS_OWN} and export_since is not null for update
)
update smsgate_phones p set export_since = null, export_until = null from asked a
where p.device = a.device
returning extract(epoch from a.export_since)::float8 * 1000 as since,
  extract(epoch from a.export_until)::float8 * 1000 as until`

/** Returns and deletes the period whose texts the phone shall post; undefined for none. */
export async function takeInboxRequest({ db }: Store, device: Device): Promise<Period | undefined> {
  const taken = await runForRow(db, TAKE, device)
  const isoDate = (ms: number) => new Date(Math.round(ms)).toISOString()
  return taken && { since: isoDate(taken.since), until: isoDate(taken.until) }
}
