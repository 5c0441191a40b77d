import type { Db } from '../../db/open.ts'

/** Nobody could reach us until now: no device's silence counts that began before. What `alarms` looks at. */
export async function recordOutage(db: Db): Promise<void> {
  await db.query(
    `insert into device_watch default values
     on conflict (is_only) do update set reachable_since = now(), looked_at = now()`,
  )
}
