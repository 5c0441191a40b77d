import { z } from 'zod'
import type { Health } from '../../sms/devices/device.ts'
import { MAX_TEXT, optional } from '../../sms/devices/device-body.ts'
import { instant, nonEmptyId, nonEmptyText, text, wholeNumber } from '../../sms/send/shape.ts'

/** Maximum characters of a failure's reason, as in the app. */
const MAX_ERROR = 1_000
const MAX_REPORTS = 500
const MAX_SIMS = 8
const MAX_SENDER = 255

/** A text, cut to `max` characters. It is not refused, as the app does not repeat a refused request. */
const cut = (max: number) =>
  z
    .string('must be a text')
    .transform((value) => value.slice(0, max))
    .pipe(text())

const MAX_ITEMS = 100
/** The first MAX_ITEMS of a list. The rest is ignored: millions of empty items fit into a body. */
const firstOf = <T extends z.ZodType>(item: T) =>
  z.preprocess(
    (list) => (Array.isArray(list) ? list.slice(0, MAX_ITEMS) : list),
    z.array(item, 'must be a list'),
  )

const listOf = <T extends z.ZodType>(item: T) =>
  firstOf(item)
    .nullish()
    .transform((list) => list ?? [])

/** A SIM in the stored form, alone in a list; an empty list if it is in no slot (Android says -1). */
const simCard = z
  .object({ simNumber: z.unknown(), phoneNumber: optional(cut(50)), carrierName: optional(cut(100)) })
  .transform(({ simNumber, phoneNumber, carrierName }) => {
    const slot = slotOf.safeParse(simNumber).data
    return slot
      ? [{ slot, ...(phoneNumber && { number: phoneNumber }), ...(carrierName && { carrier: carrierName }) }]
      : []
  })
const slotOf = wholeNumber(1, MAX_SIMS)

/** The SIMs of a phone; the app masks numbers and names. SIMs without a slot are left out, not refused. */
const simCards = firstOf(simCard).transform((list) => list.flat().slice(0, MAX_SIMS))

/** Bodies that the app sends. Other fields are ignored. */
export const REGISTER_BODY = z.object({ name: optional(cut(255)), simCards: optional(simCards) })

export const UPDATE_BODY = z.object({ id: nonEmptyId(100), simCards: optional(simCards) })

/** Androids before 7 write zones west of Greenwich as `+-5:00` and `+-3:-30`: those are -05:00 and -03:30. */
const OLD_ZONE = /\+-(\d{1,2}):-?(\d\d)$/
const phoneInstant = z
  .string('must be a date')
  .transform((raw) => raw.replace(OLD_ZONE, (_, hours, minutes) => `-${hours.padStart(2, '0')}:${minutes}`))
  .pipe(instant())

/** When a message reached each state, by the phone's clock. Invalid dates are left out. */
const states = z.record(z.string(), z.unknown()).transform((raw) => {
  const read = Object.entries(raw).map(([state, at]) => [state, phoneInstant.safeParse(at).data] as const)
  return Object.fromEntries(read.filter((pair): pair is [string, number] => pair[1] !== undefined))
})

const report = z.object({
  id: z.string('must be a text'),
  /** An unknown state means that the phone still has the message. */
  state: z
    .enum(['Pending', 'Cancelling', 'Cancelled', 'Processed', 'Sent', 'Delivered', 'Failed'])
    .catch('Pending'),
  recipients: listOf(z.object({ error: optional(cut(MAX_ERROR)) })),
  states: states.nullish().transform((map): Record<string, number> => map ?? {}),
})

/** The app's report on a message. Each message has one recipient, as this server sends it. */
export type StateReport = z.output<typeof report>

export const STATES_BODY = z
  .array(report, 'must be a list')
  .max(MAX_REPORTS, `must have at most ${MAX_REPORTS} items`)

export const EVENT_BODY = z.object({
  event: nonEmptyText(100),
  payload: z.record(z.string(), z.unknown()).nullish(),
})

/** Fields of every incoming event. Invalid ones are replaced, since a refused text would be lost. */
const received = {
  /** Some texts have no sender; texts from mails have a long one. */
  sender: cut(MAX_SENDER)
    .nullish()
    .transform((name) => name || 'unknown'),
  recipient: optional(text()),
  simNumber: wholeNumber(0, MAX_SIMS).catch(0),
  /** Some Androids send other units than milliseconds, which give no valid date: then the time of arrival. */
  receivedAt: phoneInstant.catch(() => Date.now()),
}
const content = cut(MAX_TEXT)
  .nullish()
  .transform((value) => value ?? '')

/** Payloads of events about received texts, data and MMS. */
export const TEXT_PAYLOAD = z.object({ ...received, message: content })
export const DATA_PAYLOAD = z.object({ ...received, data: content })
export const MMS_PAYLOAD = z.object({
  ...received,
  subject: content,
  body: content,
  attachments: listOf(
    z.object({
      name: optional(cut(255)),
      contentType: optional(cut(100)),
      size: z.number().optional().catch(undefined),
      /** Base64; absent if the phone could not read the file. */
      data: z.string().catch(''),
    }),
  ),
})
/** A value of the app's health check; undefined if it is unreadable. */
const check = z
  .object({ observedValue: z.number() })
  .transform(({ observedValue }) => observedValue)
  .optional()
  .catch(undefined)

/** The connection by the bits of `connection:transport`, the best first: 8 is Ethernet, 4 Wi-Fi, 2 mobile. */
const connectionOf = (isOnline: number | undefined, transport = 0, mobile = 0): Health['connection'] => {
  if (isOnline === 0) return 'none'
  if (transport & 8) return 'ethernet'
  if (transport & 4) return 'wifi'
  if (transport & 2) return ([undefined, undefined, '2g', '3g', '4g', '5g'] as const)[mobile] ?? 'mobile'
  return undefined
}

/** Any bit of `battery:charging` means plugged in. Source: BatteryMonitor and ConnectionService of the app */
const health = z
  .object({
    'battery:level': check,
    'battery:charging': check,
    'connection:status': check,
    'connection:transport': check,
    'connection:cellular': check,
  })
  .transform((checks): Health => {
    const { 'battery:level': level, 'battery:charging': plugged } = checks
    return {
      battery: level !== undefined && level >= 0 && level <= 100 ? level : undefined,
      charging: plugged === undefined ? undefined : plugged > 0,
      connection: connectionOf(
        checks['connection:status'],
        checks['connection:transport'],
        checks['connection:cellular'],
      ),
    }
  })
export const PING_PAYLOAD = z
  .object({ health: z.object({ checks: health }) })
  .transform((payload) => payload.health.checks)
  .catch({})
export const STARTED_PAYLOAD = z.object({ simCards: optional(simCards) })
