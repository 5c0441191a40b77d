import type { Store } from '../collections/catalog.ts'
import type { Logger } from '../log.ts'
import { repeat } from '../tools/repeat.ts'
import { WakeSignal } from '../tools/wake-signal.ts'
import { DeliveryWorker, type WebhookSettings } from './delivery-worker.ts'
import { CHANNEL, endExpiredLeases } from './lease.ts'
import type { OtherForms } from './other-forms.ts'

/** How often is looked for what is due by now, while deliveries wait. What is new wakes. */
const LOOK_MS = 1_000
/** The same while none waits, in case a notification was lost. */
const IDLE_MS = 30_000

/** Sets the deliveries of this node going. Returns what stops it all. */
export async function startWebhooks(
  store: Store,
  settings: WebhookSettings,
  log: Logger,
  otherForms: OtherForms,
): Promise<() => Promise<void>> {
  const signal = new WakeSignal()
  const worker = new DeliveryWorker(store, settings, log, signal.notifier, otherForms)
  const deaf = await store.db.listen(CHANNEL, signal.notifier)
  let isWaiting = false
  let lookedMs = 0
  const round = async () => {
    // not each time while it is busy: reading 200,000 new rows, not analyzed yet, takes 30 ms
    if (!isWaiting || performance.now() - lookedMs >= LOOK_MS) {
      isWaiting = true // if the look fails
      isWaiting = await endExpiredLeases(store.db)
      lookedMs = performance.now()
    }
    if (isWaiting) await worker.round()
  }
  const rest = (ended: AbortSignal) => signal.wait(isWaiting ? LOOK_MS : IDLE_MS, ended)
  const stop = repeat(round, rest, log, 'webhook deliveries cannot be read, it is tried again')
  return async () => {
    await stop()
    await deaf()
    await worker.stop()
  }
}
