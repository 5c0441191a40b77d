import type { PresetData } from '../preset.ts'

export const TWILIO_PRESET: PresetData = {
  url: 'https://api.twilio.com',
  credentials: { user: 'AccountSid', secret: 'AuthToken' },
  // https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource (2026-11-26)
  send: {
    path: '/2010-04-01/Accounts/{{user}}/Messages.json',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: 'Basic {{basic}}',
    },
    // https://www.twilio.com/docs/rcs/send-an-rcs-message (2026-11-28): a Messaging Service with an RCS
    // sender tries RCS first
    body: {
      To: '{{to}}',
      From: '{{from}}',
      MessagingServiceSid: '{{service}}',
      Body: '{{body}}',
      StatusCallback: '{{callback}}',
    },
  },
  // https://www.twilio.com/docs/messaging/api/message-resource (2026-11-28): up to ten MediaUrl
  mms: {
    body: {
      To: '{{to}}',
      From: '{{from}}',
      MessagingServiceSid: '{{service}}',
      Body: '{{words}}',
      MediaUrl: '{{files}}',
      StatusCallback: '{{callback}}',
    },
  },
  // https://www.twilio.com/docs/iam/api/account (2026-11-27)
  trial: { path: '/2010-04-01/Accounts/{{user}}.json' },
  answer: { id: 'sid', code: 'code', error: ['message'] },
  // https://www.twilio.com/docs/api/errors (2026-11-26): 20003 credentials, 20005 account not active, 21606,
  // 21659 and 21660 a sender that is not ours, 30002 account suspended; 20429 and 14107 too many requests;
  // 21408 and 21612 a country or sender that this account cannot use
  refusals: [
    { code: ['20003', '20005', '20008', '21606', '21659', '21660', '30002'], means: 'account' },
    { code: ['20429', '14107'], means: 'busy' },
    { code: ['21408', '21612'], means: 'unsent' },
  ],
  // https://www.twilio.com/docs/messaging/guides/track-outbound-message-status (2026-11-26)
  receipt: {
    ref: 'ref',
    status: 'MessageStatus',
    delivered: ['delivered', 'read'],
    failed: ['undelivered', 'failed', 'canceled'],
    pending: ['accepted', 'scheduled', 'queued', 'sending', 'sent', 'partially_delivered'],
    error: ['ErrorCode', 'ErrorMessage'],
    // https://www.twilio.com/docs/rcs/send-an-rcs-message (2026-11-28): the sender of an RCS message is
    // rcs:NAME; after a fallback to SMS it is a number
    channel: ['From', 'ChannelPrefix'],
  },
  // https://www.twilio.com/docs/messaging/guides/webhook-request (2026-11-26)
  incoming: {
    when: { SmsStatus: ['received', 'receiving'] },
    id: 'MessageSid',
    from: 'From',
    to: ['To', 'MessagingServiceSid'],
    body: 'Body',
    // https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides (2026-11-27): by default
    // Twilio repeats a call only if it cannot connect
    files: { url: 'MediaUrl*', type: 'MediaContentType*', repeats: false },
  },
  // https://www.twilio.com/docs/usage/webhooks/webhooks-security (2026-11-26)
  signature: {
    kind: 'hmac',
    hash: 'sha1',
    header: 'x-twilio-signature',
    encoding: 'base64',
    of: ['url', 'params'],
  },
}
