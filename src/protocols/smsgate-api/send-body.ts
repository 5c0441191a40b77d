import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { formatDate, toDate } from '../../engine/fields/parse-date.ts'
import {
  acceptNumber,
  checkShape,
  makeIdSchema,
  makeListSchema,
  makeRequiredTextSchema,
  makeTextSchema,
  makeVisibleText,
  makeWholeNumber,
} from '../../gateway/base/body-schemas.ts'
import { readNumbers } from '../../gateway/base/read-numbers.ts'
import { formatInstant } from '../../gateway/messages/send/message-expiry.ts'
import { MAX_FILES } from '../../gateway/messages/send/mms.ts'
import { type AskedMedia, loadMedia } from '../../gateway/messages/send/read-media.ts'
import {
  makePlainSend,
  type SendBody,
  type SendOptions,
} from '../../gateway/messages/send/send-options.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import type { Config } from '../../platform/config.ts'
import { MAX_TEXT_CHARACTERS } from '../../portable/max-text-characters.ts'
import { MAX_DEVICE_ID, makeStoredDateSchema } from './smsgate-values.ts'

const MAX_RECIPIENTS = 100
const MAX_NUMBER = 128
export const MAX_ID = 36
const MIN_TTL_SECONDS = 5
/** Maximum bytes of a send: enough for 12 MiB of pictures in base64. */
export const MAX_SEND_BYTES = 16 << 20

/** The body of a send as SMSGate's clients write it. Unknown fields are ignored, `null` counts as absent. */
export const SEND_BODY = z
  .object({
    phoneNumbers: makeListSchema(
      acceptNumber(makeRequiredTextSchema(MAX_NUMBER)),
      MAX_RECIPIENTS,
    ).describe(
      'In any notation. Without a calling code, they are numbers of the account’s `country`. No number twice.',
    ),
    textMessage: z
      .object({ text: makeVisibleText().meta({ maxLength: MAX_TEXT_CHARACTERS }) })
      .nullish()
      .describe('The text. At most 1,600 characters.'),
    message: makeVisibleText().nullish().describe('The old form of `textMessage.text`.'),
    dataMessage: z.unknown().optional().describe('Refused: this server sends no binary texts.'),
    mmsMessage: z
      .object({
        subject: acceptNumber(makeTextSchema()).nullish(),
        text: acceptNumber(makeTextSchema()).nullish(),
        attachments: z
          .array(
            z.object({
              contentType: z.string().nullish(),
              name: makeTextSchema(255).nullish(),
              data: z.base64('must be base64'),
            }),
          )
          .max(MAX_FILES, `must have at most ${MAX_FILES} items`)
          .nullish(),
      })
      .nullish()
      .describe(
        'Pictures and other files in base64. Without files, it leaves as a text: the subject, then the text.',
      ),
    id: acceptNumber(makeIdSchema(MAX_ID))
      .nullish()
      .describe('An id of yours. One that was used before is refused with 409.'),
    deviceId: makeIdSchema(MAX_DEVICE_ID)
      .nullish()
      .describe('The device that sends. Default: the available devices take turns.'),
    simNumber: makeWholeNumber(1, 3).nullish(),
    priority: makeWholeNumber(-128, 127)
      .nullish()
      .describe('Higher is sent first. Limits of the device hold for every priority.'),
    ttl: makeWholeNumber(MIN_TTL_SECONDS, Number.MAX_SAFE_INTEGER)
      .nullish()
      .describe(
        'Seconds from acceptance after which the text is not sent any more. Excludes `validUntil`.',
      ),
    validUntil: makeStoredDateSchema().nullish(),
    scheduleAt: makeStoredDateSchema().nullish(),
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
export async function readSendBody(
  store: Store,
  user: string,
  raw: unknown,
  now: Date,
  config: Config,
  memory: AskedMedia['memory'],
): Promise<SendBody> {
  const body = checkShape(SEND_BODY, raw)
  if (body.dataMessage != null) throw invalidRequest('dataMessage cannot be sent: send textMessage')
  const contents = [body.message, body.textMessage, body.mmsMessage].filter((one) => one != null)
  if (contents.length > 1)
    throw invalidRequest('message, textMessage and mmsMessage exclude each other')
  const { subject = '', attachments, ...mms } = body.mmsMessage ?? {}
  const hasFiles = attachments != null && attachments.length > 0
  // without files it leaves as a text, which has no subject of its own
  const written = [hasFiles ? '' : subject, mms.text].filter(Boolean).join('\n')
  const words = written || null
  const text = body.textMessage?.text ?? body.message ?? (hasFiles ? (words ?? '') : words)
  if (text == null) throw invalidRequest('textMessage or mmsMessage is required')
  if (body.isEncrypted)
    throw invalidRequest('isEncrypted must be false: numbers and texts are checked here')
  if (body.withDeliveryReport === false)
    throw invalidRequest('withDeliveryReport must be true: delivery reports are always asked for')
  const { ttl, validUntil, scheduleAt: scheduledAt = '' } = body
  if (scheduledAt && scheduledAt <= formatDate(now))
    throw invalidRequest('scheduleAt must lie in the future')
  if (ttl && validUntil) throw invalidRequest('ttl and validUntil exclude each other')
  if (validUntil && toDate(validUntil)! <= now)
    throw invalidRequest('validUntil must lie in the future')
  const expiresAt = ttl ? formatInstant(now.getTime() + ttl * 1000) : (validUntil ?? '')
  if (scheduledAt && expiresAt && scheduledAt > expiresAt)
    throw invalidRequest('scheduleAt must not be after the end of the message (validUntil or ttl)')
  const options: Partial<SendOptions> = {
    scheduledAt: scheduledAt ?? '',
    expiresAt,
    priority: body.priority ?? 0,
    sim: body.simNumber ?? 0,
    origin: { api: 'smsgate', id: body.id ?? '', data: {} },
  }
  const recipients = await requirePhoneNumbers(store, user, body.phoneNumbers)
  return {
    ...makePlainSend(recipients, text, options, body.deviceId ?? ''),
    media: hasFiles
      ? await loadMedia(store, user, config, {
          subject: subject ?? '',
          memory,
          given: attachments.map(({ name, data }, i) => ({
            name: name || `file ${i + 1}`,
            bytes: Buffer.from(data, 'base64'),
          })),
        })
      : undefined,
  }
}

/** The numbers in E.164, in their order. Throws 400 for the first that is invalid or repeated. */
async function requirePhoneNumbers(
  store: Store,
  user: string,
  given: readonly string[],
): Promise<string[]> {
  const numbers = await readNumbers(store, user, given)
  return numbers.map((number, i) => {
    if (number === undefined)
      throw invalidRequest(`phoneNumbers[${i}] must be in E.164 format, for example +4915112345678`)
    if (numbers.indexOf(number) < i) throw invalidRequest(`phoneNumbers[${i}] is there twice`)
    return number
  })
}
