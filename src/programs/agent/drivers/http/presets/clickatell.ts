import type { PresetData } from '../preset.ts'

/** Types of files that Clickatell delivers as Base64. */
const MEDIA = [
  ...['jpeg', 'jpg', 'png', 'gif', 'webp'].map((name) => `image/${name}`),
  ...['aac', 'amr', 'mp4', 'mpeg', 'ogg'].map((name) => `audio/${name}`),
  ...['mp4', '3gpp'].map((name) => `video/${name}`),
  'application/pdf',
]

// The One API. `secret` is the API key of the integration.
export const CLICKATELL: PresetData = {
  url: 'https://platform.clickatell.com',
  credentials: { secret: 'API key' },
  // https://guides.clickatell.com/clickatell-chat-commerce-platform/developer/channels/whatsapp-and-sms-one-api/
  // api-reference/messages/send-messages (2026-11-26)
  send: {
    path: '/v1/message',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: '{{secret}}',
    },
    body: {
      messages: [
        {
          channel: 'sms',
          to: '{{to_digits}}',
          from: '{{from_digits}}',
          content: '{{body}}',
          clientMessageId: '{{ref}}',
        },
      ],
    },
  },
  // client.rs in github.com/farrel/clickatell-rust-tools (0.3.0)
  trial: { path: '/v1/balance' },
  answer: {
    id: 'messages.0.apiMessageId',
    accepts: { 'messages.0.accepted': ['true'] },
    code: ['messages.0.error.code', 'error.code'],
    error: ['messages.0.error.description', 'error.description'],
  },
  // gateway_error_code.rs in github.com/farrel/clickatell-rust-tools (2022-08-10): 1 to 3, 7, 46 account,
  // 20 balance, 38, 39, 44, 45 sender; 18, 19 an internal fault; 43 too many requests; 101, 110, 111 a
  // country
  refusals: [
    { code: ['1', '2', '3', '7', '20', '38', '39', '44', '45', '46'], means: 'account' },
    { code: ['18', '19'], means: 'unknown' },
    { code: ['43'], means: 'busy' },
    { code: ['101', '110', '111'], means: 'unsent' },
  ],
  // https://help.clickatell.com/developers-api-reference/reference/one-api-client-callbacks and
  // https://www.clickatell.com/developers/api-documentation/one-api-message-status-codes-descriptions
  // (2026-11-26)
  receipt: {
    each: 'event.messageStatusUpdate',
    ref: 'clientMessageId',
    status: 'status',
    delivered: ['DEVICE_ACK', 'READ'],
    failed: [
      'EXPIRED',
      'STOPPED_BY_USER',
      'STOPPED_BY_ADMIN',
      'DELIVERY_FAILURE',
      'ROUTING_ERROR',
      'INSUFFICIENT_ACCOUNT_BALANCE',
      'VOLUME_LIMIT',
      'VOLUME_LIMIT_DAILY',
      'VOLUME_LIMIT_MONTHLY',
      'RECIPIENT_DOES_NOT_EXIST',
      'ENCRYPTION_ACCESS_DENIED',
      'ENCRYPTION_CONTENT_ERROR',
      'MEDIA_NOT_FOUND',
      'MEDIA_SIZE_ERROR',
      'MEDIA_CHECKSUM_FAILURE',
      'MEDIA_METADATA_ERROR',
      'MEDIA_ACCESS_ERROR',
      'MEDIA_REJECTED_BY_SUPPLIER',
    ],
    pending: [
      'UNKNOWN',
      'EMULATED',
      'ACCEPTED',
      'QUEUED',
      'SENT_TO_SUPPLIER',
      'SUPPLIER_ACK',
      'SCHEDULED',
    ],
  },
  incoming: [
    { each: 'event.moText', id: 'messageId', from: 'from', to: 'to', body: 'content' },
    // one-api-client-callbacks (2026-11-29): files by their addresses, or one file as Base64, which is too
    // large for a call
    {
      each: 'event.moMedia',
      when: { contentType: [''] },
      id: 'messageId',
      from: 'from',
      to: 'to',
      body: 'caption',
      files: {
        each: 'files',
        url: 'downloadUrl',
        name: 'fileName',
        type: 'contentType',
        size: 'byteSize',
      },
    },
    {
      each: 'event.moMedia',
      when: { contentType: MEDIA },
      id: 'messageId',
      from: 'from',
      to: 'to',
      body: 'caption',
      files: {
        url: 'downloadUrl',
        called: 'file',
        type: 'contentType',
        lost: { contentType: MEDIA },
      },
    },
  ],
}
