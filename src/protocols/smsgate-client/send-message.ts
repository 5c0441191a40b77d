import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import { queries } from '../../db/queries.ts'
import { dateOf, formatDate } from '../../fields/date.ts'
import type { Ctx } from '../../http/context.ts'
import { ANY_LINE, MAX_CHARACTERS, PLAIN_OPTIONS, type SendBody } from '../../sms/send/body.ts'
import { checkShape } from '../../sms/send/check-shape.ts'
import { dateAt } from '../../sms/send/expiry.ts'
import { firstAnswer, type Idempotency, readIdempotency } from '../../sms/send/idempotency.ts'
import { readNumbers } from '../../sms/send/read-numbers.ts'
import { invalid, isRefusal } from '../../sms/send/refusals.ts'
import { id, listOf, nonEmptyText, visibleText, wholeNumber } from '../../sms/send/schemas.ts'
import { type SendServices, send } from '../../sms/send/send.ts'
import type { Sender } from '../../sms/send/sender.ts'
import { type MessageState, sendOfRef, stateOf } from './messages.ts'
import {
  type Call,
  flagIn,
  MAX_DEVICE_ID,
  numberIn,
  prefixOf,
  queryIn,
  rfc3339,
  unknownDevice,
} from './request.ts'

const MAX_RECIPIENTS = 100
const MAX_NUMBER = 128
export const MAX_ID = 36
const MIN_TTL_SECONDS = 5

/** The body of a send as SMSGate's clients write it. Unknown fields are ignored, `null` counts as absent. */
export const SEND_BODY = z
  .object({
    phoneNumbers: listOf(nonEmptyText(MAX_NUMBER), MAX_RECIPIENTS).describe(
      'In any notation. Without a calling code, they are numbers of the account’s `country`. No number twice.',
    ),
    textMessage: z
      .object({ text: visibleText().meta({ maxLength: MAX_CHARACTERS }) })
      .nullish()
      .describe('The text. At most 1,600 characters.'),
    message: visibleText().nullish().describe('The old form of `textMessage.text`.'),
    dataMessage: z.unknown().optional().describe('Refused: this server sends texts only.'),
    mmsMessage: z.unknown().optional().describe('Refused: this server sends texts only.'),
    id: id(MAX_ID).nullish().describe('An id of yours. One that was used before is refused with 409.'),
    deviceId: id(MAX_DEVICE_ID)
      .nullish()
      .describe('The device that sends. Default: the available devices take turns.'),
    simNumber: wholeNumber(1, 3).nullish(),
    priority: wholeNumber(-128, 127)
      .nullish()
      .describe('Higher is sent first. Limits of the device hold for every priority.'),
    ttl: wholeNumber(MIN_TTL_SECONDS, Number.MAX_SAFE_INTEGER)
      .nullish()
      .describe('Seconds from acceptance after which the text is not sent any more. Excludes `validUntil`.'),
    validUntil: rfc3339().nullish(),
    scheduleAt: rfc3339().nullish(),
    withDeliveryReport: z
      .boolean('must be true or false')
      .nullish()
      .describe('Only `true`, the default: this server always asks for delivery reports.'),
    isEncrypted: z
      .boolean('must be true or false')
      .nullish()
      .describe('Only `false`, the default: encrypted numbers and texts cannot be checked.'),
  })
  .meta({ id: 'SmsgateSend' })

/** Reads the body of a send. Throws 400 that names the first wrong field. */
async function readSendBody(store: Store, user: string, raw: unknown, now: Date): Promise<SendBody> {
  const body = checkShape(SEND_BODY, raw)
  if (body.dataMessage != null) throw invalid('dataMessage cannot be sent: send textMessage')
  if (body.mmsMessage != null) throw invalid('mmsMessage cannot be sent: send textMessage')
  const text = body.textMessage?.text ?? body.message
  if (text == null) throw invalid('textMessage is required')
  if (body.textMessage && body.message != null) throw invalid('message and textMessage exclude each other')
  if (body.isEncrypted) throw invalid('isEncrypted must be false: numbers and texts are checked here')
  if (body.withDeliveryReport === false)
    throw invalid('withDeliveryReport must be true: delivery reports are always asked for')
  const { ttl, validUntil, scheduleAt: scheduledAt = '' } = body
  if (scheduledAt && scheduledAt <= formatDate(now)) throw invalid('scheduleAt must lie in the future')
  if (ttl && validUntil) throw invalid('ttl and validUntil exclude each other')
  if (validUntil && dateOf(validUntil)! <= now) throw invalid('validUntil must lie in the future')
  const expiresAt = ttl ? dateAt(now.getTime() + ttl * 1000) : (validUntil ?? '')
  if (scheduledAt && expiresAt && scheduledAt > expiresAt)
    throw invalid('scheduleAt must not be after the end of the message (validUntil or ttl)')
  return {
    recipients: await phoneNumbersOf(store, user, body.phoneNumbers),
    groupIds: [],
    deviceId: body.deviceId ?? '',
    line: ANY_LINE,
    content: { body: text },
    options: {
      ...PLAIN_OPTIONS,
      ...{ scheduledAt: scheduledAt ?? '', expiresAt },
      priority: body.priority ?? 0,
      sim: body.simNumber ?? 0,
      origin: { api: 'smsgate', id: body.id ?? '', data: {} },
    },
  }
}

