import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import { isOwnedBy } from '../../db/by-id.ts'
import { gatewayRefusal } from '../send/refusal.ts'
import { REASONS, type Status } from '../status/status.ts'
import { cancelLocked, type Unclaimed } from './cancel-batch.ts'

/** A message that will not be sent. */
export type Canceled = Readonly<z.output<typeof CANCELED>>
export const CANCELED = z
  .object({ id: z.string(), status: z.literal('failed'), error_message: z.literal(REASONS.canceled) })
  .meta({ id: 'Canceled' })

/** The lock decides between cancel and claim. */
const LOCK = `
select d.message, d.device, d.attempt from sms_dispatch d
where d.message = $1 and d."user" = $2 and d.state in ('pending', 'assigned') for update`

/** Cancels and refunds an unclaimed message. Repeatable. Throws 404, 409 `not_cancelable`. */
export async function cancelMessage(store: Store, user: string, id: string): Promise<Canceled> {
  await cancelOnce(store, user, id)
  return { id, status: 'failed', error_message: REASONS.canceled }
}

/** The same; false for a message that was canceled before. */
export async function cancelOnce(store: Store, user: string, id: string): Promise<boolean> {
  const canceled = await store.db.transaction(async (db) => {
    const { rows } = await db.query(LOCK, [id, user], 'sms lock to cancel')
    return cancelLocked(db, rows as Unclaimed[], 0)
  })
  if (canceled === 0) await checkCanceled(store, user, id)
  return canceled > 0
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
