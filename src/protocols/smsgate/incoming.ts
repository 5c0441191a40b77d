import { createHmac, timingSafeEqual } from 'node:crypto'
import type { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import { cleanText } from '../../fields/values/cast.ts'
import { isDisabledSql } from '../../records/auth/disabled.ts'
import { type Device, saveSims } from '../../sms/devices/device.ts'
import { MAX_TEXT } from '../../sms/devices/device-body.ts'
import { type ReceivedText, receiveTexts } from '../../sms/inbound/receive.ts'
import type { OptWords } from '../../sms/queue/opt-out.ts'
import { E164 } from '../../sms/send/phone.ts'
import { gatewayRefusal } from '../../sms/send/refusal.ts'
import { checkShape } from '../../sms/send/shape.ts'
import { DATA_PAYLOAD, EVENT_BODY, MMS_PAYLOAD, STARTED_PAYLOAD, TEXT_PAYLOAD } from './body.ts'
import { noteClock } from './phone.ts'
import { DATA_URL } from './wire.ts'

/** A phone that posts an event, and the key with which it signs. */
export interface Poster {
  readonly device: Device
  readonly signingKey: string
  readonly isSuspended: boolean
}

const FIND = `select d.id, d."user", d.phone, d.enabled, d.last_seen, p.signing_key, ${isDisabledSql('d."user"')}
  from smsgate_phones p join devices d on d.id = p.device and d."user" = p."user" where p.path = $1`

/** The phone whose path this is, or null. */
export async function findPoster({ db }: Store, path: string): Promise<Poster | null> {
  const { rows } = await db.query(FIND, [path], 'smsgate poster')
  if (!rows[0]) return null
  const [id, user, phone, enabled, lastSeen, signingKey, isSuspended] = rows[0]
  const device = { id, user, phone, enabled, lastSeen, isLimited: false } as Device
  return { device, signingKey: String(signingKey), isSuspended: isSuspended === true }
}

/** What a phone posted, and what it says in X-Timestamp (seconds) and X-Signature (hex of an HMAC-SHA256). */
export interface Posted {
  readonly body: Buffer
  readonly timestamp: string
  readonly signature: string
}

const SECONDS = /^\d{1,12}$/
const SIGNATURE = /^[0-9a-f]{64}$/i

/** Whether the phone signed body and timestamp with its key, in constant time. */
export function isSigned(key: string, { body, timestamp, signature }: Posted): boolean {
  if (!SECONDS.test(timestamp) || !SIGNATURE.test(signature)) return false
  const expected = createHmac('sha256', key).update(body).update(timestamp).digest()
  return timingSafeEqual(Buffer.from(signature, 'hex'), expected)
}

/** How each event that brings something in becomes a text. */
const TEXTS: Readonly<Record<string, (payload: unknown) => Text>> = {
  'sms:received': (raw) => {
    const payload = checkShape(TEXT_PAYLOAD, raw)
    return toText(payload, payload.message)
  },
  'sms:data-received': (raw) => {
    const payload = checkShape(DATA_PAYLOAD, raw)
    return toText(payload, DATA_URL + payload.data)
  },
  'mms:downloaded': (raw) => {
    const payload = checkShape(MMS_PAYLOAD, raw)
    return toText(payload, mmsText(payload))
  },
}

/** `to`: the number it came to, '' when the phone does not say. */
type Text = ReceivedText & { readonly to: string }

function toText(
  { sender, recipient, simNumber, receivedAt }: Omit<z.output<typeof TEXT_PAYLOAD>, 'message'>,
  body: string,
): Text {
  const to = recipient && E164.test(recipient) ? recipient : ''
  return { from: sender, body: cleanText(body.slice(0, MAX_TEXT)), receivedAt, sim: simNumber, to }
}

/** Subject, text and a line for each attachment, whose content is not kept. */
function mmsText({ subject, body, attachments }: z.output<typeof MMS_PAYLOAD>): string {
  const names = attachments.map(({ name, contentType, size }) =>
    ['Attachment:', name, contentType, size !== undefined && `${size} bytes`].filter(Boolean).join(' '),
  )
  return [subject, body, ...names].filter(Boolean).join('\n')
}

/**
 * Takes an event that a phone posted and signed. Device, sender, instant and text identify a text
 * (sms/inbound/receive). Other events are a sign of life. Throws 400.
 */
export async function takeEvent(
  store: Store,
  device: Device,
  { body, timestamp }: Posted,
  optWords: OptWords,
): Promise<void> {
  await noteClock(store, device, Number(timestamp) * 1000 - Date.now())
  const { event, payload } = checkShape(EVENT_BODY, readJson(body))
  const read = Object.hasOwn(TEXTS, event) ? TEXTS[event] : undefined
  if (read) {
    const { to, ...text } = read(payload)
    await receiveTexts(store, { ...device, phone: to || device.phone }, [text], optWords)
  } else if (event === 'app:started') {
    const { simCards } = checkShape(STARTED_PAYLOAD, payload ?? {})
    if (simCards) await saveSims(store, device, simCards)
  }
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw gatewayRefusal('invalid_request', 'The body must be a JSON object')
  }
}
