import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { isHeldByDevice, unindexed } from '../../db/statement.ts'
import type { Device } from '../devices/device.ts'

/** An attempt to send a message, created by a claim. */
export interface Attempt {
  readonly id: string
  readonly attempt: number
}

const RENEW = `
with held as (
  select d.message from sms_dispatch d
  join json_to_recordset($1) g(id text, attempt int) on g.id = d.message and g.attempt = d.attempt
  where ${isHeldByDevice('d', '$2', '$3')} and ${unindexed('d.state')} = 'sending'
  order by d.message for update of d
)
update sms_dispatch d set lease_until = greatest(d.lease_until, now() + $4::float8 * interval '1 second')
from held h where d.message = h.message`

/** Extends the leases of messages that a device still has. Old attempts change nothing. */
export async function renewLeases(
  store: Store,
  device: Device,
  attempts: readonly Attempt[],
  leaseSeconds: number,
): Promise<void> {
  if (attempts.length === 0) return
  await store.db.query(RENEW, [JSON.stringify(attempts), device.id, device.user, leaseSeconds], 'sms renew')
}

const SPARE = `
update sms_dispatch set lease_until = now() + $1::float8 * interval '1 second'
where message = any(array(
  select message from sms_dispatch where state = 'sending' and lease_until < now() + $1::float8 * interval '1 second'
  order by message for update skip locked
))`

/** After our own outage: extends every lease, so that devices can report again, and ignores their silence. */
export async function extendAllLeases(db: Db, seconds: number): Promise<void> {
  await db.query(SPARE, [seconds])
  await recordOutage(db)
}

/** Records our own outage. Device silence that began before its end is ignored, also by `alarms`. */
export async function recordOutage(db: Db): Promise<void> {
  await db.query(
    `insert into device_watch default values
     on conflict (is_only) do update set reachable_since = now(), looked_at = now()`,
  )
}
