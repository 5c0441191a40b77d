import type { PresetData } from '../preset.ts'

export const MESSAGEBIRD: PresetData = {
  url: 'https://rest.messagebird.com',
  credentials: { secret: 'Access key', webhook_secret: 'Signing key' },
  // https://developers.messagebird.com/api/sms-messaging/#send-outbound-sms (2026-11-26)
  send: {
    path: '/messages',
    headers: { 'content-type': 'application/json', authorization: 'AccessKey {{secret}}' },
    body: {
      originator: '{{from}}',
      recipients: ['{{to_digits}}'],
      body: '{{body}}',
      datacoding: 'auto',
      reference: '{{ref}}',
      reportUrl: '{{callback}}',
    },
  },
  // MmsMessage.php in github.com/messagebird/php-rest-api (2026-11-28)
  mms: {
    path: '/mms',
    body: {
      originator: '{{from}}',
      recipients: ['{{to_digits}}'],
      subject: '{{subject}}',
      body: '{{body}}',
      mediaUrls: '{{files}}',
      reference: '{{ref}}',
    },
  },
  // messagebird.js in github.com/messagebird/messagebird-nodejs
  trial: { path: '/balance' },
  answer: { id: 'id', code: 'errors.0.code', error: ['errors.0.description'] },
  // https://developers.messagebird.com/api/#api-errors (2026-11-26): 2 access key, 25 balance
  refusals: [{ code: ['2', '25'], means: 'account' }],
  // https://developers.messagebird.com/api/sms-messaging/#handle-a-status-report (2026-11-26)
  receipt: {
    ref: 'reference',
    status: 'status',
    delivered: ['delivered'],
    failed: ['delivery_failed', 'expired'],
    pending: ['scheduled', 'buffered', 'sent'],
    error: ['statusErrorCode'],
  },
  // https://developers.messagebird.com/api/sms-messaging/#receive-a-message (2026-11-26)
  incoming: {
    id: 'id',
    from: 'originator',
    to: 'recipient',
    body: 'body',
    subject: 'subject',
    // the fields of a flow have the names that its author chooses: those of the page, and of `mms` above
    files: {
      // a flow repeats no call
      repeats: false,
      url: [
        'mediaUrls.*',
        'mediaUrls[*]',
        'mediaUrls',
        'mediaContentURLs.*',
        'mediaContentURLs[*]',
      ],
    },
  },
  // https://developers.messagebird.com/api/#verifying-http-requests (2026-11-26)
  signature: {
    kind: 'jwt',
    header: 'messagebird-signature-jwt',
    bodyHash: 'payload_hash',
    urlHash: 'url_hash',
  },
}
