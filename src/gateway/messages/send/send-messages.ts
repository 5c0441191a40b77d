import { z } from 'zod'
import type { Store } from '../../../engine/collections/catalog.ts'
import type { GatewayError } from '../../../platform/api-errors.ts'
import { invalidRequest } from '../../../platform/common-refusals.ts'
import type { Config } from '../../../platform/config.ts'
import { queries } from '../../../platform/db/queries.ts'
import { counts } from '../../../platform/tools/process-counters.ts'
import { makeRandomId } from '../../../platform/tools/random.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import type { Sender } from '../../base/make-sender.ts'
import type { GivenFiles, Media } from '../../base/message-files.ts'
import { requirePermit } from '../../base/permissions.ts'
import { checkClientRef, keepGiven } from './check-client-ref.ts'
import { toOfferedScope } from './consent-scope.ts'
import { SEALED, sealText } from './encrypt-text.ts'
import { findSameSend } from './given-files.ts'
import { findFirstAnswer, type Idempotency, storeFirstAnswer } from './idempotency.ts'
import { checkMediaSize, writeStoredText } from './mms.ts'
import type { Offer, OfferedMessage } from './offer.ts'
import { readAllRecipients } from './read-all-recipients.ts'
import { chargeRefused, MIN_RECIPIENTS } from './refused-recipients.ts'
import type { SendBody } from './send-options.ts'
import { toGatewayError } from './sending-permission.ts'
import {
  type AcceptConfig,
  type Acceptor,
  storeMms,
  storeOffers,
  type Verdict,
} from './store-offers.ts'
import zones from './time-zones.json' with { type: 'json' }
import { checkBody, findSharedText, readConsentScope, writeTexts } from './write-text-bodies.ts'

export type OfferConfig = Pick<Config, 'maxRecipients' | 'publicUrl'>

export interface SendServices {
  readonly store: Store
  readonly config: OfferConfig & AcceptConfig
  readonly acceptor: Acceptor
}

export const ACCEPTED = z
  .object({
    batch_id: z.string().describe('Names all messages of the send; empty when it is one.'),
    message_ids: z
      .array(z.string())
      .min(1)
      .describe('Records of `sms_messages`, one for each recipient, in their order.'),
    recipients_count: z.int().min(1),
    status: z.literal('accepted'),
  })
  .meta({ id: 'Accepted' })

/** The answer to a send, as JSON. `replayed`: an earlier request with the same Idempotency-Key got it. */
export interface Sent {
  readonly answer: string
  readonly replayed: boolean
}

/**
 * Sends all messages of a request or none. `load` reads its files; it is not called for a request that has
 * an answer, nor if `named` are the files of the message of its client_ref. Throws a refusal (a
 * GatewayError), or StaleAuth.
 */
export async function sendMessages(
  services: SendServices,
  sender: Sender,
  body: SendBody,
  idempotency: Idempotency | null = null,
  load?: () => Promise<Media>,
  named?: GivenFiles,
): Promise<Sent> {
  const { store, config, acceptor } = services
  checkBody(body)
  const first = idempotency && (await findFirstAnswer(store, sender.user, idempotency))
  if (first) return { answer: first, replayed: true }
  const ref = body.options.clientRef
  const sent = named && ref && (await findSameSend(store.db, sender.user, ref, named))
  if (sent) {
    const same = await prepareOffer(store, config, sender, body, idempotency)
    return answerOffer(store, { ...same, given: named }, { outcome: 'known', message: sent })
  }
  const whole = load ? { ...body, media: await load() } : body
  const offer = await prepareOffer(store, config, sender, whole, idempotency)
  const verdict = await (offer.media ? storeMms(store, config, offer) : acceptor.add(offer))
  return answerOffer(store, offer, verdict)
}

/** Like `sendMessages`, in the caller's transaction. Returns the devices to wake after its commit. */
export async function sendInTransaction(store: Store, config: AcceptConfig, offer: Offer) {
  const { verdicts, wake } = await storeOffers(store, config, [offer])
  await answerOffer(store, offer, verdicts[0]!)
  counts.accepted.messages += offer.messages.length
  return wake
}

/** The answer to an offer. If the offer was not stored, throws its refusal or StaleAuth. */
export async function answerOffer(store: Store, offer: Offer, { outcome, message }: Verdict) {
  const { idempotency } = offer
  const { sender } = offer.permit
  const { user } = sender
  if (outcome === 'accepted') return { answer: offer.answer ?? '{}', replayed: false }
  if (outcome === 'replayed')
    return { answer: (await findFirstAnswer(store, user, idempotency!))!, replayed: true }
  if (outcome === 'no_devices' && !offer.device) throw await makeNoDeviceError(store, user)
  if (outcome !== 'known') throw toGatewayError(sender, outcome)
  // known: a message has this client_ref. Answer as its send did, and keep the answer for the idempotency key
  await checkClientRef(store, message, offer)
  const answer = answerJson('', [message])
  if (idempotency) await storeFirstAnswer(store, user, idempotency, answer)
  return { answer, replayed: false }
}

