import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { randomId } from '../../tools/random.ts'
import { zoneOfNumber } from '../../tools/time-zones.ts'
import type { Acceptor } from './accept.ts'
import type { SendBody } from './body.ts'
import { checkLength, plainText, type Text, writeTexts } from './content.ts'
import { firstAnswer, keepAnswer, whileRunning } from './idempotency.ts'
import type { Outcome } from './offer.ts'
import { credentialsOf, type Offer } from './offer-shape.ts'
import { chargeOptedOut } from './opted-out-limit.ts'
import { allRecipients, checkCount, checkPhones, uniquePhones } from './recipients.ts'
import { gatewayRefusal, type RefusalCode } from './refusal.ts'
import { type Sender, StaleSender } from './sender.ts'

/** What sending needs of the server. */
export interface SendServices {
  readonly store: Store
  readonly config: Pick<Config, 'maxRecipients'>
  readonly acceptor: Acceptor
}

/** Names a request, so that the same one again is not sent twice. */
export interface Idempotency {
  readonly key: string
  readonly fingerprint: string
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

/** The JSON of the answer; `replayed`: it is that of an earlier request. */
export interface Sent {
  readonly answer: string
  readonly replayed: boolean
}

/** Sends all messages of a request or none. Throws GatewayErrors in the order of REFUSALS, StaleSender. */
export async function send(
  services: SendServices,
  sender: Sender,
  body: SendBody,
  idempotency: Idempotency | null = null,
): Promise<Sent> {
  checkPhones(body.recipients)
  if ('body' in body.content) checkLength(body.content.body)
  const phones = uniquePhones(body.recipients)
  checkCount(phones, services.config.maxRecipients)
  const once = () => sendOnce(services, sender, body, phones, idempotency)
  if (!idempotency) return once()
  const { key, fingerprint } = idempotency
  // outside the turn: a stored answer blocks no other request
  const answer = await firstAnswer(services.store, sender.user, key, fingerprint)
  if (answer !== undefined) return { answer, replayed: true }
  return whileRunning(sender.user, key, once)
}

async function sendOnce(
  services: SendServices,
  sender: Sender,
  body: SendBody,
  explicit: readonly string[],
  idempotency: Idempotency | null,
): Promise<Sent> {
  const { store, config } = services
  const phones = await allRecipients(store, sender.user, explicit, body.groupIds, config.maxRecipients)
  await chargeOptedOut(store, sender.user, phones)
  // a template is checked after the device; for a plain text the accepting statement checks the device
  if (body.deviceId !== '' && plainText(body.content) === null)
    await checkDevice(store, sender.user, body.deviceId)
  const texts = await writeTexts(store, sender.user, body.content, phones)
  if (body.options.clientRef !== '' && texts.length > 1)
    throw gatewayRefusal('invalid_request', 'client_ref can name one message only')
  const offer = makeOffer(sender, body, texts, idempotency)
  const verdict = await services.acceptor.accept(offer)
  if (verdict.outcome === 'accepted') return { answer: answerOf(offer), replayed: false }
  if (verdict.outcome === 'known') {
    await checkClientRef(store, verdict.message, offer)
    return answerKnown(store, sender.user, verdict.message, idempotency)
  }
  if (verdict.outcome !== 'replayed' || !idempotency) throw refusalOf(verdict.outcome)
  const { key, fingerprint } = idempotency
  return { answer: (await firstAnswer(store, sender.user, key, fingerprint))!, replayed: true }
}

/** The reference has a message. The key, if any, is stored for this request anyway. */
async function answerKnown(store: Store, user: string, message: string, idempotency: Idempotency | null) {
  const answer = answerJson('', [message])
  if (idempotency) await keepAnswer(store, user, idempotency.key, idempotency.fingerprint, answer)
  return { answer, replayed: false }
}

const refusalOf = (outcome: Outcome): Error =>
  outcome === 'stale' ? new StaleSender() : gatewayRefusal(outcome as RefusalCode)

const OWN_DEVICE = 'select 1 from devices d where d.id = $1 and d."user" = $2'

/** Whether a device is this user's. */
export async function isOwnDevice({ db }: Store, user: string, device: string): Promise<boolean> {
  const { rows } = await db.query(OWN_DEVICE, [device, user], 'sms own device')
  return rows.length > 0
}

/** Throws 404 `device_not_found` for a device that is not the user's. */
export async function checkDevice(store: Store, user: string, id: string): Promise<void> {
  if (!(await isOwnDevice(store, user, id))) throw gatewayRefusal('device_not_found')
}

function makeOffer(
  sender: Sender,
  { content, deviceId, line, options }: SendBody,
  texts: readonly Text[],
  idempotency: Idempotency | null,
): Offer {
  const shared = plainText(content)
  const messages = texts.map(({ to, body, segments }) => ({
    id: randomId(),
    to,
    body: shared === null ? body : null,
    segments,
    ...(options.keepsQuiet && { zone: zoneOfNumber(to) }),
  }))
  const batch = messages.length > 1 ? randomId() : ''
  const ids = messages.map(({ id }) => id)
  const ref = batch || ids[0]!
  return {
    ...credentialsOf(sender),
    device: deviceId || null,
    line: line.id || null,
    from: line.number || null,
    later: options.scheduledAt !== '',
    batch: batch || null,
    body: shared,
    priority: options.priority,
    sim: options.sim,
    scheduledAt: options.scheduledAt || null,
    expiresAt: options.expiresAt || null,
    guarantee: options.guarantee,
    clientRef: options.clientRef || null,
    isBulk: options.isBulk || messages.length > 1,
    idempotency: idempotency && { ...idempotency, answer: answerJson(batch, ids) },
    origin: options.origin ? { ...options.origin, id: options.origin.id || ref, ref } : null,
    messages,
  }
}

const answerOf = ({ batch, messages }: Offer) =>
  answerJson(
    batch ?? '',
    messages.map(({ id }) => id),
  )

const answerJson = (batch_id: string, message_ids: readonly string[]): string =>
  JSON.stringify({ batch_id, message_ids, recipients_count: message_ids.length, status: 'accepted' })

/** Blanked or changed texts count as equal: a repeated send is the one before. */
const OTHER = `select 1 from sms_messages m where m.id = $1 and not (
  (m."to" = $2 or m."to" = '') and (m.body = $3 or m.body = '' or exists (
    select from sms_events e where e.message = m.id and e.status = 'pending' and e.detail like 'Changed:%text%')))`

/** Throws 422 `client_ref_reused` if the message of this `client_ref` has another number or text. */
async function checkClientRef({ db }: Store, message: string, offer: Offer): Promise<void> {
  const { to, body } = offer.messages[0]!
  const { rows } = await db.query(OTHER, [message, to, body ?? offer.body], 'sms reference')
  if (rows[0]) throw gatewayRefusal('client_ref_reused')
}
