import type { Store } from '../../engine/collections/catalog.ts'
import { formatDate, formatNow } from '../../engine/fields/parse-date.ts'
import { readNumbers } from '../../gateway/base/read-numbers.ts'
import {
  type AcceptedMessage,
  acceptSend,
  type ReadySend,
  RecipientRefused,
} from '../../gateway/messages/send/accept-send.ts'
import { formatInstant } from '../../gateway/messages/send/message-expiry.ts'
import { MAX_FILES } from '../../gateway/messages/send/mms.ts'
import { makePlainSend } from '../../gateway/messages/send/send-options.ts'
import type { NumberedText } from '../../gateway/messages/texts-with-numbers.ts'
import { isInvisible } from '../../portable/fold-text.ts'
import { MAX_TEXT_CHARACTERS } from '../../portable/max-text-characters.ts'
import { isOtherForm } from '../../portable/phone/other-phone-forms.ts'
import { countSegments } from '../../portable/segments.ts'
import { replaceIfShorter } from '../../portable/smart-encoding.ts'
import { readRequestDate } from './dates.ts'
import { listNumberSenders, type NumberSender } from './devices-with-number.ts'
import type { Call } from './identify-account.ts'
import { fetchMedia } from './media.ts'
import { findMessage, makeTwilioOrigin, renderMessage } from './messages.ts'
import { checkFallbackFrom, MEDIA, type Parameters, readAddress } from './parameters.ts'
import { makeSid, parseSid } from './sids.ts'
import { makeInvalidError, TwilioRefusal } from './twilio-errors.ts'

const MAX_VALIDITY_SECONDS = 36_000

const WITHOUT_EFFECT = [
  'MaxPrice',
  'Attempt',
  'ForceDelivery',
  'TrafficType',
  'RiskCheck',
  'MessageIntent',
  'FallbackFrom',
  'ApplicationSid',
  'PersistentAction',
  // a text without media leaves as SMS
  'SendAsMms',
]
const ONLY_VALUES: Readonly<Record<string, string>> = {
  ProvideFeedback: 'false',
  ShortenUrls: 'false',
  ContentRetention: 'retain',
  AddressRetention: 'retain',
}

export const CREATE_PARAMETERS: readonly string[] = [
  'To',
  'From',
  'MessagingServiceSid',
  'Body',
  'StatusCallback',
  'ScheduleType',
  'SendAt',
  'ValidityPeriod',
  MEDIA,
  'ContentSid',
  'ContentVariables',
  'SmartEncoded',
  ...WITHOUT_EFFECT,
  ...Object.keys(ONLY_VALUES),
]

/** A checked request to send. Dates are in the stored form; '' means none. */
type NewMessage = Awaited<ReturnType<typeof readNewMessage>>

/** Checks the parameters in Twilio's order. Throws a TwilioRefusal for the first that is wrong. */
async function readNewMessage(
  store: Store,
  parameters: Parameters,
  user: string,
  now: Date,
  allowPrivate: boolean,
) {
  const of = (name: string) => parameters.get(name) ?? ''
  for (const [name, value] of Object.entries(ONLY_VALUES))
    if (of(name) !== '' && of(name).toLowerCase() !== value)
      throw makeInvalidError(`${name} can be ${value} only`)
  readOnOff('SendAsMms', of('SendAsMms'))
  const isSmart = readOnOff('SmartEncoded', of('SmartEncoded'))
  const [to, line] = await readNumbers(store, user, [of('To'), of('From')])
  const from = isOtherForm(of('From')) ? of('From') : line
  if (of('To').trim() === '') throw new TwilioRefusal(21604, "A 'To' phone number is required")
  if (to === undefined)
    throw new TwilioRefusal(21211, "The 'To' number is not a valid phone number in E.164")
  if (to === from) throw new TwilioRefusal(21211, "'To' and 'From' are the same number")
  if (from === undefined && of('From').trim() !== '')
    throw new TwilioRefusal(21212, "The 'From' number is not a valid phone number in E.164")
  const service = of('MessagingServiceSid')
  if (service !== '' && parseSid('MG', service) !== user)
    throw new TwilioRefusal(21701, 'The Messaging Service does not exist')
  checkFallbackFrom(parameters)
  if (of('ContentSid') !== '' || of('ContentVariables') !== '')
    throw new TwilioRefusal(21655, 'Content templates are not supported here: send a Body')
  const written = of('Body')
  const mediaUrls = of(MEDIA)
    .split('\n')
    .filter((url) => url !== '')
  if (mediaUrls.length > MAX_FILES)
    throw new TwilioRefusal(21623, `A message has at most ${MAX_FILES} MediaUrl`)
  if (isInvisible(written) && mediaUrls.length === 0)
    throw new TwilioRefusal(21602, 'A message body is required')
  if (written.length > MAX_TEXT_CHARACTERS && [...written].length > MAX_TEXT_CHARACTERS)
    throw new TwilioRefusal(
      21617,
      `The message body has more than ${MAX_TEXT_CHARACTERS} characters`,
    )
  const body = isSmart ? replaceIfShorter(written, MAX_TEXT_CHARACTERS) : written
  const due = readSchedule(of('ScheduleType'), of('SendAt'), now)
  const url = of('StatusCallback')
  return {
    to,
    from: from ?? '',
    body: isInvisible(body) ? '' : body,
    mediaUrls,
    service: service !== '',
    scheduledAt: due ? formatDate(due) : '',
    expiresAt: readExpiry(of('ValidityPeriod'), due ?? now),
    callback: url && readAddress('StatusCallback', url, 21609, allowPrivate),
  }
}

