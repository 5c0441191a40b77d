import { createHmac } from 'node:crypto'
import { toDate } from '../../engine/fields/parse-date.ts'
import type { BodyForm } from '../../gateway/webhooks/load-delivery.ts'
import type { TableRow } from '../../platform/db/execute-statement.ts'
import { DATA_URL } from '../../portable/data-url.ts'

/** SMSGate's events, and ours that cause them. A cancellation is a failure with the reason `Canceled`. */
export const SMSGATE_EVENTS = {
  'sms:received': 'message.received',
  'sms:data-received': 'message.received',
  'sms:sent': 'message.sent',
  'sms:delivered': 'message.delivered',
  'sms:failed': 'message.failed',
  'sms:cancelled': 'message.failed',
} as const
export type SmsgateEvent = keyof typeof SMSGATE_EVENTS

interface SmsgateHook {
  readonly event: SmsgateEvent
  /** The webhook's id for SMSGate's clients. */
  readonly id: string
  readonly signingKey: string
  /** The id of the message's send in SMSGate's API; null for a message that another API sent. */
  readonly sendId: string | null
  /** The number of the message's device; null if that is unknown. */
  readonly devicePhone: string | null
  readonly message: EventMessage
}

/** A message's row as it was after the event. Dates are in PocketBase's form. */
type EventMessage = TableRow<'sms_messages'>

type Details = (message: EventMessage, at: string) => Readonly<Record<string, unknown>>

const toIsoDate = (stored: string, otherwise: string) => toDate(stored)?.toISOString() ?? otherwise

const DETAILS: Readonly<Record<SmsgateEvent, Details>> = {
  'sms:received': ({ body, delivered_at }, at) => ({
    message: body,
    receivedAt: toIsoDate(delivered_at, at),
  }),
  'sms:data-received': ({ body, delivered_at }, at) => ({
    data: body.slice(DATA_URL.length),
    receivedAt: toIsoDate(delivered_at, at),
  }),
  'sms:sent': ({ sent_at, segments }, at) => ({
    sentAt: toIsoDate(sent_at, at),
    partsCount: segments,
  }),
  'sms:delivered': ({ delivered_at }, at) => ({ deliveredAt: toIsoDate(delivered_at, at) }),
  'sms:failed': ({ error_message }, at) => ({ failedAt: at, reason: error_message }),
  'sms:cancelled': (_, at) => ({ cancelledAt: at }),
}

const FACTS = `case when w.smsgate_event <> '' then json_build_object(
        'event', w.smsgate_event, 'id', w.smsgate_id, 'message', row_to_json(b.*),
        'signingKey', (select k.signing_key from smsgate_accounts k where k."user" = d."user"),
        'sendId', (select s.id from sms_origins s
          where s.api = 'smsgate' and s.ref in (b.id, nullif(b.batch_id, '')) and s."user" = d."user" order by s.is_batch desc limit 1),
        'devicePhone', (select nullif(v.phone, '') from devices v where v.id = b.device and v."user" = d."user")
      )::text end`

/** Makes the bodies and headers of webhook calls in SMSGate's form. */
export const SMSGATE_FORM: Omit<BodyForm, 'publicUrl'> = {
  facts: FACTS,
  render(facts, eventId, time) {
    const hook = JSON.parse(facts) as SmsgateHook
    const body = writeSmsgateBody(hook, eventId, time)
    return { body, moreHeaders: (at) => makeSignedHeaders(hook.signingKey, body, at) }
  },
}

/** The body of a delivery. `at`: when the event happened. */
function writeSmsgateBody(hook: SmsgateHook, eventId: string, at: Date): string {
  const { event, devicePhone, message } = hook
  const isIncoming = SMSGATE_EVENTS[event] === 'message.received'
  const phoneNumber = isIncoming ? message.from : message.to
  const ours = (isIncoming ? message.to : '') || devicePhone || null
  const payload = {
    messageId: hook.sendId ?? (message.batch_id || message.id),
    sender: isIncoming ? phoneNumber : ours,
    recipient: isIncoming ? ours : phoneNumber,
    phoneNumber,
    simNumber: message.sim > 0 ? message.sim : null,
    ...DETAILS[event](message, at.toISOString()),
  }
  return JSON.stringify({
    id: eventId,
    webhookId: hook.id,
    event,
    deviceId: message.device,
    payload,
  })
}

function makeSignedHeaders(signingKey: string, body: string, at: Date): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signature = createHmac('sha256', signingKey).update(body).update(timestamp).digest('hex')
  return { 'x-timestamp': timestamp, 'x-signature': signature }
}
