import { z } from 'zod'
import type { Store } from '../../../engine/collections/catalog.ts'
import { INSTANT } from '../../../engine/fields/date-schema.ts'
import { formatNow } from '../../../engine/fields/parse-date.ts'
import type { GatewayError } from '../../../platform/api-errors.ts'
import { queries } from '../../../platform/db/queries.ts'
import { counts } from '../../../platform/tools/process-counters.ts'
import { gatewayRefusal, isRefusal } from '../../base/gateway-errors.ts'
import type { Sender } from '../../base/make-sender.ts'
import type { GivenFiles, Media } from '../../base/message-files.ts'
import {
  findFirstAnswer,
  type Idempotency,
  readIdempotency,
  storeFirstAnswer,
} from './idempotency.ts'
import type { Offer } from './offer.ts'
import { type OfferConfig, prepareOffer, type SentMessages, writeAnswer } from './prepare-offer.ts'
import { checkClientRef, findSameSend } from './same-send.ts'
import type { SendBody } from './send-options.ts'
import { requireFresh, toGatewayError, writeIsStale } from './sending-permission.ts'
import {
  type AcceptConfig,
  type OfferStore,
  type SendVerdict,
  storeOffer,
  storeOffers,
} from './store-offers.ts'
import { checkBody } from './write-text-bodies.ts'

export interface SendServices extends OfferStore {
  readonly config: OfferConfig & AcceptConfig
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
    scheduled_at: INSTANT.optional().describe(
      'When the messages are due, if that is later: in UTC, as a time without a zone is read.',
    ),
  })
  .meta({ id: 'Accepted' })

/** A message at its acceptance, for the answers of SMSGate's and Twilio's API. */
export interface AcceptedMessage {
  readonly status: 'assigned' | 'pending' | 'failed'
  /** The id of the chosen device; '' while none is chosen. */
  readonly device: string
  /** Why a person gets no text; '' for the others. */
  readonly fault: string
  readonly created: string
  /** The account's own number; '' for none. */
  readonly number: string
}

/**
 * `isReplayed`: an earlier request with the same idempotency key sent the messages. `messages`: in their
 * order, for SMSGate's and Twilio's API, unless they were sent earlier.
 */
export interface Accepted extends SentMessages {
  readonly isReplayed: boolean
  readonly messages?: readonly AcceptedMessage[] | undefined
}

/** The only recipient of a text of Twilio's API gets no texts. */
export class RecipientRefused extends Error {
  override name = 'RecipientRefused'
}

export interface AskedSend {
  /** Reads the send. Is not called for a request that has an answer. */
  readonly read: () => ReadySend | Promise<ReadySend>
  /** The key that makes a repetition of the request known. Absent: the request has no idempotency key. */
  readonly once?: OnceByKey
  /** Whether the send waits for the device that it names, if that cannot send now. */
  readonly waitsForDevice?: boolean
}

export interface OnceByKey {
  /** As the request has it; undefined for none. */
  readonly key: string | undefined
  /** The scope of the key: a path, or the name of a tool. */
  readonly endpoint: string
  /** All that a repetition must ask again. */
  readonly asked: unknown
}

/** A send whose files are not loaded. */
export interface ReadySend {
  readonly body: SendBody
  readonly files?: AskedFiles | undefined
}

export interface AskedFiles {
  readonly load: () => Promise<Media>
  /** All files, if each is named by its address: a repeated reference with the same loads none. */
  readonly named?: GivenFiles | undefined
}

/**
 * Accepts all messages of a request or none, once for its idempotency key and for its client_ref. All
 * requests that send use this. Throws a refusal (a GatewayError), StaleAuth, and as `read`.
 */
