import type { Store } from '../../collections/catalog.ts'
import { randomId } from '../../tools/random.ts'
import type { SendBody } from './body.ts'
import { plainText, writeTexts } from './content.ts'
import type { Idempotency } from './idempotency.ts'
import { credentialsOf, type Offer, offeredMessage } from './offer-shape.ts'
import { chargeOptedOut } from './opted-out-limit.ts'
import { allRecipients } from './recipients.ts'
import { gatewayRefusal } from './refusal.ts'
import { answerJson } from './render-verdict.ts'
import type { Sender } from './sender.ts'

/** Finds the recipients of a checked body and writes their texts. Throws 400, 404, 429. */
export async function prepareOffer(
  store: Store,
  maxRecipients: number,
  sender: Sender,
  body: SendBody,
  idempotency: Idempotency | null,
): Promise<Offer> {
  const { content, deviceId, line, options } = body
  const phones = await allRecipients(store, sender.user, body, maxRecipients)
  await chargeOptedOut(store, sender.user, phones)
  const shared = plainText(content)
  // a template is checked after the device; for a plain text the accepting statement checks the device
  if (deviceId !== '' && shared === null) await checkDevice(store, sender.user, deviceId)
  const texts = await writeTexts(store, sender.user, content, phones)
  if (options.clientRef !== '' && texts.length > 1)
    throw gatewayRefusal('invalid_request', 'client_ref can name one message only')
  const messages = texts.map((text) => offeredMessage(text, shared !== null, options.keepsQuiet))
  const batch = messages.length > 1 ? randomId() : ''
  const ids = messages.map(({ id }) => id)
  const ref = batch || ids[0]!
  return {
    ...options,
    ...credentialsOf(sender),
    device: deviceId || null,
    line: line.id || null,
    from: line.number || null,
    later: options.scheduledAt !== '',
    batch: batch || null,
    body: shared,
    isBulk: options.isBulk || messages.length > 1,
    idempotency: idempotency && { ...idempotency, answer: answerJson(batch, ids) },
    origin: options.origin ? { ...options.origin, id: options.origin.id || ref, ref } : null,
    messages,
  }
}

const OWN_DEVICE = 'select 1 from devices d where d.id = $1 and d."user" = $2'

/** Whether a device is this user's. */
export async function isOwnDevice({ db }: Store, user: string, device: string): Promise<boolean> {
  const { rows } = await db.query(OWN_DEVICE, [device, user], 'sms own device')
  return rows.length > 0
}

/** Throws 404 `device_not_found` for a device that is not the user's. */
export async function checkDevice(store: Store, user: string, id: string): Promise<void> {
  if (!(await isOwnDevice(store, user, id))) throw gatewayRefusal('device_not_found')
}
