import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { textsOf } from '../../db/rows.ts'
import { dateOf } from '../../fields/types/date.ts'
import type { Device } from '../../sms/devices/device.ts'
import { wakeDevices } from '../../sms/wake/wake.ts'
import { randomText } from '../../tools/random.ts'

/** What we keep of a phone beside its device. */
export interface Phone {
  /** The secret end of the URL to which it posts what it receives. */
  readonly path: string
  /** With this it signs what it posts. */
  readonly signingKey: string
  /** How far its clock is ahead of ours; 0 while we do not know. */
  readonly clockMs: number
  /** How far the database's clock, by which leases end, is ahead of ours, or a little further. */
  readonly databaseMs: number
  /** How many messages it is handed at once. */
  readonly room: number
  /** Since when it was away and may have received unknown texts; '' for never. */
  readonly missedSince: string
}

/** What an answer to a pull needs to know of a phone. */
export type PhoneState = Pick<Phone, 'clockMs' | 'databaseMs' | 'room'> & {
  /** The database's clock, in milliseconds since 1970. */
  readonly databaseNowMs: number
}

/** Messages that a phone holds at once: it sends them one by one, with pauses. */
export const MAX_CAPACITY = 20
/** A phone that could not send all in time is given half of it, and then one more after each such time. */
const WIDEN_SECONDS = 600
/** 256 bits and more, in letters and digits. */
const SECRET_LENGTH = 43
/** Two looks at a clock differ by that much by chance. */
const CLOCK_NOISE_MS = 2_000
/** Less is within the time that a message has. */
const MISLED_MS = 30_000

/** SQL: the room of a phone now. */
export const CAPACITY_SQL = `least(${MAX_CAPACITY}, room + coalesce(floor(extract(epoch from now() - narrowed_at) / ${WIDEN_SECONDS}), 0))::int`

const FIND = `select path, signing_key, coalesce(clock_ms, 0), ${CAPACITY_SQL}, coalesce(pb_text(missed_since), ''), extract(epoch from now())::float8 * 1000
  from smsgate_phones where device = $1 and "user" = $2`

const ADD = `insert into smsgate_phones (device, "user", path, signing_key, room)
  values ($1, $2, $3, $4, ${MAX_CAPACITY}) on conflict (device) do nothing`

/** What we keep of a phone; begun when it first asks. */
export async function phoneOf({ db }: Store, device: Device): Promise<Phone> {
  const known = await find(db, device)
  if (known) return known
  await db.query(ADD, [device.id, device.user, randomText(SECRET_LENGTH), randomText(SECRET_LENGTH)])
  return (await find(db, device))!
}

async function find(db: Db, device: Device): Promise<Phone | undefined> {
  const askedMs = Date.now()
  const { rows } = await db.query(FIND, [device.id, device.user], 'smsgate phone')
  if (!rows[0]) return undefined
  const [path, signingKey, clockMs, room, missedSince, now] = rows[0]
  const databaseMs = aheadOf(askedMs, Date.now(), Number(now))
  return { path, signingKey, clockMs: Number(clockMs), databaseMs, room: Number(room), missedSince } as Phone
}

const PULL = `update smsgate_phones set pulled_at = now() where device = $1 and "user" = $2
  returning coalesce(clock_ms, 0), ${CAPACITY_SQL}, extract(epoch from clock_timestamp())::float8 * 1000`

/** Locks a phone for one pull at a time. Null for an unknown phone. */
export async function lockForPull(db: Db, device: Device): Promise<PhoneState | null> {
  const askedMs = Date.now()
  const { rows } = await db.query(PULL, [device.id, device.user], 'smsgate pull')
  if (!rows[0]) return null
  const [clockMs, room, now] = rows[0].map(Number) as [number, number, number]
  return { clockMs, room, databaseNowMs: now, databaseMs: aheadOf(askedMs, Date.now(), now) }
}

/** How far a clock is ahead of ours, 0 for a right one. By the time of asking: leases seem shorter. */
const aheadOf = (askedMs: number, answeredMs: number, nowMs: number) =>
  nowMs > askedMs - CLOCK_NOISE_MS && nowMs < answeredMs + CLOCK_NOISE_MS ? 0 : nowMs - askedMs

const NARROW = `update smsgate_phones set room = greatest(1, ${CAPACITY_SQL} / 2), narrowed_at = now()
  where device = $1 and "user" = $2
    and (narrowed_at is null or narrowed_at < now() - $3::float8 * interval '1 second')`

