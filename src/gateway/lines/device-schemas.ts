import { z } from 'zod'
import { MAX_SIMS } from '../../portable/max-sims.ts'
import { PAIRING_CODE, readTypedCode } from '../../portable/typed-code.ts'
import { MAX_RECEIVED_SUBJECT } from '../../portable/written-words.ts'
import {
  makeInstantSchema,
  makeListSchema,
  makeRequiredIdSchema,
  makeRequiredTextSchema,
  makeTextSchema,
  makeWholeNumber,
} from '../base/body-schemas.ts'
import { CONNECTIONS } from './phone-health.ts'
import { SUBSCRIPTION } from './web-push.ts'

const MAX_ITEMS = 100
const MAX_WAIT = 30
/** Maximum characters of a text: 255 parts of 153 characters. 3GPP TS 23.040, 9.2.3.24.1 */
export const MAX_TEXT = 39_015
const MAX_ATTEMPT = 2 ** 31 - 1

/** An optional field, in which `null` counts as absent. */
export const makeOptionalField = <T extends z.ZodType>(shape: T) =>
  shape.nullish().transform((value) => value ?? undefined)

const makeNumberBetween = (min: number, max: number) => {
  const fault = `must be from ${min} to ${max}`
  return z.number().min(min, fault).max(max, fault)
}

const name = makeTextSchema(255)
const sims = z
  .array(z.record(z.string(), z.unknown()))
  .max(MAX_SIMS, `must have at most ${MAX_SIMS} items`)
  .describe('The SIM cards in the device, as it names them. Its owner sees them unchanged.')
const push = SUBSCRIPTION.nullable()

/** The body that asks for a pairing code. In each body for `/api/devices`, `null` counts as absent. */
export const PAIRING_BODY = z
  .object({ name: name.nullish().describe('A name for the device that will join.') })
  .meta({ id: 'PairingRequest' })

export const PAIR_BODY = z
  .object({
    code: z
      .string()
      .describe('The six digits that the user was shown.')
      .transform(readTypedCode)
      .pipe(z.string().regex(PAIRING_CODE, 'must have 6 digits')),
    name: name.nullish().describe('Left out, the name that the user gave with the code.'),
    platform: z
      .enum(['android', 'modem', 'simulator', 'carrier', 'other'])
      .describe(
        'The kind of device. A `simulator` sends nothing over the air: if the user has another device, it gets only messages that name it or its line. A `carrier` may be kept for failures of the other devices.',
      ),
    phone: makeTextSchema(50).nullish().describe('The number of the device, if known.'),
    sims: sims.nullish(),
    push: push.nullish().describe('A Web Push or UnifiedPush subscription to wake it by.'),
  })
  .meta({ id: 'PairRequest' })

export const HEARTBEAT_BODY = z
  .object({
    battery: makeNumberBetween(0, 100).nullish().describe('Charge in percent.'),
    charging: z.boolean().nullish().describe('Whether it is plugged in.'),
    connection: z.enum(CONNECTIONS).nullish().describe('How it reaches the internet.'),
    android: makeWholeNumber(1, 1_000)
      .nullish()
      .describe('The API level of its Android, such as 37 of Android 17.'),
    sims: sims.nullish(),
    mms: z.boolean().nullish().describe('Whether it can send MMS; stored as `mms` of its lines.'),
  })
  .meta({ id: 'Heartbeat' })

/** The fields of PUSH_BODY: one object, because some generators make wrong code of a choice of two. */
export const PUSH = z
  .object({
    push: push
      .optional()
      .describe('The subscription; `null` ends it. Or its fields beside this one.'),
    ...SUBSCRIPTION.partial().shape,
  })
  .meta({ id: 'Push' })

/** A push subscription, or `null` to end it. Also accepted as `{"push": …}`, as in PAIR_BODY. */
export const PUSH_BODY = PUSH.nullable()
  .transform((body) => (body?.push === undefined ? body : body.push))
  .pipe(push)

export const CLAIM_BODY = z
  .object({
    limit: makeWholeNumber(1, MAX_ITEMS)
      .nullish()
      .describe('Maximum number of messages. Default: 10.'),
    wait: makeNumberBetween(0, MAX_WAIT)
      .nullish()
      .describe('Seconds to wait if there is no message. Default: 0.'),
    mms: z
      .boolean()
      .nullish()
      .describe('True if it sends MMS with their files. Else other lines send them.'),
  })
  .meta({ id: 'Claim' })

const report = z
  .object({
    id: makeRequiredIdSchema(100),
    attempt: makeWholeNumber(0, MAX_ATTEMPT).describe('The attempt that the claim returned.'),
    status: z.enum(['sent', 'delivered', 'failed']),
    error_message: makeOptionalField(makeTextSchema(1000)).describe(
      'Why it failed, in words for the user.',
    ),
    at: makeOptionalField(makeInstantSchema()).describe("When, by the device's clock."),
    not_sent: makeOptionalField(z.boolean()).describe(
      'With `failed`: proof that nothing went out, so that the message may be given to a device again.',
    ),
    channel: makeOptionalField(z.literal('rcs')).describe(
      'With `delivered`: `rcs` if it arrived by RCS. The `detail` of its step says so.',
    ),
  })
  .refine(({ status, not_sent }) => !not_sent || status === 'failed', {
    abort: true,
    path: ['not_sent'],
    error: 'can only be said with the status failed',
  })
export const REPORT_BODY = z
  .object({ items: makeListSchema(report, MAX_ITEMS) })
  .meta({ id: 'Reports' })

const received = z
  .object({
    from: makeRequiredTextSchema(50).describe(
      'The sender: a name, a short code or a number. A number without its calling code is completed by the country of the SIM, else of the account.',
    ),
    body: makeTextSchema(MAX_TEXT),
    subject: makeTextSchema(MAX_RECEIVED_SUBJECT)
      .nullish()
      .describe('The subject of an MMS. It is the first line of `body`, too, possibly with more.'),
    received_at: makeInstantSchema().describe(
      'When the text arrived. Device, sender, instant and text identify it: a repeated report is not stored again.',
    ),
    sim: makeWholeNumber(0, MAX_SIMS).nullish().describe('Slot of the SIM that received it.'),
  })
  .transform(({ from, body, subject, received_at, sim }) => ({
    from,
    body,
    ...(subject && { subject }),
    receivedAt: received_at,
    sim: sim ?? 0,
  }))
const typed = z
  .object({
    to: makeRequiredTextSchema(50).describe(
      'The recipient. Completed as the sender of a received text.',
    ),
    body: makeTextSchema(MAX_TEXT),
    sent_at: makeInstantSchema().describe(
      'When it was sent. A repeated report is not stored again, nor a text that was deleted.',
    ),
    sim: makeWholeNumber(0, MAX_SIMS).nullish().describe('Slot of the SIM that sent it.'),
  })
  .transform(({ to, body, sent_at, sim }) => ({ to, body, sentAt: sent_at, sim: sim ?? 0 }))
export const TYPED_BODY = z
  .object({ items: makeListSchema(typed, MAX_ITEMS) })
  .meta({ id: 'TypedTexts' })

export const INCOMING_BODY = z
  .object({ items: makeListSchema(received, MAX_ITEMS) })
  .meta({ id: 'ReceivedTexts' })
