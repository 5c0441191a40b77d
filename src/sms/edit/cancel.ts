import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import { isOwnedBy } from '../../db/by-id.ts'
import { gatewayRefusal } from '../send/refusal.ts'
import { CHANGE_LOG_PARAMS, changeLogCtes } from '../status/change-log.ts'
import { idMayBecome, REASONS, type Status } from '../status/status.ts'
import { refundQuota } from '../usage/quota.ts'
import { notifyCanceled } from '../wake/wake.ts'

/** A message that will not be sent. */
export type Canceled = Readonly<z.output<typeof CANCELED>>
export const CANCELED = z
  .object({ id: z.string(), status: z.literal('failed'), error_message: z.literal(REASONS.canceled) })
  .meta({ id: 'Canceled' })

/** Deleting the queue's row decides between cancel and claim. Returns what was freed. */
const CANCEL = `
with freed as (
  delete from sms_dispatch d
  where d.message = $1 and d."user" = $2 and d.state in ('pending', 'assigned')
    and ${idMayBecome('d.message', 'failed')}
  returning d.message, d.device, d.attempt, d.period
), changed as (
  update sms_messages m set status = 'failed', error_message = $3, updated = pb_text(now())
  from freed where m.id = freed.message returning m.id
), events as (
  insert into sms_events (id, "user", message, status, device, attempt, detail, created)
  select pb_new_id(), $2, message, 'failed', device, attempt, $3, pb_text(now()) from freed
  returning id
), ${changeLogCtes(4)}
select period, device, attempt from freed`

/** Cancels and refunds an unclaimed message. Repeatable. Throws 404, 409 `not_cancelable`. */
export async function cancelMessage(store: Store, user: string, id: string): Promise<Canceled> {
  await cancelOnce(store, user, id)
  return { id, status: 'failed', error_message: REASONS.canceled }
}

/** The same; false for a message that was canceled before. */
export async function cancelOnce(store: Store, user: string, id: string): Promise<boolean> {
  const freed = await store.db.transaction((db) => cancelIn({ db, catalog: store.catalog }, user, id))
  if (freed?.device) await notifyCanceled(store.db, freed.device, id, freed.attempt)
  return freed !== null
}

/** The device that may know of the message ('' for none) and its attempt; null if already canceled. */
async function cancelIn(
  store: Store,
  user: string,
  id: string,
): Promise<{ device: string; attempt: number } | null> {
  const { rows } = await store.db.query(CANCEL, [id, user, REASONS.canceled, ...CHANGE_LOG_PARAMS])
  if (!rows[0]) {
    await checkCanceled(store, user, id)
    return null
  }
  const [period, device, attempt] = rows[0] as [string, string, number]
  await refundQuota(store, user, period)
  return { device, attempt }
}

/** A statement of its own: after waiting for another cancellation only a new one sees the result. */
async function checkCanceled({ db }: Store, user: string, id: string): Promise<void> {
  const { rows } = await db.query(
    `select status, error_message from sms_messages m where id = $1 and ${isOwnedBy('m', '$2')}`,
    [id, user],
    'sms canceled message',
  )
  if (!rows[0]) throw gatewayRefusal('message_not_found')
  const [status, reason] = rows[0] as [Status, string]
  if (status !== 'failed' || reason !== REASONS.canceled) throw gatewayRefusal('not_cancelable')
}
