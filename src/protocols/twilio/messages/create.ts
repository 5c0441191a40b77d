import type { Store } from '../../../collections/catalog.ts'
import type { Config } from '../../../config.ts'
import { formatDate } from '../../../fields/types/date.ts'
import { countSegments } from '../../../portable/segments.ts'
import { PLAIN_OPTIONS, toOne } from '../../../sms/send/body.ts'
import { optedOut } from '../../../sms/send/content.ts'
import type { Idempotency } from '../../../sms/send/offer.ts'
import { firstAnswer, readIdempotency, type SendServices, type Sent, send } from '../../../sms/send/send.ts'
import type { Account } from '../credentials.ts'
import { type NumberSender, sendersFrom } from '../numbers/number.ts'
import { type Parameters, sidOf, TwilioRefusal } from '../refusal.ts'
import { type NewMessage, readNewMessage } from './create-body.ts'
import { findMessage, type Message, type MessageRow, originOf, renderMessage } from './message.ts'

export interface CreateServices extends SendServices {
  readonly config: Pick<Config, 'maxRecipients' | 'webhookAllowPrivate'>
}

/** Statuses of a message that the answer still calls `queued`. */
const LATER = new Set(['sending', 'sent', 'delivered', 'undelivered'])

/**
 * Sends a message as `POST Messages.json`. Checks in Twilio's order; stores nothing when it throws
 * TwilioRefusals, refusals of the send, StaleAuth. After a 503 it may be stored: use an Idempotency-Key.
 * `replayed`: an earlier request with the same key made the message.
 */
export async function createMessage(
  services: CreateServices,
  account: Account,
  parameters: Parameters,
  idempotencyKey: string | undefined,
): Promise<{ readonly message: Message; readonly replayed: boolean }> {
  const { store, config } = services
  const { user } = account
  const idempotency = readIdempotency(idempotencyKey, '/2010-04-01/Messages', Object.fromEntries(parameters))
  const first = idempotency && (await firstAnswer(store, user, idempotency))
  if (first) return { message: render(await rowOf(store, user, first), user), replayed: true }
  const wanted = readNewMessage(parameters, user, new Date(), config.webhookAllowPrivate)
  const { answer, replayed } = await sendNew(services, account, wanted, idempotency)
  // the message is stored: an error would make some programs send it again
  const row = await rowOf(store, user, answer).catch(() => acceptedRow(messageIn(answer), wanted))
  return { message: render(row, user), replayed }
}

/** The message of an answer of `send`. */
const messageIn = (answer: string) => (JSON.parse(answer) as { message_ids: [string] }).message_ids[0]

const rowOf = (store: Store, user: string, answer: string) =>
  findMessage(store, user, sidOf('SM', messageIn(answer)))

/** The row of a message from its request, when the database cannot be read. */
function acceptedRow(id: string, { to, from, body, scheduledAt, service }: NewMessage): MessageRow {
  const at = formatDate(new Date())
  return {
    ...{ id, to, body, service, from: '', own_number: from, created: at, updated: at },
    status: scheduledAt ? 'pending' : 'assigned',
    message_type: 'outgoing',
    segments: countSegments(body).segments,
    scheduled_at: scheduledAt,
    sent_at: '',
    delivered_at: '',
    error_message: '',
    attachments: [],
    reply: false,
  }
}

/** The message with the status that it was accepted with. */
function render(row: MessageRow, user: string): Message {
  const message = renderMessage(row, user)
  return LATER.has(message.status)
    ? { ...message, status: 'queued', date_sent: null, error_code: null, error_message: null }
    : message
}

async function sendNew(
  services: CreateServices,
  { user, apiKey, sender }: Account,
  { to, from, body, scheduledAt, expiresAt, callback, service }: NewMessage,
  idempotency: Idempotency | null,
): Promise<Sent> {
  const { store } = services
  const { device, line } = await senderOf(store, user, from)
  if ((await optedOut(store, user, [to])).has(to))
    throw new TwilioRefusal(21610, 'The recipient has opted out of your messages')
  const options = {
    ...PLAIN_OPTIONS,
    scheduledAt,
    expiresAt,
    origin: originOf(apiKey, callback, { service }),
  }
  return send(services, sender, toOne(to, body, options, device, line), idempotency)
}

/** The enabled device or line with this number; any for ''. Throws 21606, 21616. */
async function senderOf(store: Store, user: string, number: string): Promise<NumberSender> {
  if (number === '') return { device: '', line: '' }
  const [sender, another] = await sendersFrom(store, user, number)
  if (another) throw new TwilioRefusal(21616, "Two devices have the 'From' number")
  if (!sender) throw new TwilioRefusal(21606, "The 'From' number is not one of your devices")
  return sender
}
