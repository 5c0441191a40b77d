import type { Db } from '../../db/open.ts'

/** Records our own outage. Device silence that began before its end is ignored, also by `alarms`. */
export async function recordOutage(db: Db): Promise<void> {
  await db.query(
    `insert into device_watch default values
     on conflict (is_only) do update set reachable_since = now(), looked_at = now()`,
  )
}
