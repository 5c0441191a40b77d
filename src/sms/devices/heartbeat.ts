import type { Store } from '../../collections/catalog.ts'
import { dateOf } from '../../fields/types/date.ts'
import { minify } from '../../fields/values/json-text.ts'
import { changeDevice, type Device } from './device.ts'

/** A device is noted as seen at most that often, or each sign of life would write its row. */
const MAX_TOUCH_SECONDS = 30

const SEEN_NOW = 'last_seen = pb_text(now())'

/** A time in the future is wrong, whichever clock it is from: that of an earlier database, or of a copy. */
const TOUCH = {
  set: SEEN_NOW,
  where: `(last_seen < pb_text(now() - $4::float8 * interval '1 second') or last_seen > pb_text(clock_timestamp()))`,
}

/** Notes that a device is here, by the database's clock. */
export async function markSeen(store: Store, device: Pick<Device, 'id' | 'user'>): Promise<void> {
  await changeDevice(store.db, device, { set: SEEN_NOW, where: 'true' }, [])
}

/** Updates `last_seen` unless it is recent; corrects one in the future. */
export async function touchDevice(store: Store, device: Device, deviceOnlineSeconds: number): Promise<void> {
  const seconds = Math.min(MAX_TOUCH_SECONDS, deviceOnlineSeconds / 4)
  const ageMs = Date.now() - (dateOf(device.lastSeen)?.getTime() ?? 0)
  if (ageMs >= 0 && ageMs < seconds * 1000) return
  await changeDevice(store.db, device, TOUCH, [seconds])
}

const SAVE_SIMS = {
  set: 'sims = $4::json, last_seen = pb_text(now())',
  where: 'sims::text is distinct from $4::text',
}

/** Stores a device's SIMs. Characters that Postgres cannot decode become U+FFFD. */
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
