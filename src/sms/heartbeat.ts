import type { Store } from '../collections/catalog.ts'
import { dateOf } from '../fields/date.ts'
import { minify } from '../fields/json-text.ts'
import { changeDevice, type Device } from './device.ts'

/** A device is noted as seen at most that often, or each sign of life would write its row. */
const MAX_TOUCH_SECONDS = 30

const TOUCH = {
  set: 'last_seen = pb_text(now())',
  where: `last_seen < pb_text(now() - $4::float8 * interval '1 second')`,
}

/** Notes that a device shows signs of life, often enough for it to count as online. */
export async function touchDevice(store: Store, device: Device, deviceOnlineSeconds: number): Promise<void> {
  const seconds = Math.min(MAX_TOUCH_SECONDS, deviceOnlineSeconds / 4)
  const seenMs = dateOf(device.lastSeen)?.getTime() ?? 0
  if (Math.abs(Date.now() - seenMs) < seconds * 1000) return
  await changeDevice(store.db, device, TOUCH, [seconds])
}

const SAVE_SIMS = {
  set: 'sims = $4::json, last_seen = pb_text(now())',
  where: 'sims::text is distinct from $4::text',
}

/** Keeps the list of SIMs that a device has. As in any JSON of a record, what Postgres cannot decode later on becomes U+FFFD. */
export async function saveSims(store: Store, device: Device, sims: readonly unknown[]): Promise<void> {
  await changeDevice(store.db, device, SAVE_SIMS, [minify(JSON.stringify(sims))])
}

const PENDING = `select count(*) from sms_dispatch
  where device = $1 and "user" = $2 and state = 'assigned'
    and (due_at is null or due_at <= now()) and (expires_at is null or expires_at > now())`

/** How many messages wait for this device to claim them. */
export async function countPending(store: Store, device: Device): Promise<number> {
  const { rows } = await store.db.query(PENDING, [device.id, device.user])
  return Number(rows[0]![0])
}
