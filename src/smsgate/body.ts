import { z } from 'zod'
import { MAX_TEXT } from '../sms/devices/device-body.ts'
import { instant, nonEmptyId, nonEmptyText, text, wholeNumber } from '../sms/send/shape.ts'

/** What the app keeps of one reason. */
const MAX_ERROR = 1_000
const MAX_REPORTS = 500
const MAX_SIMS = 8
const MAX_SENDER = 255

const optional = <T extends z.ZodType>(shape: T) => shape.nullish().transform((value) => value ?? undefined)

/**
 * SIMs as the app lists them, in the form in which devices keep theirs. It masks numbers and names itself.
 */
const simCards = z
  .array(
    z
      .object({
        simNumber: wholeNumber(1, MAX_SIMS),
        phoneNumber: optional(text(50)),
        carrierName: optional(text(100)),
      })
      .transform(({ simNumber, phoneNumber, carrierName }) => ({
        slot: simNumber,
        ...(phoneNumber && { number: phoneNumber }),
        ...(carrierName && { carrier: carrierName }),
      })),
    'must be a list',
  )
  .max(MAX_SIMS, `must have at most ${MAX_SIMS} items`)

/** The shapes of what the app sends. It names more fields, which we do not read. */
export const REGISTER_BODY = z.object({ name: optional(text(255)), simCards: optional(simCards) })

export const UPDATE_BODY = z.object({ id: nonEmptyId(100), simCards: optional(simCards) })

export const PASSWORD_BODY = z.object({
  currentPassword: z.string('must be a text'),
  newPassword: z.string('must be a text').min(14, 'must have at least 14 characters'),
})

/** Instants by state, by the phone's clock; one that is no date is left out. */
const states = z.record(z.string(), z.unknown()).transform((raw) => {
  const read = Object.entries(raw).map(([state, at]) => [state, instant().safeParse(at).data] as const)
  return Object.fromEntries(read.filter((pair): pair is [string, number] => pair[1] !== undefined))
})

const report = z.object({
  id: z.string('must be a text'),
  state: z.enum(
    ['Pending', 'Cancelling', 'Cancelled', 'Processed', 'Sent', 'Delivered', 'Failed'],
    'must be a state of the app',
  ),
  recipients: z
    .array(
      z.object({
        error: optional(
          z
            .string()
            .transform((error) => error.slice(0, MAX_ERROR))
            .pipe(text()),
        ),
      }),
    )
    .nullish()
    .transform((list) => list ?? []),
  states: states.nullish().transform((map): Record<string, number> => map ?? {}),
})

/** What the app says of a message: one recipient each, as we send them. */
export type StateReport = z.output<typeof report>

export const STATES_BODY = z
  .array(report, 'must be a list')
  .max(MAX_REPORTS, `must have at most ${MAX_REPORTS} items`)

export const EVENT_BODY = z.object({
  event: nonEmptyText(100),
  payload: z.record(z.string(), z.unknown()).nullish(),
})

/**
 * Some texts have no sender, and what was mailed has a long one. The phone gives up on what is refused:
 * nothing is, for its name.
 */
const sender = text()
  .nullish()
  .transform((name) => name?.slice(0, MAX_SENDER) || 'unknown')

const received = {
  sender,
  recipient: optional(text()),
  simNumber: optional(wholeNumber(0, MAX_SIMS)),
  receivedAt: instant(),
}

/** Payloads of the events that bring something in. */
export const TEXT_PAYLOAD = z.object({ ...received, message: text(MAX_TEXT) })
export const DATA_PAYLOAD = z.object({ ...received, data: text(MAX_TEXT) })
export const MMS_PAYLOAD = z.object({
  ...received,
  subject: optional(text(MAX_TEXT)),
  body: optional(text(MAX_TEXT)),
  attachments: z
    .array(
      z.object({
        name: optional(text(255)),
        contentType: optional(text(100)),
        size: optional(z.number()),
      }),
    )
    .nullish()
    .transform((list) => list ?? []),
})
export const STARTED_PAYLOAD = z.object({ simCards: optional(simCards) })
