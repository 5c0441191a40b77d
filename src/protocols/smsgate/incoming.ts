import { createHmac, timingSafeEqual } from 'node:crypto'
import type { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { runForRow, statement, text } from '../../db/statement.ts'
import { cleanText } from '../../fields/values/cast.ts'
import { FilesFull } from '../../files/contents.ts'
import { E164 } from '../../portable/phone.ts'
import { isDisabledSql } from '../../records/fresh-auth.ts'
import { keepsAttachments, readAttachment } from '../../sms/conversations/attachments.ts'
import { type ReceivedText, receiveTexts } from '../../sms/conversations/receive.ts'
import { type Device, saveHealth, saveSims } from '../../sms/devices/device.ts'
import { MAX_TEXT } from '../../sms/devices/device-body.ts'
import { checkShape } from '../../sms/send/shape.ts'
import { parseJson } from '../../tools/json.ts'
import { DATA_PAYLOAD, EVENT_BODY, MMS_PAYLOAD, PING_PAYLOAD, STARTED_PAYLOAD, TEXT_PAYLOAD } from './body.ts'
import { noteClock } from './phone.ts'
import { DATA_URL } from './wire.ts'

const FIND = statement('smsgate poster', {
  ...{ id: 'string', user: 'string', phone: 'string', enabled: 'boolean', lastSeen: 'string' },
  ...{ signingKey: 'string', isSuspended: 'boolean' },
})`
select d.id, d."user", d.phone, d.enabled, d.last_seen as "lastSeen", p.signing_key as "signingKey",
  ${isDisabledSql('d."user"')} as "isSuspended"
from smsgate_phones p join devices d on d.id = p.device and d."user" = p."user" where p.path = ${text('path')}`

/** The phone whose path this is, and the key with which it signs; null if there is none. */
export async function findPoster({ db }: Store, path: string) {
  const found = await runForRow(db, FIND, { path })
  if (!found) return null
  const { signingKey, isSuspended, ...device } = found
  return { device: { ...device, isLimited: false }, signingKey, isSuspended }
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

/** `to`: the number it came to, '' when the phone does not say. */
type Text = ReceivedText & { readonly to: string }

function toText(
  { sender, recipient, simNumber, receivedAt }: Omit<z.output<typeof TEXT_PAYLOAD>, 'message'>,
  body: string,
): Text {
  const to = recipient && E164.test(recipient) ? recipient : ''
  return { from: sender, body: cleanText(body.slice(0, MAX_TEXT)), receivedAt, sim: simNumber, to }
}

type Mms = z.output<typeof MMS_PAYLOAD>

/**
 * The body has subject, text and a line for each file left out; without subject and text also a line for each
 * kept file, so that it is not empty. `identity`, which shows repeats, has a line for every file.
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

/** Stores the text, SIMs or health in an event that a phone posted and signed. Throws 400. */
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
    // at the account's storage limit, store the text without files; it names them
    await take(keepsAttachments(store) ? config : NO_FILES).catch((error: unknown) => {
      if (!(error instanceof FilesFull)) throw error
      return take(NO_FILES)
    })
  } else if (event === 'app:started') {
    const { simCards } = checkShape(STARTED_PAYLOAD, payload ?? {})
    if (simCards) await saveSims(store, device, simCards)
  } else if (event === 'system:ping') await saveHealth(store, device, PING_PAYLOAD.parse(payload))
}
