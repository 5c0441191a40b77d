import type { PresetData } from '../preset.ts'

export const TELNYX: PresetData = {
  url: 'https://api.telnyx.com',
  credentials: { secret: 'API key', webhook_secret: 'Public key' },
  // https://developers.telnyx.com/api-reference/messages/send-a-message (2026-11-26)
  send: {
    path: '/v2/messages',
    headers: { 'content-type': 'application/json', authorization: 'Bearer {{secret}}' },
    body: { from: '{{from}}', to: '{{to}}', text: '{{body}}', webhook_url: '{{callback}}' },
  },
  // https://developers.telnyx.com/docs/messaging/messages/send-receive-mms (2026-11-28)
  mms: {
    body: {
      from: '{{from}}',
      to: '{{to}}',
      text: '{{body}}',
      subject: '{{subject}}',
      media_urls: '{{files}}',
      type: 'MMS',
      webhook_url: '{{callback}}',
    },
  },
  // https://developers.telnyx.com/docs/development/api-fundamentals/first-api-request (2026-11-27)
  trial: { path: '/v2/balance' },
  answer: { id: 'data.id', code: 'errors.0.code', error: ['errors.0.title', 'errors.0.detail'] },
  // https://developers.telnyx.com/docs/messaging/messages/error-codes and
  // https://developers.telnyx.com/development/api-fundamentals/api-errors (2026-11-26): 40305, 40306 a sender
  // that is not ours, 40312 to 40314 profile or account; 40300 an opt-out, 40301, 40310 the number; 10039,
  // 40309 a number or country that this account cannot reach. Some of a number have the status 403
  refusals: [
    { code: ['40305', '40306', '40312', '40313', '40314'], means: 'account' },
    { code: ['40300', '40301', '40310'], means: 'final' },
    { code: ['10039', '40309'], means: 'unsent' },
  ],
  // https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks (2026-11-26)
  receipt: {
    when: { 'data.event_type': ['message.sent', 'message.finalized'] },
    ref: 'ref',
    status: 'data.payload.to.0.status',
    delivered: ['delivered', 'read'],
    failed: ['sending_failed', 'delivery_failed', 'expired'],
    pending: ['queued', 'sending', 'sent', 'delivery_unconfirmed'],
    error: ['data.payload.errors.0.code', 'data.payload.errors.0.title'],
  },
  incoming: {
    when: { 'data.event_type': ['message.received'] },
    id: 'data.payload.id',
    from: 'data.payload.from.phone_number',
    to: 'data.payload.to.0.phone_number',
    body: 'data.payload.text',
    // https://developers.telnyx.com/docs/messaging/messages/send-receive-mms (2026-11-26)
    // https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks (2026-11-27): waits 2 s
    files: {
      each: 'data.payload.media',
      seconds: 1.5,
      url: 'url',
      type: 'content_type',
      size: 'size',
    },
  },
  // https://developers.telnyx.com/docs/development/api-fundamentals/webhooks (2026-11-26)
  signature: {
    kind: 'ed25519',
    header: 'telnyx-signature-ed25519',
    of: ['header:telnyx-timestamp', '|', 'body'],
    timestamp: 'telnyx-timestamp',
  },
}
