import type { PresetData } from '../preset.ts'

// `secret` is an API key. Each account has its own address, the setting `url`.
export const INFOBIP: PresetData = {
  credentials: { secret: 'API key' },
  // https://www.infobip.com/docs/developer-resources/quickstart (2026-11-26), and SmsApiTest.java in
  // github.com/infobip/infobip-api-java-client (2026-03-31)
  send: {
    path: '/sms/3/messages',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: 'App {{secret}}',
    },
    body: {
      messages: [
        {
          sender: '{{from_digits}}',
          destinations: [{ to: '{{to_digits}}' }],
          content: { text: '{{body}}' },
          webhooks: {
            delivery: { url: '{{callback}}' },
            contentType: 'application/json',
            callbackData: '{{ref}}',
          },
        },
      ],
    },
  },
  // https://www.infobip.com/docs/api/channels/mms/send-mms-messages (2026-11-28), and MmsApiTest.java in
  // github.com/infobip/infobip-api-java-client (2026-03-31)
  mms: {
    path: '/mms/2/messages',
    body: {
      messages: [
        {
          sender: '{{from_digits}}',
          destinations: [{ to: '{{to_digits}}' }],
          content: {
            title: '{{subject}}',
            messageSegments: [{ type: '{{#if body}}TEXT{{/if}}', text: '{{body}}' }, '{{files}}'],
          },
          webhooks: {
            delivery: { url: '{{callback}}' },
            contentType: 'application/json',
            callbackData: '{{ref}}',
          },
        },
      ],
    },
    item: { type: 'LINK', contentUrl: '{{file}}', contentType: '{{type}}' },
  },
  // as several programs on GitHub ask for it (2026-11-27); not checked with a page of Infobip
  trial: { path: '/account/1/balance' },
  // MessageGeneralStatus.java and ApiError.java in github.com/infobip/infobip-api-java-client (2026-03-31)
  answer: {
    id: 'messages.0.messageId',
    accepts: { 'messages.0.status.groupName': ['PENDING', 'DELIVERED'] },
    code: ['messages.0.status.name', 'errorCode'],
    error: ['messages.0.status.description', 'description'],
  },
  // https://www.infobip.com/docs/essentials/response-status-and-error-codes (2026-11-26): SOURCE and SENDER
  // a sender that is not ours, ROUTE no route at all; NETWORK and NOT_REGISTERED a number that this account
  // cannot reach
  refusals: [
    {
      code: [
        'REJECTED_NOT_ENOUGH_CREDITS',
        'REJECTED_PREPAID_PACKAGE_EXPIRED',
        'REJECTED_SOURCE',
        'REJECTED_SENDER',
        'REJECTED_ROUTE_NOT_AVAILABLE',
      ],
      means: 'account',
    },
    { code: ['REJECTED_NETWORK', 'REJECTED_DESTINATION_NOT_REGISTERED'], means: 'unsent' },
    { code: ['REJECTED_SYSTEM_ERROR'], means: 'busy' },
  ],
  // SmsApiTest.java in github.com/infobip/infobip-api-java-client (2026-03-31)
  receipt: {
    each: 'results',
    ref: 'callbackData',
    status: 'status.groupName',
    delivered: ['DELIVERED'],
    failed: ['UNDELIVERABLE', 'EXPIRED', 'REJECTED'],
    pending: ['ACCEPTED', 'PENDING'],
    error: ['error.name', 'error.description'],
  },
  // https://www.infobip.com/docs/api/channels/sms/inbound-sms and /channels/mms (2026-11-27): MO_JSON_2, and
  // MO_MMS_2, whose parts are words or files
  incoming: {
    each: 'results',
    id: 'messageId',
    from: 'from',
    to: 'to',
    body: ['text', 'message.0.value', 'message.1.value', 'message.2.value', 'message'],
    files: { each: 'message', url: 'url', type: 'contentType' },
  },
}