/** Halves the room of a phone that was too slow, once per lease. */
export async function reduceCapacity(store: Store, device: Device, leaseSeconds: number): Promise<void> {
  await store.db.query(NARROW, [device.id, device.user, leaseSeconds], 'smsgate narrow')
}

/** SQL: a clock was thought to be wrong by this much, so lateness says nothing of the phone's pace. */
const IS_MISLED = `$3::float8 - coalesce(clock_ms, 0) > ${MISLED_MS}`

const AHEAD = `update smsgate_phones
  set clock_ms = $3, room = case when ${IS_MISLED} then ${CAPACITY_SQL} else room end,
    narrowed_at = case when ${IS_MISLED} then now() else narrowed_at end
  where device = $1 and "user" = $2 and coalesce(clock_ms, 0) < $3::float8 - $4::float8`

/** Androids before 7 write local time with the zone of winter: in summer, an hour too late. */
const SUMMER_TIME_MS = 3_600_000

/**
 * The phone's clock is at least `ms` ahead, as no report is from the future. Up to an hour more counts only
 * if a text came too late: it may be summer time.
 */
export async function noteClockAhead(store: Store, device: Device, ms: number, isTooLate: boolean) {
  const noiseMs = CLOCK_NOISE_MS + (isTooLate ? 0 : SUMMER_TIME_MS)
  await store.db.query(AHEAD, [device.id, device.user, ms, noiseMs], 'smsgate clock ahead')
}

const CLOCK = `update smsgate_phones set clock_ms = $3
  where device = $1 and "user" = $2 and abs(coalesce(clock_ms, 0) - $3::float8) > ${CLOCK_NOISE_MS}`

/** Keeps by how many milliseconds the clock of a phone is ahead of ours. */
export async function noteClock(store: Store, device: Device, ms: number): Promise<void> {
  await store.db.query(CLOCK, [device.id, device.user, ms], 'smsgate clock')
}

const MISSED = `update smsgate_phones set missed_since = coalesce(missed_since, $3::timestamptz)
  where device = $1 and "user" = $2`

/** Notes a phone that was away for so long that it may have missed texts. */
export async function recordAbsence(store: Store, device: Device, awaySeconds: number): Promise<void> {
  const seen = dateOf(device.lastSeen)
  if (!seen || Date.now() - seen.getTime() < awaySeconds * 1000) return
  await store.db.query(MISSED, [device.id, device.user, seen.toISOString()])
}

const CAUGHT_UP = `update smsgate_phones set missed_since = null
  where device = $1 and "user" = $2 and missed_since <= $3::timestamptz`

/** The phone was told to hand in what it received since then. */
export async function endAbsence(store: Store, device: Device, missedSince: string): Promise<void> {
  await store.db.query(CAUGHT_UP, [device.id, device.user, missedSince])
}

/** Deletes what is kept of deleted devices. */
export async function forgetPhones({ db }: Store, devices: readonly string[]): Promise<void> {
  await db.query('delete from smsgate_phones where device = any($1)', [devices])
  await db.query('delete from smsgate_texts where device = any($1)', [devices])
}

/** A period of time, its ends in ISO 8601. */
export interface Period {
  readonly since: string
  readonly until: string
}

const ASK = `
update smsgate_phones p set export_since = least(p.export_since, $3::timestamptz),
  export_until = greatest(p.export_until, $4::timestamptz)
where p."user" = $1 and ($2 = '' or p.device = $2) returning p.device`

/** Makes SMSGate phones post what they received in a period, once connected. Returns their number. */
export async function requestInbox(store: Store, user: string, device: string, { since, until }: Period) {
  const phones = textsOf(await store.db.query(ASK, [user, device, since, until], 'smsgate ask for inbox'))
  wakeDevices(store.db, phones)
  return phones.length
}

const TAKE = `
with asked as (
  select device, export_since, export_until from smsgate_phones
  where device = $1 and "user" = $2 and export_since is not null for update
)
update smsgate_phones p set export_since = null, export_until = null from asked a
where p.device = a.device
returning extract(epoch from a.export_since)::float8 * 1000, extract(epoch from a.export_until)::float8 * 1000`

/** The period that a phone is to be asked for; undefined for none. It is not given twice. */
export async function takeInboxRequest({ db }: Store, device: Device): Promise<Period | undefined> {
  const { rows } = await db.query(TAKE, [device.id, device.user], 'smsgate take inbox request')
  const [since, until] = rows[0]?.map((ms) => new Date(Math.round(Number(ms))).toISOString()) ?? []
  return since && until ? { since, until } : undefined
}
