import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { FilesFull } from '../../engine/files/storage-limit.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import type { Config } from '../../platform/config.ts'
import type { Logger } from '../../platform/log.ts'
import { parseJson } from '../../platform/tools/json.ts'
import { checkShape, makeRequiredTextSchema } from '../base/body-schemas.ts'
import { type Device, saveSims } from '../base/device-record.ts'
import { keepsAttachments } from '../conversations/store-attachments.ts'
import { receiveTexts } from '../conversations/store-received-texts.ts'
import { type Health, saveHealth } from '../lines/phone-health.ts'
import { takeFirstItems } from './lenient-schemas.ts'
import { noteClock } from './note-clock.ts'
import { type AttachmentLimits, NO_FILES, TEXTS } from './read-received-texts.ts'
import { STARTED_PAYLOAD } from './sim-cards.ts'

/** A value of the app's health check; undefined if it is unreadable. */
const check = z
  .object({ observedValue: z.number() })
  .transform(({ observedValue }) => observedValue)
  .optional()
  .catch(undefined)

/** The best connection in the bits of `connection:transport`: 8 is Ethernet, 4 Wi-Fi, 2 mobile. */
const readConnection = (
  isOnline: number | undefined,
  transport = 0,
  mobile = 0,
): Health['connection'] => {
  if (isOnline === 0) return 'none'
  if (transport & 8) return 'ethernet'
  if (transport & 4) return 'wifi'
  if (transport & 2)
    return ([undefined, undefined, '2g', '3g', '4g', '5g'] as const)[mobile] ?? 'mobile'
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
      connection: readConnection(
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

export const EVENT_BODY = z.object({
  event: makeRequiredTextSchema(100),
  payload: z.record(z.string(), z.unknown()).nullish(),
})

/** A batch of texts: `sms:batch:received` has up to 100 payloads of `sms:received`. */
const BATCH = ':batch:'
const BATCH_PAYLOAD = z.object({ messages: takeFirstItems(z.record(z.string(), z.unknown())) })

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

/** Announcements: of an MMS that `mms:downloaded` brings, and of states that the app reports apart. */
const WITHOUT_EFFECT = ['mms:received', 'sms:sent', 'sms:delivered', 'sms:failed', 'sms:cancelled']

/**
 * Stores the texts, SIMs or health of an event whose signature was checked. Throws 400 if the event is
 * invalid or unknown.
 */
export async function storeEvent(
  store: Store,
  device: Device,
  { body, timestamp }: Posted,
  config: AttachmentLimits & Pick<Config, 'optWords' | 'maxAccountFileBytes'>,
  log: Logger,
): Promise<void> {
  await noteClock(store, device, Number(timestamp) * 1000 - Date.now())
  const { event, payload } = checkShape(EVENT_BODY, parseJson(body.toString('utf8')))
  const single = event.replace(BATCH, ':')
  const read = Object.hasOwn(TEXTS, single) ? TEXTS[single] : undefined
  if (read) {
    const payloads = event === single ? [payload] : checkShape(BATCH_PAYLOAD, payload).messages
    for (const each of payloads) {
      const take = async (limits: AttachmentLimits) => {
        const { to, ...text } = await read(each, limits)
        const texts = [{ ...text, maxFileBytes: config.maxAccountFileBytes }]
        await receiveTexts(store, { ...device, phone: to || device.phone }, texts, config.optWords)
      }
      // without files, or without room for them in the account, keep only their names in the text
      await take(keepsAttachments(store) ? config : NO_FILES).catch((error: unknown) => {
        if (!(error instanceof FilesFull)) throw error
        return take(NO_FILES)
      })
    }
  } else if (event === 'app:started') {
    const { simCards } = checkShape(STARTED_PAYLOAD, payload ?? {})
    if (simCards) await saveSims(store, device, simCards)
  } else if (event === 'system:ping') await saveHealth(store, device, PING_PAYLOAD.parse(payload))
  else if (!WITHOUT_EFFECT.includes(single)) {
    const keys = Object.keys(payload ?? {})
    log.warn(
      { device: device.id, event: event.slice(0, 100), keys },
      'a phone posted an unknown event',
    )
    // the app keeps what is refused, and posts it again
    throw invalidRequest('This server does not know the event')
  }
}
