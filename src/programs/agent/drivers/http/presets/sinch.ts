import type { PresetData } from '../preset.ts'

// The SMS API. `user` is the service plan, `secret` its API token, `webhook_secret` the secret of its HMAC.
export const SINCH: PresetData = {
  url: 'https://us.sms.api.sinch.com',
  credentials: { user: 'Service plan ID', secret: 'API token', webhook_secret: 'HMAC secret' },
  // https://developers.sinch.com/docs/sms/api-reference/sms/batches (2026-11-26), and text-request.ts in
  // github.com/sinch/sinch-sdk-node (2026-07-21)
  send: {
    path: '/xms/v1/{{user}}/batches',
    headers: { 'content-type': 'application/json', authorization: 'Bearer {{secret}}' },
    body: {
      from: '{{from}}',
      to: ['{{to}}'],
      type: 'mt_text',
      body: '{{body}}',
      delivery_report: 'per_recipient_final',
      callback_url: '{{callback}}',
      client_reference: '{{ref}}',
    },
  },
  // media-request.ts and media-body.ts in github.com/sinch/sinch-sdk-node (2026-11-28)
  mms: {
    body: {
      from: '{{from}}',
      to: ['{{to}}'],
      type: 'mt_media',
      body: { url: '{{file}}', message: '{{body}}', subject: '{{subject}}' },
      delivery_report: 'per_recipient_final',
      callback_url: '{{callback}}',
      client_reference: '{{ref}}',
    },
    maxFiles: 1,
  },
  // https://developers.sinch.com/docs/sms/api-reference/sms/batches/listbatches.md (2026-11-27)
  trial: { path: '/xms/v1/{{user}}/batches?page_size=1' },
  answer: { id: 'id', code: 'code', error: ['text'] },
  // docs/sms/sms-guide.md in github.com/sinch/docs (2021-02-11): a number of a kind that its region does not
  // allow, which the table spells without its first letter; the other codes with 403 are of the account
  refusals: [{ code: ['illegal_number_type', 'llegal_number_type'], means: 'unsent' }],
  // recipient-delivery-report.ts and enums.ts in github.com/sinch/sinch-sdk-node (2026-07-21)
  receipt: {
    when: { type: ['recipient_delivery_report_sms', 'recipient_delivery_report_mms'] },
    ref: 'client_reference',
    status: 'status',
    delivered: ['Delivered'],
    failed: ['Aborted', 'Cancelled', 'Rejected', 'Deleted', 'Failed', 'Expired'],
    pending: ['Queued', 'Dispatched', 'Scheduled', 'Unknown'],
    error: ['code'],
  },
  // callbacks-webhook.test.ts in github.com/sinch/sinch-sdk-node (2026-07-21)
  incoming: [
    { when: { type: ['mo_text'] }, id: 'id', from: 'from', to: 'to', body: 'body' },
    {
      when: { type: ['mo_media'] },
      id: 'id',
      from: 'from',
      to: 'to',
      body: ['body.message', 'body.subject'],
      subject: 'body.subject',
      // https://developers.sinch.com/sdk/sinch-sdk-node/1.5.0/interfaces/Sms.MmsMedia.html (2026-11-27)
      files: { each: 'body.media', url: 'url', type: 'content_type', lost: { status: ['Failed'] } },
    },
    {
      // MOBinary, 140 bytes for a program of the phone (2026-11-29)
      when: { type: ['mo_binary'] },
      id: 'id',
      from: 'from',
      to: 'to',
      body: [],
      files: { url: 'url', called: 'binary SMS', lost: { type: ['mo_binary'] } },
    },
  ],
  // sums of batches belong to texts of others
  ignored: [{ type: ['delivery_report_sms', 'delivery_report_mms'] }],
  // authorization.helper.ts in github.com/sinch/sinch-sdk-node (2026-07-21). A service plan signs if its
  // HMAC is on
  signature: {
    kind: 'hmac',
    hash: 'sha256',
    header: 'x-sinch-webhook-signature',
    encoding: 'base64',
    of: [
      'body',
      '.',
      'header:x-sinch-webhook-signature-nonce',
      '.',
      'header:x-sinch-webhook-signature-timestamp',
    ],
    timestamp: 'x-sinch-webhook-signature-timestamp',
  },
}
