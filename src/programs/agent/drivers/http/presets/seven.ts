import type { PresetData } from '../preset.ts'

/** The signed text. `target`: what it names as the address of the call. */
const listSignedParts = (target: string) => [
  'header:x-timestamp',
  '\n',
  'header:x-nonce',
  '\n',
  'method',
  '\n',
  target,
  '\n',
  'body-md5',
]

// seven, formerly sms77. `secret` is an API key, `webhook_secret` the signing key of the account.
export const SEVEN: PresetData = {
  url: 'https://gateway.seven.io',
  credentials: { secret: 'API key', webhook_secret: 'Signing key' },
  // https://docs.seven.io/en/rest-api/endpoints/sms (2026-11-26), and openapi.json in
  // github.com/seven-io/api-schemes (2026-02-11)
  send: {
    path: '/api/sms',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'x-api-key': '{{secret}}',
    },
    body: { to: '{{to_digits}}', from: '{{from_digits}}', text: '{{body}}', foreign_id: '{{ref}}' },
  },
  // balance.rb in the gem seven_api (0.6.0): docs.seven.io/en/rest-api/endpoints/account#balance
  trial: { path: '/api/balance' },
  // SmsResponse in openapi.json; a refusal may be a bare code, as in Client.ts of
  // github.com/seven-io/js-client (2026-05-02)
  answer: {
    id: 'messages.0.id',
    accepts: { success: ['100'], 'messages.0.success': ['true'] },
    code: ['messages.0.error', 'success', 'text'],
    error: ['messages.0.error_text'],
  },
  // ErrorCode.ts in github.com/seven-io/js-client (2026-05-02): 300 and 900 API key, 306 sender, 500 credit,
  // 902 and 903 account; 600 and 700 a fault of the carrier
  refusals: [
    { code: ['300', '306', '500', '900', '902', '903'], means: 'account' },
    { code: ['600', '700'], means: 'unknown' },
  ],
  // https://docs.seven.io/en/rest-api/webhooks and /endpoints/status-reports (2026-11-26). openapi.json and
  // creates/send_sms.js in github.com/seven-io/seven-zapier (2026-05-04) say that reports return foreign_id;
  // the examples of the documentation do not have it
  receipt: {
    when: { webhook_event: ['dlr'] },
    ref: 'data.foreign_id',
    status: 'data.status',
    delivered: ['DELIVERED'],
    failed: ['NOTDELIVERED', 'EXPIRED', 'REJECTED', 'FAILED'],
    pending: ['ACCEPTED', 'BUFFERED', 'TRANSMITTED', 'UNKNOWN'],
  },
  incoming: {
    when: { webhook_event: ['sms_mo'] },
    id: 'data.id',
    from: 'data.sender',
    to: 'data.system',
    body: 'data.text',
  },
  // clicks on short links, and texts that the account sends
  ignored: [{ webhook_event: ['tracking', 'sms_mt', 'voice_status', 'voice_call', 'rcs_dlr'] }],
  // https://docs.seven.io/en/rest-api/signing (2026-11-26): the complete URL. README.md and
  // tests/webhookVerifier.spec.ts in github.com/seven-io/js-client (2026-05-02): the path
  signature: {
    kind: 'hmac',
    hash: 'sha256',
    header: 'x-signature',
    encoding: 'hex',
    of: listSignedParts('url'),
    orOf: listSignedParts('path'),
    timestamp: 'x-timestamp',
  },
}
