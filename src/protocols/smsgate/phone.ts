import { sql } from 'kysely'
import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { anyOf, inSeconds, queries } from '../../db/queries.ts'
import { dateOf } from '../../fields/date.ts'
import { isDisabled } from '../../records/disabled-user.ts'
import type { Device } from '../../sms/devices/device.ts'
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

/** How many messages a phone may hold now. */
export const CAPACITY = sql<number>`least(${sql.lit(MAX_CAPACITY)}, room + coalesce(
  floor(extract(epoch from now() - narrowed_at) / ${sql.lit(WIDEN_SECONDS)}), 0))::int`

/** A row of a table with the columns `device` and `user` belongs to the device. */
export const isOf = ({ id, user }: Device) => sql<boolean>`(device = ${id} and "user" = ${user})`

/**
 * `path`: the secret end of the URL to which the phone posts what it receives. `missedSince`: when the phone
 * was last seen before it was away, as it may not have posted later texts; '' for never.
 */
const findPhone = (db: Db, device: Device) =>
  queries(db)
    .selectFrom('smsgate_phones')
    .select(['path', 'signing_key as signingKey'])
    .select(sql<string>`coalesce(pb_text(missed_since), '')`.as('missedSince'))
    .where(isOf(device))
    .executeTakeFirst()

export type Phone = NonNullable<Awaited<ReturnType<typeof findPhone>>>

/** A phone's data, created at its first request. */
export async function phoneOf({ db }: Store, device: Device): Promise<Phone> {
  const known = await findPhone(db, device)
  if (known) return known
  const secrets = { path: randomText(SECRET_LENGTH), signing_key: randomText(SECRET_LENGTH) }
  await queries(db)
    .insertInto('smsgate_phones')
    .values({ device: device.id, user: device.user, ...secrets, room: MAX_CAPACITY })
    .onConflict((found) => found.column('device').doNothing())
    .execute()
  return (await findPhone(db, device))!
}

const updatePhone = (db: Db, device: Device) => queries(db).updateTable('smsgate_phones').where(isOf(device))

/**
 * `clockMs`: milliseconds that the phone's clock is ahead of ours, 0 if unknown. `room`: how many messages
 * the phone may hold. `databaseNowMs`: the database's clock, in milliseconds since 1970.
 */
const notePull = (db: Db, device: Device) =>
  updatePhone(db, device)
    .set({ pulled_at: sql<Date>`now()` })
    .returning([
      sql<number>`coalesce(clock_ms, 0)::float8`.as('clockMs'),
      CAPACITY.as('room'),
      sql<number>`extract(epoch from clock_timestamp())::float8 * 1000`.as('databaseNowMs'),
    ])
    .executeTakeFirst()

export type PhoneState = NonNullable<Awaited<ReturnType<typeof notePull>>> & {
  /** Milliseconds that the database's clock (it ends leases) is ahead of ours; 0 below CLOCK_NOISE_MS. */
  readonly databaseMs: number
}

/** Locks a phone's row: its requests for messages run one at a time. Null for an unknown phone. */
export async function lockForPull(db: Db, device: Device): Promise<PhoneState | null> {
  const askedMs = Date.now()
  const pulled = await notePull(db, device)
  if (!pulled) return null
  const { databaseNowMs: nowMs } = pulled
  const isRight = nowMs > askedMs - CLOCK_NOISE_MS && nowMs < Date.now() + CLOCK_NOISE_MS
  // the difference includes the query's time: leases may seem shorter than they are, but never longer
  return { ...pulled, databaseMs: isRight ? 0 : nowMs - askedMs }
}

/** Halves how many messages a slow phone may hold, at most once every `seconds`. */
export const reduceCapacity = ({ db }: Store, device: Device, seconds: number) =>
  updatePhone(db, device)
    .set({ room: sql`greatest(1, ${CAPACITY} / 2)`, narrowed_at: sql<Date>`now()` })
    .where(({ or, eb }) => or([eb('narrowed_at', 'is', null), eb('narrowed_at', '<', inSeconds(-seconds))]))
    .execute()

/** Stores that a phone's clock is `ms` ahead. False, and nothing stored, if MISLED_MS or less is new. */
export async function noteClockAhead({ db }: Store, device: Device, ms: number): Promise<boolean> {
  const { numUpdatedRows } = await updatePhone(db, device)
    .set({ clock_ms: ms, room: CAPACITY, narrowed_at: sql<Date>`now()` })
    .where(sql<boolean>`coalesce(clock_ms, 0) < ${ms - MISLED_MS}::float8`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Stores how many milliseconds a phone's clock is ahead of ours. */
export const noteClock = ({ db }: Store, device: Device, ms: number) =>
  updatePhone(db, device)
    .set({ clock_ms: ms })
    .where(sql<boolean>`abs(coalesce(clock_ms, 0) - ${ms}::float8) > ${sql.lit(CLOCK_NOISE_MS)}`)
    .execute()

/** If a phone was away for `awaySeconds`, stores when it was last seen: later texts may be missing. */
export async function recordAbsence(store: Store, device: Device, awaySeconds: number): Promise<void> {
  const seen = dateOf(device.lastSeen)
  if (!seen || Date.now() - seen.getTime() < awaySeconds * 1000) return
  await updatePhone(store.db, device)
    .set({ missed_since: sql<Date>`coalesce(missed_since, ${seen.toISOString()}::timestamptz)` })
    .execute()
}

/** Stores that a phone was asked for all texts since `since`, so that it is not asked again. */
export const endAbsence = ({ db }: Store, device: Device, since: string) =>
  updatePhone(db, device)
    .set({ missed_since: null })
    .where('missed_since', '<=', sql<Date>`${since}::timestamptz`)
    .execute()

/** Deletes the data of deleted devices. */
export async function forgetPhones({ db }: Store, devices: readonly string[]): Promise<void> {
  await queries(db).deleteFrom('smsgate_phones').where('device', '=', anyOf(devices)).execute()
  await queries(db).deleteFrom('smsgate_texts').where('device', '=', anyOf(devices)).execute()
}

/** The phone that posts to this secret path, and its signing key; null for an unknown path. */
export async function findPoster({ db }: Store, path: string) {
  const found = await queries(db)
    .selectFrom('smsgate_phones as p')
    .innerJoin('devices as d', (join) => join.onRef('d.id', '=', 'p.device').onRef('d.user', '=', 'p.user'))
    .select([
      'd.id',
      'd.user',
      'd.phone',
      'd.enabled',
      'd.last_seen as lastSeen',
      'p.signing_key as signingKey',
    ])
    .select(isDisabled('d.user').as('isSuspended'))
    .where('p.path', '=', path)
    .executeTakeFirst()
  if (!found) return null
  const { signingKey, isSuspended, ...device } = found
  return { device: { ...device, isLimited: false }, signingKey, isSuspended }
}
