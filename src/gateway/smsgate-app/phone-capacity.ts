import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { writeTimeInSeconds } from '../../platform/db/queries.ts'
import type { Device } from '../base/device-record.ts'
import { MAX_CAPACITY, updatePhone } from './phone-record.ts'

/** After a slow phone's capacity was halved, it grows by one message in each such period. */
const WIDEN_SECONDS = 600

/** How many messages a phone may hold now. */
export const CAPACITY = sql<number>`least(${sql.lit(MAX_CAPACITY)}, room + coalesce(
  floor(extract(epoch from now() - narrowed_at) / ${sql.lit(WIDEN_SECONDS)}), 0))::int`

/** Halves how many messages a slow phone may hold, at most once every `seconds`. */
export const reduceCapacity = ({ db }: Store, device: Device, seconds: number) =>
  updatePhone(db, device)
    .set({ room: sql`greatest(1, ${CAPACITY} / 2)`, narrowed_at: sql<Date>`now()` })
    .where(({ or, eb }) =>
      or([eb('narrowed_at', 'is', null), eb('narrowed_at', '<', writeTimeInSeconds(-seconds))]),
    )
    .execute()
