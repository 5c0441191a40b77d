import type { Store } from '../../../collections/catalog.ts'
import { formatDate } from '../../../fields/types/date.ts'
import { countSegments } from '../../../portable/segments.ts'
import { PLAIN_OPTIONS, toOne } from '../../../sms/send/body.ts'
import { optedOut } from '../../../sms/send/content.ts'
import { firstAnswer, type Idempotency, readIdempotency } from '../../../sms/send/idempotency.ts'
import { type Sent, send } from '../../../sms/send/send.ts'
import type { Call } from '../description.ts'
import { type NumberSender, sendersFrom } from '../numbers/number.ts'
import { sidOf, TwilioRefusal } from '../refusal.ts'
import { type NewMessage, readNewMessage } from './create-body.ts'
import { findMessage, type MessageRow, originOf, renderMessage } from './message.ts'

/** Statuses of a message that the answer still calls `queued`. */
const LATER = new Set(['sending', 'sent', 'delivered', 'undelivered'])

/** Sends a message. Throws TwilioRefusals in Twilio's order, refusals of the send, StaleAuth. */
export async function createMessage(call: Call) {
  const { c, services, store, user, parameters } = call
  const key = c.req.header('idempotency-key')
  const idempotency = readIdempotency(key, '/2010-04-01/Messages', Object.fromEntries(parameters))
  const first = idempotency && (await firstAnswer(store, user, idempotency))
  if (first) return render(call, await rowOf(store, user, first), true)
  const wanted = readNewMessage(parameters, user, new Date(), services.config.webhookAllowPrivate)
  const { answer, replayed } = await sendNew(call, wanted, idempotency)
  // the message is stored: an error would make some programs send it again
  const row = await rowOf(store, user, answer).catch(() => acceptedRow(messageIn(answer), wanted))
  return render(call, row, replayed)
}

const messageIn = (answer: string) => (JSON.parse(answer) as { message_ids: [string] }).message_ids[0]

const rowOf = (store: Store, user: string, answer: string) =>
  findMessage(store, user, sidOf('SM', messageIn(answer)))

/** The row of an accepted message, made from its request because the database cannot be read. */
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

/** The message with the status that it was accepted with. `replayed`: an earlier request made it. */
function render({ c, user }: Call, row: MessageRow, replayed: boolean) {
  if (replayed) c.header('Idempotent-Replayed', 'true')
  const message = renderMessage(row, user)
  return LATER.has(message.status)
    ? { ...message, status: 'queued', date_sent: null, error_code: null, error_message: null }
    : message
}

async function sendNew(
  { services, store, user, apiKey, sender }: Call,
  { to, from, body, scheduledAt, expiresAt, callback, service }: NewMessage,
  idempotency: Idempotency | null,
): Promise<Sent> {
  const { device, line } = await senderOf(store, user, from)
  if ((await optedOut(store, user, [to])).has(to))
    throw new TwilioRefusal(21610, 'The recipient has opted out of your messages')
  const options = {
    ...PLAIN_OPTIONS,
    scheduledAt,
    expiresAt,
    origin: originOf(apiKey, callback, { service }),
  }
  return send({ ...services.sending, store }, sender, toOne(to, body, options, device, line), idempotency)
}

/** The enabled device or line with this number; any for ''. Throws 21606, 21616. */
async function senderOf(store: Store, user: string, number: string): Promise<NumberSender> {
  if (number === '') return { device: '', line: '' }
  const [sender, another] = await sendersFrom(store, user, number)
  if (another) throw new TwilioRefusal(21616, "Two devices have the 'From' number")
  if (!sender) throw new TwilioRefusal(21606, "The 'From' number is not one of your devices")
  return sender
}
