import type { Store } from '../collections/catalog.ts'
import { allowance } from '../sms/available.ts'
import type { Device } from '../sms/device.ts'
import { tellNodes } from '../sms/reassign.ts'
import { wakeDevices } from '../sms/wake.ts'
import { MAX_ROOM, ROOM } from './phone.ts'

/** SQL: messages wait that the phone may have, and it is through with at least half of what it was handed. */
const HAS_ROOM = `(
  exists (
    select from sms_dispatch where device = $1 and "user" = $2 and state = 'assigned'
      and (due_at is null or due_at <= now()) and (expires_at is null or expires_at > now())
  ) and (
    select count(*) from (
      select from sms_dispatch where device = $1 and "user" = $2 and state = 'sending' and lease_until > now()
      limit ${MAX_ROOM}
    ) held
  ) <= coalesce((select ${ROOM} / 2 from smsgate_phones where device = $1 and "user" = $2), ${MAX_ROOM / 2})
  and exists (
    select from devices d where d.id = $1 and d."user" = $2 and d.enabled and coalesce(${allowance('d')}, 1) > 0
  ))`

/** SQL: a lease of the phone is over soon. Asked to pull, it says what it has still, and what became of the rest. */
const IS_LAPSING = `exists (
    select from sms_dispatch where device = $1 and "user" = $2 and state = 'sending'
      and lease_until > now() and lease_until < now() + $3::float8 * interval '1 second'
  )`

/**
 * Tells a phone to pull if it is through with half of what it had and more waits: of itself it asks only now and then.
 * Its stream may be on another node.
 */
export async function refill(store: Store, device: Device): Promise<void> {
  const { rows } = await store.db.query(`select ${HAS_ROOM}`, [device.id, device.user], 'smsgate refill')
  if (!rows[0]![0]) return
  await tellNodes(store.db, [[device.id]])
  wakeDevices([device.id])
}

/** Whether a phone that listens should be asked to pull, though nothing was said to it. */
export async function shouldPull(store: Store, device: Device, leaseSeconds: number): Promise<boolean> {
  const text = `select ${HAS_ROOM} or ${IS_LAPSING}`
  const { rows } = await store.db.query(text, [device.id, device.user, leaseSeconds], 'smsgate should pull')
  return rows[0]![0] === true
}