export async function acceptSend(
  services: SendServices,
  sender: Sender,
  { read, once, waitsForDevice = false }: AskedSend,
): Promise<Accepted> {
  const { store, config } = services
  const idempotency = once ? readIdempotency(once.key, once.endpoint, once.asked) : null
  const first = idempotency && (await findFirstAnswer(store, sender, idempotency))
  if (first) return readAnswer(first)
  const { body, files } = await read()
  checkBody(body)
  const same = files?.named && (await findMessageWithFiles(store, sender, body, files.named))
  if (same) {
    const offer = await prepareOffer(store, config, sender, body, idempotency)
    const verdict: SendVerdict = { outcome: 'known', known: same }
    return answerOffer(store, { ...offer, given: files.named }, verdict)
  }
  const whole = files ? { ...body, media: await files.load() } : body
  try {
    return await storeSend(services, sender, whole, idempotency)
  } catch (error) {
    if (!waitsForDevice || body.deviceId === '' || !isRefusal(error, 'no_devices')) throw error
    const options = { ...whole.options, scheduledAt: formatNow() }
    return storeSend(services, sender, { ...whole, options }, idempotency)
  }
}

async function storeSend(
  services: SendServices,
  sender: Sender,
  body: SendBody,
  idempotency: Idempotency | null,
): Promise<Accepted> {
  const { store, config } = services
  const offer = await prepareOffer(store, config, sender, body, idempotency)
  return answerOffer(store, offer, await storeOffer(services, offer))
}

/** The message of the send's client_ref, if it was sent with files at the same addresses. */
const findMessageWithFiles = (
  { db }: Store,
  { user }: Sender,
  body: SendBody,
  named: GivenFiles,
) =>
  body.options.clientRef === '' ? undefined : findSameSend(db, user, body.options.clientRef, named)

/** Like `acceptSend`, in the caller's transaction. Returns the devices to wake after its commit. */
export async function sendInTransaction(store: Store, config: AcceptConfig, offer: Offer) {
  const { verdicts, wake } = await storeOffers(store, config, [offer])
  await answerOffer(store, offer, verdicts[0]!)
  counts.accepted.messages += offer.messages.length
  return wake
}

/** As `acceptSend` for a body, in the caller's transaction. Returns the devices to wake after its commit. */
export const sendBodyInTransaction = async (
  store: Store,
  config: AcceptConfig & OfferConfig,
  sender: Sender,
  body: SendBody,
) => sendInTransaction(store, config, await prepareOffer(store, config, sender, body))

/** The answer to an offer. If the offer was not stored, throws its refusal or StaleAuth. */
export async function answerOffer(
  store: Store,
  offer: Offer,
  { outcome, known }: SendVerdict,
): Promise<Accepted> {
  const { batch = '', idempotency } = offer
  const { sender } = offer.permit
  const { user } = sender
  if (outcome === 'accepted' || outcome === 'tried')
    return {
      batch,
      ids: offer.messages.map(({ id }) => id),
      scheduledAt: offer.scheduledAt,
      isReplayed: false,
      messages: known === '' ? undefined : JSON.parse(known),
    }
  if (outcome === 'replayed')
    return readAnswer((await findFirstAnswer(store, sender, idempotency!))!)
  if (outcome === 'no_devices' && !offer.device) throw await makeNoDeviceError(store, user)
  if (outcome === 'recipient_refused') throw new RecipientRefused()
  if (outcome !== 'known') throw toGatewayError(sender, outcome)
  // known: a message has this client_ref. Answer as its send did, and keep the answer for the idempotency key
  await checkClientRef(store, known, offer)
  const scheduledAt = await loadScheduledAt(store, sender, known)
  const found = { batch: '', ids: [known], scheduledAt }
  if (idempotency) await storeFirstAnswer(store, user, idempotency, writeAnswer(found))
  return { ...found, isReplayed: false }
}

function readAnswer(answer: string): Accepted {
  const read = JSON.parse(answer) as z.output<typeof ACCEPTED>
  const { batch_id: batch, message_ids: ids, scheduled_at: scheduledAt = '' } = read
  return { batch, ids, scheduledAt, isReplayed: true }
}

async function loadScheduledAt({ db }: Store, sender: Sender, message: string): Promise<string> {
  const found = await queries(db)
    .selectFrom('sms_messages')
    .select(['scheduled_at', writeIsStale(sender).as('isStale')])
    .where('id', '=', message)
    .executeTakeFirst()
  // `sms_accept` was not asked about a message that is known by the addresses of its files
  requireFresh(found)
  return found?.scheduled_at ?? ''
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
