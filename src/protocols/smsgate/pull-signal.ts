import type { Store } from '../../collections/catalog.ts'
import { allowance } from '../../sms/devices/available.ts'
import type { Device } from '../../sms/devices/device.ts'
import { notifyNodes } from '../../sms/queue/reassign.ts'
import { wakeDevices } from '../../sms/wake/wake.ts'
import { ANSWER_SECONDS, HAS_CAPACITY, IS_OPEN, IS_UNANSWERED } from './handed-texts.ts'

/** SQL: messages wait that the phone (`p`) may be handed now. */
const HAS_MORE = `(
  exists (
    select from sms_dispatch where device = $1 and "user" = $2 and state = 'assigned'
      and (due_at is null or due_at <= now()) and (expires_at is null or expires_at > now())
  ) and ${HAS_CAPACITY} and ${IS_OPEN}
  and exists (
    select from devices d where d.id = $1 and d."user" = $2 and d.enabled and coalesce(${allowance('d')}, 1) > 0
  ))`

/** SQL: a lease ends soon. A pull makes the phone report what it still has. */
const IS_LAPSING = `exists (
    select from sms_dispatch where device = $1 and "user" = $2 and state = 'sending'
      and lease_until > now() and lease_until < now() + $3::float8 * interval '1 second'
  )`

const REFILL = `select ${HAS_MORE} from smsgate_phones p where p.device = $1 and p."user" = $2`

/** Wakes a phone that finished some messages, if it may get more. Its stream may be on any node. */
export async function wakeForMore(store: Store, device: Device): Promise<void> {
  const { rows } = await store.db.query(REFILL, [device.id, device.user], 'smsgate refill')
  if (rows[0]?.[0] !== true) return
  await notifyNodes(store.db, [[device.id]])
  wakeDevices([device.id])
}

/** A phone has this long to pull. Told again, the app would drop the running pull. */
const TELL = `update smsgate_phones p set woken_at = now()
  where p.device = $1 and p."user" = $2
    and (p.woken_at is null or p.pulled_at >= p.woken_at
      or p.woken_at < now() - interval '${ANSWER_SECONDS} seconds')
    and (${HAS_MORE} or ${IS_LAPSING} or ${IS_UNANSWERED})
  returning p.device`

/** Whether to tell a phone to pull now. It is noted as told then, for all its streams. */
export async function shouldPull(store: Store, device: Device, leaseSeconds: number): Promise<boolean> {
  const { rows } = await store.db.query(TELL, [device.id, device.user, leaseSeconds], 'smsgate should pull')
  return rows.length > 0
}

/** The app pulls at once when its stream is open: it is as if it had been told to a moment ago. */
const CONNECTED = `update smsgate_phones set woken_at = now() - interval '${ANSWER_SECONDS / 2} seconds'
  where device = $1 and "user" = $2`

/** Notes that a phone has opened its stream and pulls by itself now. */
export async function noteConnected(store: Store, device: Device): Promise<void> {
  await store.db.query(CONNECTED, [device.id, device.user], 'smsgate connected')
}
