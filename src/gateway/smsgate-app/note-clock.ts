import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Device } from '../base/device-record.ts'
import { CAPACITY } from './phone-capacity.ts'
import { updatePhone } from './phone-record.ts'

/** Smaller differences between clocks are ignored. */
export const CLOCK_NOISE_MS = 2_000

/** If a phone's clock is ahead by this much more than we knew, its texts expired early: it was not slow. */
const MISLED_MS = 30_000

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
