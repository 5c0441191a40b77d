import type { PresetData } from '../preset.ts'

export const PLIVO: PresetData = {
  url: 'https://api.plivo.com',
  credentials: { user: 'Auth ID', secret: 'Auth Token' },
  // https://docs.plivo.com/docs/messaging/api/message/send-a-message (2026-11-26)
  send: {
    path: '/v1/Account/{{user}}/Message/',
    headers: { 'content-type': 'application/json', authorization: 'Basic {{basic}}' },
    body: { src: '{{from}}', dst: '{{to}}', text: '{{body}}', url: '{{callback}}', method: 'POST' },
  },
  // https://docs.plivo.com/docs/messaging/api/message/send-a-message (2026-11-28)
  mms: {
    body: {
      src: '{{from}}',
      dst: '{{to}}',
      type: 'mms',
      text: '{{words}}',
      media_urls: '{{files}}',
      url: '{{callback}}',
      method: 'POST',
    },
  },
  // accounts.rb in github.com/plivo/plivo-ruby (4.35.0)
  trial: { path: '/v1/Account/{{user}}/' },
  answer: { id: 'message_uuid.0', error: ['error'] },
  // https://docs.plivo.com/docs/messaging/api/message/message-status-callbacks (2026-11-26)
  receipt: {
    ref: 'ref',
    status: 'Status',
    delivered: ['delivered', 'read'],
    failed: ['undelivered', 'failed', 'rejected'],
    pending: ['queued', 'sent'],
    error: ['ErrorCode'],
  },
  // https://docs.plivo.com/docs/messaging/xml/request (2026-11-26): an MMS has its words in Body
  incoming: {
    when: { Type: ['sms', 'mms'] },
    id: 'MessageUUID',
    from: 'From',
    to: 'To',
    body: ['Text', 'Body'],
    files: { url: 'Media*' },
  },
  // https://docs.plivo.com/docs/messaging/concepts/signature-validation (2026-11-26): the address without its
  // query, and the nonce. The fields of the form are not signed
  signature: {
    kind: 'hmac',
    hash: 'sha256',
    header: 'x-plivo-signature-v2',
    encoding: 'base64',
    of: ['address', 'header:x-plivo-signature-v2-nonce'],
  },
}
