import { sql } from 'kysely'
import type { Device } from '../../gateway/base/device-record.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AppRules } from './app-versions.ts'
import { CLOCK_NOISE_MS } from './note-clock.ts'
import { CAPACITY } from './phone-capacity.ts'
import { updatePhone } from './stored-phone.ts'

/**
 * `clockMs`: milliseconds that the phone's clock is ahead of ours, 0 if unknown. `room`: how many messages
 * the phone may hold. `databaseNowMs`: the database's clock, in milliseconds since 1970.
 */
const notePull = (db: Db, device: Device, { atOnce }: AppRules) =>
  updatePhone(db, device)
    .set({ pulled_at: sql<Date>`now()`, at_once: atOnce })
    .returning([
      sql<number>`coalesce(clock_ms, 0)::float8`.as('clockMs'),
      CAPACITY.as('room'),
      sql<boolean>`coalesce(held_until > now(), false)`.as('isHolding'),
      sql<number>`extract(epoch from clock_timestamp())::float8 * 1000`.as('databaseNowMs'),
    ])
    .executeTakeFirst()

export type PhoneState = NonNullable<Awaited<ReturnType<typeof notePull>>> & {
  /** Milliseconds that the database's clock (it ends leases) is ahead of ours; 0 below CLOCK_NOISE_MS. */
  readonly databaseMs: number
}

/** Locks a phone's row: its requests for messages run one at a time. Null for an unknown phone. */
export async function lockForPull(
  db: Db,
  device: Device,
  rules: AppRules,
): Promise<PhoneState | null> {
  const askedMs = Date.now()
  const pulled = await notePull(db, device, rules)
  if (!pulled) return null
  const { databaseNowMs: nowMs } = pulled
  const isRight = nowMs > askedMs - CLOCK_NOISE_MS && nowMs < Date.now() + CLOCK_NOISE_MS
  // the difference includes the query's time: leases may seem shorter than they are, but never longer
  return { ...pulled, databaseMs: isRight ? 0 : nowMs - askedMs }
}
