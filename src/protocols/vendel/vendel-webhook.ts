import { createHmac } from 'node:crypto'
import { callWebhook } from '../../gateway/webhooks/call-webhook.ts'
import type { DueDelivery } from '../../gateway/webhooks/load-delivery.ts'
import { isSecret } from '../../gateway/webhooks/sign-webhook.ts'

/** Vendel's event names by ours. Other events are sent as `test`. */
const EVENTS: Readonly<Record<string, string>> = {
  'message.sent': 'sms_sent',
  'message.delivered': 'sms_delivered',
  'message.failed': 'sms_failed',
  'message.received': 'sms_received',
}

/** Fields that only events about outgoing texts have. Empty ones are left out. */
const OF_SENT = ['to', 'status', 'sent_at', 'delivered_at', 'error_message']

/** The body in Vendel's form. Its SDKs check the signature of JSON with sorted keys and no spaces. */
export function writeVendelBody({ event, image }: Pick<DueDelivery, 'event' | 'image'>): string {
  const name = EVENTS[event] ?? 'test'
  const isSent = name !== 'sms_received' && name !== 'test'
  const given = OF_SENT.filter((field) => image[field]).map((field) => [field, image[field]])
  const payload = {
    event: name,
    message_id: image.id,
    timestamp: image.created,
    body: image.body,
    ...(isSent ? Object.fromEntries(given) : { from: image.from || image.to }),
  }
  return JSON.stringify(payload, Object.keys(payload).sort())
}

/** Calls a webhook in Vendel's form. The newest secret signs `x-webhook-signature`. */
export function callVendel(due: DueDelivery, allowPrivate: boolean, signal: AbortSignal) {
  const body = writeVendelBody(due)
  const signature = createHmac('sha256', due.secrets[0]!).update(body).digest('hex')
  const secrets = due.secrets.filter(isSecret)
  const signed = {
    ...due,
    body,
    secrets,
    moreHeaders: () => ({ 'x-webhook-signature': signature }),
  }
  return callWebhook(signed, allowPrivate, signal)
}
