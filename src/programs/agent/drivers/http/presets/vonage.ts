import type { PresetData } from '../preset.ts'

const listCodeLinks = (...numbers: readonly number[]) =>
  numbers.map((number) => `https://developer.vonage.com/api-errors/messages#${number}`)

// The Messages API.
export const VONAGE: PresetData = {
  url: 'https://api.nexmo.com',
  credentials: { user: 'API key', secret: 'API secret', webhook_secret: 'Signature secret' },
  // https://developer.vonage.com/en/api/messages (2026-11-26)
  send: {
    path: '/v1/messages',
    headers: { 'content-type': 'application/json', authorization: 'Basic {{basic}}' },
    body: {
      channel: 'sms',
      message_type: 'text',
      to: '{{to_digits}}',
      from: '{{from_digits}}',
      text: '{{body}}',
      client_ref: '{{ref}}',
      webhook_url: '{{callback}}',
      webhook_version: 'v1',
    },
  },
  // https://developer.vonage.com/en/messages/concepts/mms and /en/blog/what-can-i-do-with-mms (2026-11-28):
  // one file each, in the United States and Canada
  mms: [
    { name: 'image', types: ['image/'] },
    { name: 'audio', types: ['audio/'] },
    { name: 'video', types: ['video/'] },
    { name: 'vcard', types: ['text/vcard', 'text/x-vcard'] },
  ].map(({ name, types }) => ({
    body: {
      channel: 'mms',
      message_type: name,
      to: '{{to_digits}}',
      from: '{{from_digits}}',
      [name]: { url: '{{file}}', caption: '{{words}}' },
      client_ref: '{{ref}}',
      webhook_url: '{{callback}}',
      webhook_version: 'v1',
    },
    maxFiles: 1,
    types,
  })),
  // https://developer.vonage.com/en/account/code-snippets/list-all-secrets (2026-11-27): at this host, as the
  // balance is not. The secrets themselves are not shown
  trial: { path: '/accounts/{{user}}/secrets' },
  answer: { id: 'message_uuid', code: 'type', error: ['title', 'detail'] },
  // https://developer.vonage.com/api-errors/messages-olympus (2026-11-26): 1060, 1070, 1080 account and
  // quota; 1000 too many requests; 1040, 1050, 1170 the number; 1120 a sender that the number's country
  // forbids, 1160 a number that this account cannot reach
  refusals: [
    { code: listCodeLinks(1060, 1070, 1080), means: 'account' },
    { code: listCodeLinks(1000), means: 'busy' },
    { code: listCodeLinks(1040, 1050, 1170), means: 'final' },
    { code: listCodeLinks(1120, 1160), means: 'unsent' },
  ],
  // https://developer.vonage.com/en/messages/concepts/messages-status-callbacks (2026-11-26)
  receipt: {
    when: { channel: ['sms', 'mms'] },
    ref: 'client_ref',
    status: 'status',
    delivered: ['delivered', 'read'],
    failed: ['rejected', 'undeliverable'],
    pending: ['submitted'],
    error: ['error.title', 'error.detail'],
  },
  // https://developer.vonage.com/en/api/messages (2026-11-27), and version 0.1 of the same API
  incoming: [
    {
      when: { channel: ['sms', 'mms'], message_type: ['text'] },
      id: 'message_uuid',
      from: 'from',
      to: 'to',
      body: 'text',
    },
    ...['image', 'audio', 'video', 'file', 'vcard'].map((type) => ({
      when: { channel: ['mms'], message_type: [type] },
      id: 'message_uuid',
      from: 'from',
      to: 'to',
      body: `${type}.caption`,
      files: { url: `${type}.url`, name: `${type}.name` },
    })),
    // mms/Content.java in github.com/Vonage/vonage-java-sdk (2026-08-11): several files, each with its words
    {
      when: { channel: ['mms'], message_type: ['content'] },
      id: 'message_uuid',
      from: 'from',
      to: 'to',
      body: ['text', ...[0, 1, 2, 3].map((place) => `content.${place}.caption`)],
      files: { each: 'content', url: 'url', name: 'name', called: 'file' },
    },
    {
      when: { 'from.type': ['sms', 'mms'], 'message.content.type': ['text'] },
      id: 'message_uuid',
      from: 'from.number',
      to: 'to.number',
      body: 'message.content.text',
    },
  ],
  // https://developer.vonage.com/en/getting-started/concepts/webhooks (2026-11-26)
  signature: { kind: 'jwt', header: 'authorization', bodyHash: 'payload_hash' },
}