function readOnOff(name: string, value: string): boolean {
  if (/^(?:true|false|)$/i.test(value)) return value.toLowerCase() === 'true'
  throw makeInvalidError(`${name} must be true or false`)
}

function readSchedule(type: string, sendAt: string, now: Date): Date | undefined {
  if (type !== '' && type !== 'fixed')
    throw new TwilioRefusal(35126, "ScheduleType can be 'fixed' only")
  if (type === '' && sendAt !== '') throw makeInvalidError("SendAt needs ScheduleType 'fixed'")
  if (type === '') return undefined
  if (sendAt === '') throw new TwilioRefusal(35111, 'ScheduleType needs SendAt')
  const at = readRequestDate(sendAt)
  if (at && !at.isDay && at.ms > now.getTime()) return new Date(at.ms)
  throw new TwilioRefusal(35114, 'SendAt must be an ISO 8601 instant in the future')
}

function readExpiry(period: string, due: Date): string {
  if (period === '') return ''
  const seconds = /^\d{1,5}$/.test(period) ? Number(period) : 0
  if (seconds >= 1 && seconds <= MAX_VALIDITY_SECONDS)
    return formatInstant(due.getTime() + seconds * 1000)
  throw new TwilioRefusal(21624, `ValidityPeriod must be 1 to ${MAX_VALIDITY_SECONDS} seconds`)
}

/** Statuses of an accepted message for which the answer still says `queued`. */
const LATER = new Set(['sending', 'sent', 'delivered', 'undelivered'])

/** Sends a message. Throws TwilioRefusals and refusals of a send, and StaleAuth if the caller changed. */
export async function createMessage(call: Call) {
  const { c, services, store, user, parameters } = call
  let wanted: NewMessage | undefined
  const accepted = await acceptSend({ ...services.sending, store }, call, {
    once: {
      key: c.env.incoming.idempotencyKey,
      endpoint: '/2010-04-01/Messages',
      asked: Object.fromEntries(parameters),
    },
    read: async () => {
      const allowPrivate = services.config.webhookAllowPrivate
      wanted = await readNewMessage(store, parameters, user, new Date(), allowPrivate)
      return describeSend(call, wanted)
    },
  }).catch((error: unknown) => {
    throw error instanceof RecipientRefused
      ? new TwilioRefusal(21610, 'The recipient has opted out of your messages')
      : error
  })
  const id = accepted.ids[0]!
  const [message] = accepted.messages ?? []
  // what is stored of files is read
  if (wanted?.mediaUrls.length === 0 && message)
    return renderCreated(call, makeAcceptedRow(id, wanted, message), false)
  const row = await findMessage(store, user, makeSid('SM', id), '').catch((error: unknown) => {
    if (!wanted) throw error
    // the message is stored: an error would make some programs send it again
    return makeAcceptedRow(id, wanted, message)
  })
  return renderCreated(call, row, accepted.isReplayed)
}

/** The row of an accepted message, made from its request and what the acceptance says of it. */
function makeAcceptedRow(
  id: string,
  { to, from, body, mediaUrls, scheduledAt, service }: NewMessage,
  message: AcceptedMessage | undefined,
): NumberedText {
  const at = message?.created ?? formatNow()
  return {
    id,
    to,
    body,
    service,
    from: '',
    own_number: message?.number ?? from,
    created: at,
    updated: at,
    status: message?.status ?? (scheduledAt ? 'pending' : 'assigned'),
    message_type: 'outgoing',
    segments: mediaUrls.length > 0 ? 0 : countSegments(body).segments,
    scheduled_at: scheduledAt,
    sent_at: '',
    delivered_at: '',
    error_message: message?.fault ?? '',
    attachments: [],
    reply: false,
  }
}

/**
 * Describes a message with the status it had when it was accepted. `replayed`: an earlier request sent it.
 */
function renderCreated({ c, user }: Call, row: NumberedText, replayed: boolean) {
  if (replayed) c.header('Idempotent-Replayed', 'true')
  const message = renderMessage(row, user)
  return LATER.has(message.status)
    ? { ...message, status: 'queued', date_sent: null, error_code: null, error_message: null }
    : message
}

/** A message as a send. */
async function describeSend(
  call: Call,
  { to, from, body, mediaUrls, scheduledAt, expiresAt, callback, service }: NewMessage,
): Promise<ReadySend> {
  const { store, user } = call
  const { device, line } = await findNumberSender(store, user, from)
  const options = {
    scheduledAt,
    expiresAt,
    origin: makeTwilioOrigin(call.sentBy, callback, { service }),
  }
  return {
    body: makePlainSend(to, body, options, device, line),
    files: mediaUrls.length > 0 ? { load: () => fetchMedia(call, mediaUrls) } : undefined,
  }
}

/** The device or line with this number; for '', any. Throws TwilioRefusal 21606 for none, 21616 for two. */
async function findNumberSender(store: Store, user: string, number: string): Promise<NumberSender> {
  if (number === '') return { device: '', line: '' }
  const [sender, another] = await listNumberSenders(store, user, number)
  if (another) throw new TwilioRefusal(21616, "Two devices have the 'From' number")
  if (!sender) throw new TwilioRefusal(21606, "The 'From' number is not one of your devices")
  return sender
}