/** The numbers in E.164, in their order. Throws 400 for the first that is invalid or repeated. */
async function phoneNumbersOf(store: Store, user: string, given: readonly string[]): Promise<string[]> {
  const numbers = await readNumbers(store, user, given)
  return numbers.map((number, i) => {
    if (number === undefined)
      throw invalid(`phoneNumbers[${i}] must be in E.164 format, for example +4915112345678`)
    if (numbers.indexOf(number) < i) throw invalid(`phoneNumbers[${i}] is there twice`)
    return number
  })
}

/** Sends. Answers with state and `Location`. Throws as `/api/sms/send`, and 409 for an id that was used. */
export async function answerSend(call: Call): Promise<MessageState> {
  const { c, services, json, user, store } = call
  const { deviceActiveWithin } = queryIn(c, QUERY)
  const idempotency = readIdempotency(c.req.header('idempotency-key'), c.req.path, json)
  // a repeated request gets its first answer: the checks below depend on the time and might refuse it
  const first = idempotency && (await firstAnswer(store, user, idempotency))
  if (first) return answered(c, await readState(store, user, refOf(first)), true)
  const body = await readSendBody(store, user, json, new Date())
  await checkDevices(store, user, body, deviceActiveWithin)
  const { answer, replayed } = await sendOrWait({ ...services.sending, store }, call, body, idempotency)
  const state = await readState(store, user, refOf(answer)).catch((error: unknown) => {
    if (replayed) throw error
    // the message is stored: an error would make some programs send it again
    return acceptedState(refOf(answer), body)
  })
  return answered(c, state, replayed)
}

function answered(c: Ctx, state: MessageState, replayed: boolean): MessageState {
  c.header('Location', `${prefixOf(c.env.incoming.url ?? '')}/messages/${encodeURIComponent(state.id)}`)
  if (replayed) c.header('Idempotent-Replayed', 'true')
  // scripts of other origins can read only headers that are named here
  c.header('Access-Control-Expose-Headers', replayed ? 'Location, Idempotent-Replayed' : 'Location')
  return state
}

/** `deviceActiveWithin`: hours within which the named device must have been seen; 0: no such condition. */
const QUERY = z.object({
  // accepted without effect: only E.164 numbers can be stored
  skipPhoneValidation: flagIn,
  deviceActiveWithin: numberIn.refine((hours) => hours >= 0, 'must not be negative').default(0),
})

function refOf(answer: string): string {
  const { batch_id, message_ids } = JSON.parse(answer) as { batch_id: string; message_ids: string[] }
  return batch_id || message_ids[0]!
}

const readState = async (store: Store, user: string, ref: string) =>
  stateOf(store, user, await sendOfRef(store, user, ref))

/** The state of an accepted send, made from its request, for when the database cannot be read. */
function acceptedState(ref: string, { recipients, deviceId, content, options }: SendBody): MessageState {
  const createdAt = new Date().toISOString()
  return {
    id: options.origin?.id || ref,
    deviceId,
    state: 'Pending',
    isHashed: false,
    isEncrypted: false,
    recipients: recipients.map((phoneNumber) => ({ phoneNumber, state: 'Pending' })),
    states: { Pending: createdAt },
    createdAt,
    ...('body' in content && { textMessage: { text: content.body } }),
  }
}

/**
 * Sends. If the named device is not available, sets `scheduledAt` to the present time: then the message waits
 * for the device.
 */
async function sendOrWait(
  services: SendServices,
  sender: Sender,
  body: SendBody,
  idempotency: Idempotency | null,
) {
  try {
    return await send(services, sender, body, idempotency)
  } catch (error) {
    const mayWait = body.deviceId !== '' && isRefusal(error, 'no_devices')
    if (!mayWait) throw isRefusal(error, 'device_not_found') ? unknownDevice() : error
    const options = { ...body.options, scheduledAt: formatDate(new Date()) }
    return send(services, sender, { ...body, options }, idempotency)
  }
}

/** Throws 400 if the user has no device, or the named one lacks the SIM or was last seen too long ago. */
async function checkDevices(
  { db }: Store,
  user: string,
  { deviceId, options: { sim } }: SendBody,
  activeWithinHours: number,
): Promise<void> {
  const since = formatDate(new Date(Math.max(0, Date.now() - activeWithinHours * 3_600_000)))
  const found = await queries(db)
    .selectFrom('devices as d')
    .select(({ eb, exists, selectFrom }) => [
      eb('d.last_seen', '>=', since).as('wasActive'),
      exists(selectFrom('lines as l').whereRef('l.device', '=', 'd.id').where('l.slot', 'in', [sim, 0])).as(
        'hasSim',
      ),
    ])
    .where('d.user', '=', user)
    .$if(deviceId !== '', (query) => query.where('d.id', '=', deviceId))
    .limit(sql.lit(1))
    .executeTakeFirst()
  if (!found) throw deviceId ? unknownDevice() : invalid('You have no device: pair one first')
  const { wasActive, hasSim } = found
  if (deviceId && sim > 0 && !hasSim) throw invalid(`simNumber ${sim} is not a SIM of this device (deviceId)`)
  if (deviceId && activeWithinHours > 0 && !wasActive)
    throw invalid(`deviceId was not active within ${activeWithinHours} hours (deviceActiveWithin)`)
}
