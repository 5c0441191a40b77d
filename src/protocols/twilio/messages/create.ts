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
import type { Parameters } from '../parameters.ts'
import { TwilioRefusal } from '../refusal.ts'
import { idOf, sidOf } from '../sid.ts'
import {
  readBody,
  readCallback,
  readExpiry,
  readFrom,
  readSchedule,
  readTo,
  refuseMedia,
  refuseUnsupported,
} from './create-body.ts'
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
  const { store } = services
  const given = Object.fromEntries(parameters)
  const idempotency = readIdempotency(idempotencyKey, '/2010-04-01/Messages', given)
  const first = idempotency && (await firstAnswer(store, account.user, idempotency))
  const sent = first
    ? { answer: first, replayed: true }
    : await sendNew(services, account, parameters, idempotency)
  const [id] = (JSON.parse(sent.answer) as { message_ids: string[] }).message_ids
  // the message is stored: an error would make some programs send it again
  const row = await findMessage(store, account.user, sidOf('SM', id!)).catch(() =>
    acceptedRow(id!, parameters),
  )
  return { message: asAccepted(renderMessage(row, account.user)), replayed: sent.replayed }
}

/** The row of a message from its request, when the database cannot be read. */
function acceptedRow(id: string, parameters: Parameters): MessageRow {
  const at = formatDate(new Date())
  const isScheduled = (parameters.get('ScheduleType') ?? '') !== ''
  const body = readBody(parameters)
  return {
    id,
    status: isScheduled ? 'pending' : 'assigned',
    to: readTo(parameters),
    from: '',
    body,
    message_type: 'outgoing',
    segments: countSegments(body).segments,
    scheduled_at: isScheduled ? '9999' : '',
    sent_at: '',
    delivered_at: '',
    error_message: '',
    created: at,
    updated: at,
    attachments: [],
    own_number: readFrom(parameters),
    service: (parameters.get('MessagingServiceSid') ?? '') !== '',
    reply: false,
  }
}

/** The message with the status that it was accepted with. */
const asAccepted = (message: Message): Message =>
  LATER.has(message.status)
    ? { ...message, status: 'queued', date_sent: null, error_code: null, error_message: null }
    : message

async function sendNew(
  services: CreateServices,
  account: Account,
  parameters: Parameters,
  idempotency: Idempotency | null,
): Promise<Sent> {
  const { store, config } = services
  refuseUnsupported(parameters)
  const to = readTo(parameters)
  const { device, line } = await senderOf(store, account.user, readFrom(parameters))
  const service = isServiceNamed(account, parameters)
  refuseMedia(parameters)
  const body = readBody(parameters)
  const now = new Date()
  const scheduledMs = readSchedule(parameters, now.getTime())
  const expiresAt = readExpiry(parameters, scheduledMs ?? now.getTime())
  const callback = readCallback(parameters, config.webhookAllowPrivate)
  if ((await optedOut(store, account.user, [to])).has(to))
    throw new TwilioRefusal(21610, 'The recipient has opted out of your messages')
  const options = {
    ...PLAIN_OPTIONS,
    scheduledAt: scheduledMs === undefined ? '' : formatDate(new Date(scheduledMs)),
    expiresAt,
    origin: originOf(account.key, callback, { service }),
  }
  return send(services, account.sender, toOne(to, body, options, device, line), idempotency)
}

/** Whether the account's own service was named. Throws 21701 for another. */
function isServiceNamed({ user }: Account, parameters: Parameters): boolean {
  const sid = parameters.get('MessagingServiceSid') ?? ''
  if (sid === '') return false
  if (idOf('MG', sid) === user) return true
  throw new TwilioRefusal(21701, 'The Messaging Service does not exist')
}

/** The enabled device or line with this number; any for ''. Throws 21606, 21616. */
async function senderOf(store: Store, user: string, number: string): Promise<NumberSender> {
  if (number === '') return { device: '', line: '' }
  const [sender, another] = await sendersFrom(store, user, number)
  if (another) throw new TwilioRefusal(21616, "Two devices have the 'From' number")
  if (!sender) throw new TwilioRefusal(21606, "The 'From' number is not one of your devices")
  return sender
}
