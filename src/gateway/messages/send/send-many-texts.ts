import { counts } from '../../../platform/tools/process-counters.ts'
import type { Sender } from '../../base/make-sender.ts'
import { wakeDevices } from '../../lines/wake-devices.ts'
import { answerOffer, type SendServices } from './accept-send.ts'
import type { Idempotency } from './idempotency.ts'
import type { Offer } from './offer.ts'
import { prepareOffer } from './prepare-offer.ts'
import type { SendBody, SendOrigin } from './send-options.ts'
import {
  makeLinksOffer,
  makeMmsOffer,
  type Pictures,
  sendWithPictures,
} from './send-with-pictures.ts'
import { storeOffers } from './store-offers.ts'
import { checkBody } from './write-text-bodies.ts'

interface OneOfMany {
  readonly body: SendBody
  readonly idempotency: Idempotency | null
}

const UNDO = new Error('a trial stores nothing')

/** The origin of an offer that is judged only: sms_judge answers `tried`. */
const TRIAL: SendOrigin = { api: 'trial', id: '', data: {} }

/**
 * Sends several requests of one sender, all or none, with pictures if these can be sent. Each has its own
 * idempotency key, so a request that was sent before is left out. `isTrial`: only judges them, and stores
 * nothing. `maxParts`: the most segments of a text with links to the pictures. Returns why pictures are left
 * out; '' if none are. Throws as `acceptSend`.
 */
export async function sendManyTexts(
  { store, config, acceptor }: SendServices,
  sender: Sender,
  requests: readonly OneOfMany[],
  isTrial = false,
  pictures?: Pictures & { readonly maxParts: number },
): Promise<string> {
  const offers: Offer[] = []
  for (const { body, idempotency } of requests) {
    checkBody(body)
    offers.push(await prepareOffer(store, config, sender, body, idempotency))
  }
  const [only, ...more] = offers
  if (only && more.length === 0 && !pictures) {
    // a text alone is stored together with other sends, as those of `acceptSend` are
    const one = isTrial ? { ...only, origin: TRIAL } : only
    await answerOffer(store, one, await acceptor.add(one))
    return ''
  }
  const stored = await store.db
    .transaction(async (db) => {
      const inside = { db, catalog: store.catalog }
      const storeAll = async (formed: readonly Offer[]) => {
        const { verdicts, wake } = await storeOffers(inside, config, formed)
        for (const [i, verdict] of verdicts.entries())
          await answerOffer(inside, formed[i]!, verdict!)
        return { wake, accepted: offers.filter((_, i) => verdicts[i]!.outcome === 'accepted') }
      }
      const forms = pictures ? [makeMmsOffer, makeLinksOffer(pictures.maxParts)] : []
      const done = await sendWithPictures(db, config, offers, pictures, forms, storeAll)
      if (isTrial) throw UNDO
      return done
    })
    .catch((error: unknown) => {
      if (error !== UNDO) throw error
    })
  if (!stored) return ''
  const { sent, fault } = stored
  for (const { messages } of sent.accepted) counts.accepted.messages += messages.length
  wakeDevices(store.db, sent.wake)
  return fault
}
