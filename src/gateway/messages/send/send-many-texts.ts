import type { Store } from '../../../engine/collections/catalog.ts'
import type { Config } from '../../../platform/config.ts'
import { counts } from '../../../platform/tools/process-counters.ts'
import type { Sender } from '../../base/make-sender.ts'
import { wakeDevices } from '../../lines/wake-devices.ts'
import type { Idempotency } from './idempotency.ts'
import type { Offer } from './offer.ts'
import { answerOffer, prepareOffer } from './send-messages.ts'
import type { SendBody } from './send-options.ts'
import { type AcceptConfig, storeOffers } from './store-offers.ts'
import { checkBody } from './write-text-bodies.ts'

interface OneOfMany {
  readonly body: SendBody
  readonly idempotency: Idempotency | null
}

const UNDO = new Error('a trial stores nothing')

/**
 * Sends several requests of one sender, all or none. Each has its own idempotency key, so a request that was
 * sent before is left out. `isTrial`: only judges them, and stores nothing. Throws as `sendMessages`.
 */
export async function sendManyTexts(
  store: Store,
  config: AcceptConfig & Pick<Config, 'maxRecipients'>,
  sender: Sender,
  requests: readonly OneOfMany[],
  isTrial = false,
): Promise<void> {
  const offers: Offer[] = []
  for (const { body, idempotency } of requests) {
    checkBody(body)
    offers.push(await prepareOffer(store, config, sender, body, idempotency))
  }
  const stored = await store.db
    .transaction(async (db) => {
      const inside = { db, catalog: store.catalog }
      const { verdicts, wake } = await storeOffers(inside, config, offers)
      for (const [i, verdict] of verdicts.entries()) await answerOffer(inside, offers[i]!, verdict!)
      if (isTrial) throw UNDO
      return { wake, sent: offers.filter((_, i) => verdicts[i]!.outcome === 'accepted') }
    })
    .catch((error: unknown) => {
      if (error !== UNDO) throw error
    })
  if (!stored) return
  for (const { messages } of stored.sent) counts.accepted.messages += messages.length
  wakeDevices(store.db, stored.wake)
}
