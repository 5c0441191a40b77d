import type { Store } from '../../engine/collections/catalog.ts'
import { formatDate } from '../../engine/fields/parse-date.ts'
import { RetryLater } from '../../platform/api-errors.ts'
import type { Config } from '../../platform/config.ts'
import { withSavepoint } from '../../platform/db/savepoint.ts'
import { countSegments } from '../../portable/segments.ts'
import { isRefusal } from '../base/gateway-errors.ts'
import { requireDestinations } from '../codes/limits/code-destinations.ts'
import { countCodes } from '../codes/limits/count-codes.ts'
import { sendInTransaction } from '../messages/send/accept-send.ts'
import type { Offer } from '../messages/send/offer.ts'
import {
  makeLinksOffer,
  makeMmsOffer,
  type PictureForm,
  type Pictures,
  sendWithPictures,
} from '../messages/send/send-with-pictures.ts'
import { DEFAULT_PARTS, type Hook } from './hook-settings.ts'
import { TooManyCodes } from './send-hook-error.ts'

/** The outcome of a hook's texts. `wake`: the devices to wake after the commit. */
interface Accepted {
  readonly outcome: 'sent' | 'waiting' | 'limited'
  /** Why pictures are left out; '' if none are. */
  readonly note?: string
  readonly wake?: readonly string[]
  /** The segments of one text as it was queued. */
  readonly segments?: number
  readonly refusal?: RetryLater
}

/** How long an alert waits for a phone that can send it: one day. */
const WAIT_MS = 86_400_000

/**
 * Queues an alert with its pictures, if these can be sent. If no phone can send, the alert waits, because
 * alerting tools do not retry: as a text, which any phone can then send.
 */
export async function acceptAlert(
  store: Store,
  config: Config,
  hook: Hook,
  offer: Offer,
  pictures?: Pictures,
): Promise<Accepted> {
  const makeLinks = makeLinksOffer(hook.max_parts || DEFAULT_PARTS)
  const sendOne = async ([one]: readonly Offer[]) => ({
    wake: await sendInTransaction(store, config, one!),
    segments: countOfferedSegments(one!),
  })
  const send = async (due: Offer, forms: readonly PictureForm[]) => {
    const done = await sendWithPictures(store.db, config, [due], pictures, forms, sendOne)
    return { ...done.sent, note: done.fault }
  }
  try {
    return { outcome: 'sent', ...(await send(offer, [makeMmsOffer, makeLinks])) }
  } catch (error) {
    if (!isRefusal(error, 'no_devices')) throw error
  }
  const now = new Date()
  const scheduledAt = formatDate(now)
  const expiresAt = formatDate(new Date(now.getTime() + WAIT_MS))
  const waiting = { ...offer, later: true, scheduledAt, expiresAt }
  return { outcome: 'waiting', ...(await send(waiting, [makeLinks])) }
}

/** The segments of an offer's longest text; of an MMS, those of its words. */
const countOfferedSegments = ({ body = '', messages }: Offer): number =>
  Math.max(...messages.map(({ segments }) => segments || countSegments(body).segments))

/** Queues login codes as `acceptSend` does, within the bounds of codes. Counts no refused code. */
export async function acceptCodes(
  store: Store,
  config: Config,
  { user }: Hook,
  offer: Offer,
): Promise<Accepted> {
  const phones = offer.messages.map(({ to }) => to)
  await requireDestinations(store, user, phones)
  try {
    return await withSavepoint(store.db, async () => {
      await countCodes(store, config, { user, phones, ip: '' })
      const wake = await sendInTransaction(store, config, offer)
      return { outcome: 'sent', wake, segments: countOfferedSegments(offer) }
    })
  } catch (error) {
    if (!(error instanceof RetryLater) || error.status !== 429) throw error
    return { outcome: 'limited', refusal: new TooManyCodes(error.retryAfterSeconds, error.message) }
  }
}
