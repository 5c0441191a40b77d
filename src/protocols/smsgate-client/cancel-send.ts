import type { Store } from '../../collections/catalog.ts'
import { cancelOnce } from '../../sms/edit/cancel.ts'
import { cancelWaiting } from '../../sms/edit/cancel-batch.ts'
import { gatewayRefusal } from '../../sms/send/refusal.ts'
import type { SendRow } from './message-state.ts'

/** Cancels the unclaimed messages of a send. Throws 409 `not_cancelable` if there are none. */
export async function cancelSend(store: Store, user: string, { ref, isBatch }: SendRow): Promise<void> {
  const isCanceled = isBatch
    ? (await cancelWaiting(store, user, ref)) > 0
    : await cancelOnce(store, user, ref)
  if (!isCanceled) throw gatewayRefusal('not_cancelable')
}
