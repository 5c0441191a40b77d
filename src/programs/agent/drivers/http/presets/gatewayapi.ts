import type { PresetData } from '../preset.ts'

// The Mobile Messaging API. `secret` is an API token, `webhook_secret` the key of the webhook.
export const GATEWAYAPI: PresetData = {
  url: 'https://messaging.gatewayapi.com',
  credentials: { secret: 'API token', webhook_secret: 'Webhook key' },
  // https://gatewayapi.com/docs/message/overview (2026-11-26), and types.ts in
  // github.com/onlinecity/gatewayapi-node (2026-03-05)
  send: {
    path: '/mobile/single',
    headers: { 'content-type': 'application/json', authorization: 'Token {{secret}}' },
    body: {
      sender: '{{from_digits}}',
      recipient: '{{to_digits}}',
      message: '{{body}}',
      reference: '{{ref}}',
    },
    numbers: ['recipient'],
  },
  answer: { id: 'msg_id', code: 'code', error: ['message', 'detail.0.msg'] },
  // https://gatewayapi.com/docs/error-codes (errors.rst in github.com/onlinecity/gatewayapi-docs,
  // 2021-05-05): 0x0214 and 0x0215 a blocked number, 0x0217 and 0x021F a country or operator; other
  // statuses of 403 the account
  refusals: [
    { code: ['0x0214', '0x0215'], means: 'final' },
    { code: ['0x0217', '0x021F'], means: 'unsent' },
  ],
  // types.ts and webhooks.ts in github.com/onlinecity/gatewayapi-node (2026-03-05)
  receipt: {
    when: { event_type: ['message.status.sms'] },
    ref: 'event.reference',
    status: 'event.status',
    delivered: ['DELIVERED'],
    failed: ['EXPIRED', 'DELETED', 'UNDELIVERABLE', 'REJECTED', 'SKIPPED'],
    pending: ['SCHEDULED', 'BUFFERED', 'ENROUTE', 'ACCEPTED', 'UNKNOWN'],
    error: ['event.error.hex_code', 'event.error.details'],
  },
  // IncomingMessageWebhook.php in github.com/nickdnk/gatewayapi-php (2026-11-26)
  incoming: {
    when: { event_type: ['user-message.text.sms'] },
    id: 'event.msg_id',
    from: 'event.sender',
    body: 'event.content.message',
  },
  // https://gatewayapi.com/docs/message/overview/#webhook-signature-verification (2026-11-26)
  signature: { kind: 'hmac', hash: 'sha256', header: 'signature', encoding: 'hex', of: ['body'] },
}
