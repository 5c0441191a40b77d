import type { PresetData } from '../preset.ts'

// Another pocketsms, or another account of this one. docs/app.md, docs/webhooks.md
export const POCKETSMS: PresetData = {
  credentials: { secret: 'API key', webhook_secret: 'Webhook secret' },
  send: {
    path: '/api/sms/send',
    headers: {
      'content-type': 'application/json',
      'x-api-key': '{{secret}}',
      'idempotency-key': '{{ref}}',
      'x-carrier-attempt': '{{ref}}',
    },
    body: { recipients: ['{{to}}'], body: '{{body}}', from: '{{from}}', client_ref: '{{ref}}' },
  },
  mms: {
    body: {
      recipients: ['{{to}}'],
      body: '{{body}}',
      subject: '{{subject}}',
      attachments: '{{files}}',
      from: '{{from}}',
      client_ref: '{{ref}}',
    },
  },
  // the key needs a scope to send or to read
  trial: { path: '/api/sms/usage' },
  // an Idempotency-Key is kept for 24 hours
  isIdempotent: true,
  answer: { id: 'message_ids.0', code: 'error', error: ['message'] },
  refusals: [
    { code: ['idempotency_key_in_use', 'no_devices'], means: 'busy' },
    {
      code: ['quota_exceeded', 'account_disabled', 'line_not_found', 'line_ambiguous'],
      means: 'account',
    },
    { code: ['destination_not_allowed', 'mms_not_supported'], means: 'unsent' },
  ],
  receipt: {
    when: { type: ['message.delivered', 'message.failed'] },
    ref: 'data.client_ref',
    status: 'data.status',
    delivered: ['delivered'],
    failed: ['failed'],
    error: ['data.error_message'],
  },
  incoming: {
    when: { type: ['message.received'] },
    id: 'data.id',
    from: 'data.from',
    to: 'data.to',
    body: 'data.body',
    subject: 'data.subject',
    // a link has a token of its own; webhooks wait 12 s for an answer
    files: { each: 'files', seconds: 8, url: 'url', name: 'name', type: 'type', size: 'size' },
  },
  ignored: [{ type: ['message.sent', 'webhook.test'] }],
  // Standard Webhooks: the header holds several signatures during a rotation
  signature: {
    kind: 'hmac',
    hash: 'sha256',
    header: 'webhook-signature',
    encoding: 'base64',
    of: ['header:webhook-id', '.', 'header:webhook-timestamp', '.', 'body'],
    key: 'whsec',
    timestamp: 'webhook-timestamp',
  },
}
