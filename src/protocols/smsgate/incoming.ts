import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { cleanText } from '../../fields/cast.ts'
import { FilesFull } from '../../files/storage-limit.ts'
import { readPhone } from '../../portable/phone/read.ts'
import {
  keepsAttachments,
  type ReceivedText,
  readAttachment,
  receiveTexts,
} from '../../sms/conversations/receive.ts'
import { type Device, saveSims } from '../../sms/devices/device.ts'
import { MAX_TEXT, optional } from '../../sms/devices/device-body.ts'
import { type Health, saveHealth } from '../../sms/devices/health.ts'
import { checkShape } from '../../sms/send/check-shape.ts'
import { instant, text as line, nonEmptyId, nonEmptyText, wholeNumber } from '../../sms/send/schemas.ts'
import { parseJson } from '../../tools/json.ts'
import { noteClock } from './phone.ts'
import { DATA_URL } from './wire.ts'

/** Maximum characters of a failure's reason, as in the app. */
const MAX_ERROR = 1_000
const MAX_REPORTS = 500
const MAX_SIMS = 8
const MAX_SENDER = 255

/** A text, cut to `max` characters instead of refused: the app does not repeat a refused request. */
const cut = (max: number) =>
  z
    .string('must be a text')
    .transform((value) => value.slice(0, max))
    .pipe(line())

const MAX_ITEMS = 100
/** The first MAX_ITEMS of a list. The rest is ignored: millions of empty items fit into a body. */
const firstOf = <T extends z.ZodType>(item: T) =>
  z.preprocess((list) => (Array.isArray(list) ? list.slice(0, MAX_ITEMS) : list), z.array(item))

const listOf = <T extends z.ZodType>(item: T) =>
  firstOf(item)
    .nullish()
    .transform((list) => list ?? [])

/** A list with the SIM in the stored form; empty for a SIM without a slot (Android says -1). */
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

export const REGISTER_BODY = z.object({ name: optional(cut(255)), simCards: optional(simCards) })

export const UPDATE_BODY = z.object({ id: nonEmptyId(100), simCards: optional(simCards) })

/** Android before 7 writes time zones such as -05:00 and -03:30 as `+-5:00` and `+-3:-30`. */
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

/** The app's report on a message. A message from this server has one recipient. */
export type StateReport = z.output<typeof report>

export const STATES_BODY = z
  .array(report, 'must be a list')
  .max(MAX_REPORTS, `must have at most ${MAX_REPORTS} items`)

export const EVENT_BODY = z.object({
  event: nonEmptyText(100),
  payload: z.record(z.string(), z.unknown()).nullish(),
})

/** Fields of every received text. Invalid values are replaced, since a refused text would be lost. */
const received = {
  /** Some texts have no sender; texts from mails have a long one. */
  sender: cut(MAX_SENDER)
    .nullish()
    .transform((name) => name || 'unknown'),
  recipient: optional(line()),
  simNumber: wholeNumber(0, MAX_SIMS).catch(0),
  /** The time of arrival if the date is invalid: some phones send other units than milliseconds. */
  receivedAt: phoneInstant.catch(() => Date.now()),
}
const content = cut(MAX_TEXT)
  .nullish()
  .transform((value) => value ?? '')

/** A received SMS. DATA_PAYLOAD and MMS_PAYLOAD: a binary SMS and an MMS. */
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

/** The best connection in the bits of `connection:transport`: 8 is Ethernet, 4 Wi-Fi, 2 mobile. */
const connectionOf = (isOnline: number | undefined, transport = 0, mobile = 0): Health['connection'] => {
  if (isOnline === 0) return 'none'
  if (transport & 8) return 'ethernet'
  if (transport & 4) return 'wifi'
  if (transport & 2) return ([undefined, undefined, '2g', '3g', '4g', '5g'] as const)[mobile] ?? 'mobile'
  return undefined
}

/** Any bit of `battery:charging` means plugged in. Source: the app's BatteryMonitor, ConnectionService */
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
const PING_PAYLOAD = z
  .object({ health: z.object({ checks: health }) })
  .transform((payload) => payload.health.checks)
  .catch({})
export const STARTED_PAYLOAD = z.object({ simCards: optional(simCards) })

/** A phone's post with X-Timestamp (seconds) and X-Signature (hex of an HMAC-SHA256). */
export interface Posted {
  readonly body: Buffer
  readonly timestamp: string
  readonly signature: string
}

const SECONDS = /^\d{1,12}$/
const SIGNATURE = /^[0-9a-f]{64}$/i

