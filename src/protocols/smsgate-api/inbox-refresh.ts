import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { toDate } from '../../engine/fields/parse-date.ts'
import { checkShape, makeIdSchema } from '../../gateway/base/body-schemas.ts'
import { isOwnDeviceOrLine } from '../../gateway/messages/send/prepare-offer.ts'
import { requestInbox } from '../../gateway/smsgate-app/inbox-request.ts'
import { redeliverTexts } from '../../gateway/webhooks/redeliver-texts.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import {
  MAX_DEVICE_ID,
  makeDeviceError,
  makeStoredDateSchema,
  toIsoDate,
} from './smsgate-values.ts'

const MAX_DAYS = 31
const DAY_MS = 86_400_000

/** A request that phones post their received texts again (inbox refresh). */
export const REFRESH_BODY = z
  .object({
    since: makeStoredDateSchema(),
    until: makeStoredDateSchema(),
    deviceId: makeIdSchema(MAX_DEVICE_ID).nullish().describe('Left out: all devices.'),
    messageTypes: z
      .array(z.enum(['SMS', 'MMS'], 'must be SMS or MMS'), 'must be a list')
      .max(10)
      .nullish()
      .describe('Phones always hand in both.'),
    webhookDelivery: z
      .enum(['Disabled', 'Individual', 'Batch'], 'must be Disabled or Individual')
      .nullish()
      .describe('`Individual`: call `sms:received` webhooks again for the stored texts.'),
    triggerWebhooks: z.boolean('must be true or false').nullish().describe('True: `Individual`.'),
  })
  .meta({ id: 'SmsgateInboxRefresh' })

/** Reads the body of an inbox refresh; no device becomes ''. Throws 400 that names the first wrong field. */
function readRefreshBody(raw: unknown) {
  const { since, until, deviceId, webhookDelivery, triggerWebhooks } = checkShape(REFRESH_BODY, raw)
  if (since > until) throw invalidRequest('since must not be after until')
  if (toDate(until)!.getTime() - toDate(since)!.getTime() > MAX_DAYS * DAY_MS)
    throw invalidRequest(`until must be at most ${MAX_DAYS} days after since`)
  if (webhookDelivery === 'Batch')
    throw invalidRequest('webhookDelivery must be Disabled or Individual')
  const tellsWebhooks = webhookDelivery === 'Individual' || triggerWebhooks === true
  return { since, until, device: deviceId ?? '', tellsWebhooks }
}

/**
 * Makes phones post their inboxes again. Repeats webhook calls if the body says so, or if `always` is true.
 */
export async function refreshInbox(store: Store, user: string, body: unknown, always = false) {
  const refresh = readRefreshBody(body)
  const { since, until, device } = refresh
  const tellsWebhooks = always || refresh.tellsWebhooks
  if (device !== '' && !(await isOwnDeviceOrLine(store, 'devices', user, device)))
    throw makeDeviceError()
  // phones first: if this fails, no webhook call is repeated; texts that are posted twice are stored once
  const phones = await requestInbox(store, user, device, {
    since: toIsoDate(since),
    until: toIsoDate(until),
  })
  if (tellsWebhooks) await redeliverTexts(store, user, refresh)
  if (phones === 0 && !tellsWebhooks)
    throw invalidRequest(
      'webhookDelivery must be Individual: none of these devices is an SMSGate phone',
    )
  // some clients cannot read an empty body, or the text that SMSGate's server answers
  return {}
}
