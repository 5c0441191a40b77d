import type { Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import type { Logger } from '../log.ts'
import { WakeSignal } from '../tools/wake-signal.ts'
import { DeliveryWorker, type WebhookSettings } from './delivery-worker.ts'
import { CHANNEL } from './hand-over.ts'

/** How often is looked for what is due by now. What is new wakes. */
const LOOK_MS = 1_000
/** The same where nobody has a webhook, in case a notification was lost. */
const IDLE_MS = 30_000

const HAS_WEBHOOKS = 'select exists (select from webhooks)'

/**
 * Sets the deliveries of this node going. The queue is started for the first webhook only. Returns what stops
 * it all.
 */
export async function startWebhooks(
  store: Store,
  settings: WebhookSettings,
  log: Logger,
): Promise<() => Promise<void>> {
  const signal = new WakeSignal()
  const ended = new AbortController()
  const worker = new DeliveryWorker(store, settings, log, signal.notifier)
  const deaf = await store.db.listen(CHANNEL, signal.notifier)
  const round = async () => {
    if (worker.isAtWork || (await hasWebhooks(store.db))) await worker.round()
  }
  const running = repeat(
    round,
    () => signal.wait(worker.isAtWork ? LOOK_MS : IDLE_MS, ended.signal),
    ended.signal,
    log,
  )
  return async () => {
    ended.abort()
    await deaf()
    await running
    await worker.stop()
  }
}

const hasWebhooks = async (db: Db) => (await db.query(HAS_WEBHOOKS, [], 'webhooks any')).rows[0]![0] === true

/** Works and rests by turns until `ended`. */
async function repeat(
  work: () => Promise<void>,
  rest: () => Promise<void>,
  ended: AbortSignal,
  log: Logger,
): Promise<void> {
  for (let isFailing = false; !ended.aborted; await rest()) {
    try {
      await work()
      isFailing = false
    } catch (err) {
      // once is enough while the database is away
      if (!isFailing) log.error({ err }, 'webhooks are not told for now, it is tried again')
      isFailing = true
    }
  }
}