/** Whether body and timestamp are signed with the phone's key. Compares in constant time. */
export function isSigned(key: string, { body, timestamp, signature }: Posted): boolean {
  if (!SECONDS.test(timestamp) || !SIGNATURE.test(signature)) return false
  const expected = createHmac('sha256', key).update(body).update(timestamp).digest()
  return timingSafeEqual(Buffer.from(signature, 'hex'), expected)
}

type Limits = Pick<Config, 'maxAttachments' | 'maxAttachmentBytes'>
const NO_FILES: Limits = { maxAttachments: 0, maxAttachmentBytes: 0 }

const TEXTS: Readonly<Record<string, (payload: unknown, limits: Limits) => Text | Promise<Text>>> = {
  'sms:received': (raw) => {
    const payload = checkShape(TEXT_PAYLOAD, raw)
    return toText(payload, payload.message)
  },
  'sms:data-received': (raw) => {
    const payload = checkShape(DATA_PAYLOAD, raw)
    return toText(payload, DATA_URL + payload.data)
  },
  'mms:downloaded': (raw, limits) => readMms(checkShape(MMS_PAYLOAD, raw), limits),
}

/** `to`: the number that received the text; '' if the phone does not say. */
type Text = ReceivedText & { readonly to: string }

function toText(
  { sender, recipient, simNumber, receivedAt }: Omit<z.output<typeof TEXT_PAYLOAD>, 'message'>,
  body: string,
): Text {
  const to = readPhone(recipient ?? '').phone ?? ''
  return { from: sender, body: cleanText(body.slice(0, MAX_TEXT)), receivedAt, sim: simNumber, to }
}

type Mms = z.output<typeof MMS_PAYLOAD>

/**
 * Reads an MMS. The result's `body` has the subject, the text and a line for each file that is left out.
 * Without subject and text it also names the kept files. `identity` names all files, to recognize repeats.
 */
async function readMms(payload: Mms, { maxAttachments, maxAttachmentBytes }: Limits): Promise<Text> {
  let room = maxAttachmentBytes
  const files = payload.attachments.map((part) => ({ part, content: Buffer.from(part.data, 'base64') }))
  const kept = files
    .filter(({ content: { length } }) => {
      const fits = length > 0 && length <= room
      if (fits) room -= length
      return fits
    })
    .slice(0, maxAttachments)
  const left = files.filter((file) => !kept.includes(file))
  const written = [payload.subject, payload.body].filter(Boolean)
  const named = (list: typeof files, word: string) => list.map(({ part }) => lineOf(word, part))
  const all = [...written, ...named(files, 'Attachment:')]
  const shown = [
    ...(written.length > 0 ? written : named(kept, 'Attachment:')),
    ...named(left, 'Attachment left out:'),
  ]
  return {
    ...toText(payload, shown.join('\n')),
    identity: toText(payload, all.join('\n')).body,
    attachments: await Promise.all(kept.map(({ part, content }) => readAttachment(part.name ?? '', content))),
  }
}

const lineOf = (word: string, { name, contentType, size }: Mms['attachments'][number]): string =>
  [word, name, contentType, size !== undefined && `${size} bytes`].filter(Boolean).join(' ')

/** Stores the text, SIMs or health of an event whose signature was checked. Throws 400 if it is invalid. */
export async function takeEvent(
  store: Store,
  device: Device,
  { body, timestamp }: Posted,
  config: Limits & Pick<Config, 'optWords' | 'maxAccountFileBytes'>,
): Promise<void> {
  await noteClock(store, device, Number(timestamp) * 1000 - Date.now())
  const { event, payload } = checkShape(EVENT_BODY, parseJson(body.toString('utf8')))
  const read = Object.hasOwn(TEXTS, event) ? TEXTS[event] : undefined
  if (read) {
    const take = async (limits: Limits) => {
      const { to, ...text } = await read(payload, limits)
      const texts = [{ ...text, maxFileBytes: config.maxAccountFileBytes }]
      await receiveTexts(store, { ...device, phone: to || device.phone }, texts, config.optWords)
    }
    // if this server stores no files, or the account has no room for them, keep only their names in the text
    await take(keepsAttachments(store) ? config : NO_FILES).catch((error: unknown) => {
      if (!(error instanceof FilesFull)) throw error
      return take(NO_FILES)
    })
  } else if (event === 'app:started') {
    const { simCards } = checkShape(STARTED_PAYLOAD, payload ?? {})
    if (simCards) await saveSims(store, device, simCards)
  } else if (event === 'system:ping') await saveHealth(store, device, PING_PAYLOAD.parse(payload))
}