/** A new message. `isShared`: its text is the offer's `body`; `keepsQuiet`: it waits during quiet hours. */
export const makeOfferedMessage = (
  { to, body, segments }: { readonly to: string; readonly body: string; readonly segments: number },
  isShared: boolean,
  keepsQuiet = false,
): OfferedMessage => ({
  id: makeRandomId(),
  to,
  segments,
  ...(!isShared && { body }),
  ...(keepsQuiet && { zone: findTimeZone(to) }),
})

/** Makes an offer from a checked body: writes its texts. Throws 400, 403, 404, 429. */
export async function prepareOffer(
  store: Store,
  config: OfferConfig,
  sender: Sender,
  body: SendBody,
  idempotency?: Idempotency | null,
): Promise<Offer> {
  const { content, deviceId, line, media, options } = body
  const phones = await readAllRecipients(store, sender.user, body, config.maxRecipients)
  const permit = requirePermit(sender, 'send', phones.length)
  if (media) checkMediaSize(media, phones.length)
  const scope = readConsentScope(body)
  if (phones.length >= MIN_RECIPIENTS) await chargeRefused(store, sender.user, phones, scope)
  const words = findSharedText(content)
  const shared = media && words !== undefined ? writeStoredText(words, media.files) : words
  const shown = 'body' in content ? content.shown : undefined
  // refuse an unknown device before a wrong template; for a plain text, `sms_accept` checks the device
  if (deviceId !== '' && shared === undefined) await checkDevice(store, sender.user, deviceId)
  const texts = await writeTexts(store, config, sender.user, content, phones)
  if (options.clientRef !== '' && texts.length > 1)
    throw invalidRequest('client_ref can name one message only')
  const messages: OfferedMessage[] = []
  const ids: string[] = []
  for (const text of texts) {
    const sized = media ? { ...text, segments: 0 } : text
    const message = makeOfferedMessage(sized, shared !== undefined, options.keepsQuiet)
    messages.push(message)
    ids.push(message.id)
  }
  const batch = messages.length > 1 ? makeRandomId() : ''
  const ref = batch || ids[0]!
  const given = options.clientRef === '' ? undefined : media?.given
  const origin = keepGiven(shown === undefined ? options.origin : SEALED, given)
  return {
    ...options,
    permit,
    device: deviceId || undefined,
    line: line.id || undefined,
    from: line.number || undefined,
    later: options.scheduledAt !== '',
    batch: batch || undefined,
    body: shown ?? shared,
    sealed: shown === undefined ? undefined : await sealText(store.db, sender.user, shared!),
    isBulk: options.isBulk || messages.length > 1,
    idempotency: idempotency ?? undefined,
    answer: answerJson(batch, ids),
    origin: origin && { ...origin, id: origin.id || ref },
    ...toOfferedScope(scope),
    media,
    given,
    messages,
  }
}

const answerJson = (batch_id: string, message_ids: readonly string[]): string =>
  JSON.stringify({
    batch_id,
    message_ids,
    recipients_count: message_ids.length,
    status: 'accepted',
  })

export async function isOwnLine(
  { db }: Store,
  table: 'devices' | 'lines',
  user: string,
  id: string,
) {
  const own = await queries(db)
    .selectFrom(table)
    .where('id', '=', id)
    .where('user', '=', user)
    .executeTakeFirst()
  return own !== undefined
}

/** Throws 404 `device_not_found` for a device that is not the user's. */
export async function checkDevice(store: Store, user: string, id: string): Promise<void> {
  if (!(await isOwnLine(store, 'devices', user, id))) throw gatewayRefusal('device_not_found')
}

/** 503 for a text that no device can send now. The hint names a carrier that waits for its test text. */
async function makeNoDeviceError({ db }: Store, user: string): Promise<GatewayError> {
  const untested = await queries(db)
    .selectFrom('device_carriers as c')
    .innerJoin('devices as d', 'd.id', 'c.device')
    .select(['d.name', 'd.id'])
    .where('c.user', '=', user)
    .where('c.ready', '=', false)
    .where('d.enabled', '=', true)
    .orderBy('d.id')
    .executeTakeFirst()
  const hint =
    untested &&
    `${untested.name} has not sent a test yet: send a text with "device_id":"${untested.id}". Once it is delivered, your other texts leave by ${untested.name}, too.`
  return gatewayRefusal('no_devices', undefined, hint)
}

/** Maps calling codes (ITU-T E.164) to the IANA time zone of nearly all their people, if there is one. */
const ZONES: Readonly<Record<string, string>> = zones

/** The time zone of an E.164 number by its calling code; '' if the code has several zones. */
export const findTimeZone = (phone: string): string =>
  ZONES[phone.slice(1, 4)] ?? ZONES[phone.slice(1, 3)] ?? ''
