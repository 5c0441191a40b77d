import { makeSid } from '../../src/protocols/twilio/sids.ts'
import { DOOR_SENDS, type DoorSend } from '../protocols/door-sends.ts'
import { PASSWORD } from '../support/server/server-with-devices.ts'
import { TestPasskey } from '../support/services/authenticator.ts'
import {
  type Caller,
  contact,
  contactField,
  FORBIDDEN,
  group,
  joinPage,
  leaveToken,
  lines,
  NUMBER,
  SECRETS,
  service,
  template,
  twilioSid,
  user,
  verification,
} from './callers.ts'
import type { Target, Wanted } from './texts.ts'
import type { Who } from './who.ts'

// How each route of the matrix is asked, and who may, where the promise of the route does not say so.

/** A request of a cell. `mark`: a text that shows whether this request has sent something. */
export interface Row {
  /** Default: the promise of the route (`promises.ts`). */
  readonly may?: Who
  /** Whether the answer shows the text of the message, or the data of the contact, and to whom. */
  readonly text?: Who
  readonly contact?: Who
  /** Whether the answer shows the number of a contact that the request has named. */
  readonly number?: Who
  readonly texts?: Wanted
  /** An API key has sent the texts itself; else the owner has. */
  readonly isOwn?: boolean
  readonly body?: (target: Target, mark: string, caller: Caller) => unknown
  readonly query?: (
    target: Target,
    mark: string,
    caller: Caller,
  ) => Readonly<Record<string, string>>
  /** How the door takes credentials. Default: X-API-Key, or Authorization for a token. */
  readonly by?: Door
  /** The headers that take a key, if `by` is `key`. */
  readonly headers?: (key: string) => Readonly<Record<string, string>>
  /** The request changes or sends something if it is allowed; else only its status tells. */
  readonly isEffect?: boolean
  /** The route is for the account itself, so members of its team are refused. */
  readonly isOfOwner?: boolean
  /** The parts of the path that are not the id of the first text. */
  readonly path?: (target: Target) => Readonly<Record<string, string>>
}
/** `key`: the row's own `headers`, `query` or `body` have the key. */
export type Door = 'api' | 'people' | 'basic' | 'twilio' | 'key' | 'hook' | 'mcp'

const passkey = new TestPasskey('https://sms.example.com')
const many = Array.from({ length: 20 }, (_, i) => `+49151123456${i + 10}`)
const HOUR = 3_600_000
const later = () => new Date(Date.now() + 2 * HOUR).toISOString()
const to = { recipients: [NUMBER] }
const sends = (more: object = {}): Row => ({
  isEffect: true,
  body: (_, mark) => ({ ...to, body: mark, ...more }),
})
const sendsTemplate: Row = {
  isEffect: true,
  body: (_, code) => ({ ...to, template_id: template, variables: { code } }),
}
const changes = (body: () => object, texts: Row['texts'] = {}): Row => ({
  texts,
  isOwn: true,
  body,
  isEffect: true,
})
const ofOther = (row: Row): Row => ({ ...row, may: 'actOnOther', isOwn: false })
const reads = (may: Who, more: Partial<Row> = {}): Row => ({ may, ...more })
const steers = (body?: Row['body']): Row => ({
  may: 'campaign',
  isEffect: true,
  texts: { isOfCampaign: true },
  by: 'people',
  ...(body && { body }),
})
const only = (may: Who, row: Row): Row => ({ ...row, may })
const OUT = { isForbidden: true }
const OF_CAMPAIGN = { isOfCampaign: true }
const FAILED = { isFailed: true }
const MANY = { count: 21 }
const SEEN: Row = { text: 'message', isOwn: true }
const PAST_AND_OVER = () => ({ scheduled_at: '2020-01-01T00:00:00Z', ttl: 1 })
const preview: Row['body'] = () => ({
  group_ids: [group],
  body: '{{name}} {{iban}}',
  variables: {},
})
const none = () => ({})
const carrier = {
  preset: 'twilio',
  user: 'AC00000000000000000000000000000000',
  senders: ['+15005550006'],
}
const browser = {
  endpoint: 'https://push.example.com/1',
  keys: { p256dh: 'B'.repeat(87), auth: 'A'.repeat(22) },
}

/** Of features: their routes are rows with a promise. What follows a path is a case of its own. */
const API: Readonly<Record<string, Row>> = {
  'POST /api/sms/send': sends(),
  'POST /api/sms/send by a line': only('sendByLine', sends({ line_id: lines[0] })),
  'POST /api/sms/send by a slot': only(
    'sendByLine',
    sends({ sim: 1, scheduled_at: '2090-01-01T00:00:00Z' }),
  ),
  'POST /api/sms/send to a forbidden number': only('nobody', sends({ recipients: [FORBIDDEN] })),
  'POST /api/sms/send that requires consent': sends({ requires_consent: true }),
  'POST /api/sms/send to 21 people': only('sendToMany', sends({ recipients: [NUMBER, ...many] })),
  'POST /api/sms/send-template': sendsTemplate,
  'POST /api/sms/preview': { contact: 'previewed', body: preview },
  'POST /api/sms/preview to a forbidden number': {
    may: 'nobody',
    body: () => ({ recipients: [FORBIDDEN], body: 'Hi' }),
  },
  'GET /api/sms/batches/:batch_id': { texts: {} },
  'POST /api/sms/batches/:batch_id/cancel': changes(none),
  'POST /api/sms/batches/:batch_id/cancel of another': ofOther(changes(none)),
  'POST /api/sms/batches/:batch_id/cancel of a campaign': only(
    'nobody',
    changes(none, OF_CAMPAIGN),
  ),
  'POST /api/sms/batches/:batch_id/reschedule': changes(() => ({ scheduled_at: later() })),
  'POST /api/sms/batches/:batch_id/reschedule of another': ofOther(
    changes(() => ({ scheduled_at: later() })),
  ),
  'POST /api/sms/batches/:batch_id/reschedule of 21': only(
    'changeMany',
    changes(() => ({ scheduled_at: later() }), MANY),
  ),
  'POST /api/sms/batches/:batch_id/reschedule to an end': only('end', changes(PAST_AND_OVER)),
  'POST /api/sms/batches/:batch_id/reschedule of a campaign': only(
    'nobody',
    changes(PAST_AND_OVER, OF_CAMPAIGN),
  ),
  'POST /api/sms/batches/:batch_id/retry': changes(none, FAILED),
  'POST /api/sms/batches/:batch_id/retry of another': ofOther(changes(none, FAILED)),
  'POST /api/sms/batches/:batch_id/retry of 21': only(
    'retryMany',
    changes(none, { ...MANY, ...FAILED }),
  ),
  'POST /api/sms/batches/:batch_id/retry of a campaign': only(
    'nobody',
    changes(none, { ...OF_CAMPAIGN, ...FAILED }),
  ),
  'GET /api/sms/messages': {
    ...SEEN,
    query: ({ ids }) => ({ ids: ids.join() }),
  },
  'GET /api/sms/messages/:id': SEEN,
  'GET /api/sms/messages/:id of another': { text: 'messageOfOther', texts: {} },
  'PATCH /api/sms/messages/:id': changes(() => ({ body: 'Another text' })),
  'PATCH /api/sms/messages/:id of another': ofOther(changes(() => ({ body: 'Another text' }))),
  // who may not change texts learns nothing of what is wrong
  'PATCH /api/sms/messages/:id with a wrong body': {
    may: 'sending',
    body: () => ({ priority: 'high' }),
  },
  'PATCH /api/sms/messages/:id to a forbidden number': only(
    'nobody',
    changes(() => ({ body: 'Hi' }), OUT),
  ),
  'PATCH /api/sms/messages/:id by any line': changes(() => ({ body: 'Hi' }), { isByAny: true }),
  'PATCH /api/sms/messages/:id to an end': only('end', changes(PAST_AND_OVER)),
  'PATCH /api/sms/messages/:id of a campaign': only(
    'nobody',
    changes(() => ({ body: 'Another text' }), OF_CAMPAIGN),
  ),
  'POST /api/sms/messages/:id/cancel': changes(none),
  'POST /api/sms/messages/:id/cancel of another': ofOther(changes(none)),
  'POST /api/sms/messages/:id/cancel to a forbidden number': changes(none, OUT),
  'POST /api/sms/messages/:id/cancel of a campaign': only('nobody', changes(none, OF_CAMPAIGN)),
  'POST /api/sms/messages/:id/retry': changes(none, FAILED),
  'POST /api/sms/messages/:id/retry of another': ofOther(changes(none, FAILED)),
  'POST /api/sms/messages/:id/retry to a forbidden number': only(
    'nobody',
    changes(none, { ...OUT, ...FAILED }),
  ),
  'POST /api/sms/messages/:id/retry of a campaign': only(
    'nobody',
    changes(none, { ...OF_CAMPAIGN, ...FAILED }),
  ),
  'POST /api/verify': { body: (_, mark) => ({ to: `+4915${BigInt(`0x${mark}`) % 10n ** 8n}` }) },
  'POST /api/verify/check': { body: () => ({ to: NUMBER, code: '1' }) },
  'POST /api/verify/check by id': { body: () => ({ id: verification, code: '1' }) },
  'POST /api/verify/cancel': { body: () => ({ to: NUMBER }) },
  'POST /api/verify/cancel by id': { body: () => ({ id: verification }) },
  'POST /api/campaigns': {
    may: 'campaign',
    isEffect: true,
    by: 'people',
    body: (_, name) => ({ ...to, name, body: 'Sale', scheduled_at: '2090-01-01T00:00:00Z' }),
  },
  'POST /api/campaigns to a forbidden number': {
    may: 'nobody',
    isEffect: true,
    by: 'people',
    body: (_, name) => ({ recipients: [FORBIDDEN], name, body: 'Sale' }),
  },
  'POST /api/campaigns to a list': {
    may: 'send',
    isEffect: true,
    body: (_, name) => ({
      ...{ list: [{ to: NUMBER }], name, body: 'Sale', scheduled_at: '2090-01-01T00:00:00Z' },
    }),
  },
  'POST /api/campaigns/preview': {
    may: 'campaign',
    contact: 'campaign',
    by: 'people',
    body: preview,
  },
  'POST /api/campaigns/times': { by: 'people', body: () => ({ repeat: { cron: '0 8 * * 1' } }) },
  'GET /api/contacts/fields/:id/uses': { by: 'people', path: () => ({ id: contactField }) },
  'GET /api/contacts/:id/data': { by: 'people', path: () => ({ id: contact }) },
  'POST /api/contacts/:id/erase': {
    by: 'people',
    contact: 'admin',
    path: () => ({ id: contact }),
    body: () => ({ preview: true }),
  },
  'POST /api/person/data': { by: 'people', body: () => ({ number: NUMBER }) },
  'POST /api/person/erase': {
    by: 'people',
    contact: 'admin',
    body: () => ({ number: NUMBER, preview: true }),
  },
  'PATCH /api/campaigns/:id': steers((_, name) => ({ name })),
  'POST /api/campaigns/:id/pause': steers(),
  'POST /api/campaigns/:id/resume': { ...steers(), isEffect: false },
  'POST /api/campaigns/:id/cancel': steers(),
  'POST /api/campaigns/:id/retry': { ...steers(), texts: { ...OF_CAMPAIGN, ...FAILED } },
  'GET /api/campaigns/:id/progress': { ...steers(), may: 'steps', isEffect: false },
  'GET /api/campaigns/:id/recipients': { ...steers(), may: 'steps', isEffect: false },
  'PUT /api/devices/push': { body: () => ({ push: null }) },
  // a number without a conversation: what its owner wrote to it is not stored
  'POST /api/devices/typed': {
    body: () => ({
      items: [{ to: '+4917900000000', body: 'Hi', sent_at: '2026-11-20T07:00:00.000Z' }],
    }),
  },
  'POST /api/devices/carriers': {
    body: () => ({ account: carrier, secret: 'secret', check: true }),
  },
  'PUT /api/account/push': { body: () => browser },
  'POST /api/account/second-factor': { body: () => ({ password: PASSWORD }) },
  'POST /api/account/passkeys/challenge': {},
  'POST /api/account/passkeys/options': { body: () => ({ password: PASSWORD }) },
  'POST /api/account/passkeys': {
    body: () => ({ name: 'Key', credential: passkey.create({ challenge: 'AAAA' }) }),
  },
  'PATCH /api/account/passkeys/:id': { body: () => ({ name: 'Key' }) },
  'POST /api/account/passkeys/:id/remove': { body: () => ({ password: PASSWORD }) },
  'POST /api/collections/:collection/passkey-options': { path: () => ({ collection: 'users' }) },
  'POST /api/collections/:collection/auth-with-passkey': {
    path: () => ({ collection: 'users' }),
    body: () => ({ credential: passkey.sign({ challenge: 'AAAA' }) }),
  },
  'POST /api/account/second-factor/confirm': { body: () => ({ code: '000000' }) },
  'POST /api/account/second-factor/remove': {
    body: () => ({ password: PASSWORD, code: '000000' }),
  },
  'POST /api/collections/:collection/request-email-change': {
    path: () => ({ collection: 'users' }),
    body: () => ({ newEmail: 'new@example.com' }),
  },
  'POST /join/:id': {
    path: () => ({ id: joinPage.id }),
    body: (_, mark) => ({
      number: `+4917${BigInt(`0x${mark}`) % 10n ** 8n}`,
      agree: 'yes',
      version: joinPage.version,
    }),
  },
  'POST /leave/:token': { path: () => ({ token: leaveToken }), body: none },
  'POST /api/hooks/:secret': { isEffect: true, by: 'hook', body: (_, mark) => mark },
  'POST /api/hooks': { isEffect: true, body: (_, mark) => mark },
  'POST /api/hooks/preview': {
    by: 'people',
    body: () => ({ hook: { preset: 'text', groups: [group] }, body: 'Down' }),
  },
}

const credentialOf = ({ key = '', token = '' }: Caller) => key || token
const ofSmseagle = (parameter: string, value: string): Row => ({
  may: 'send',
  isEffect: true,
  by: 'key',
  query: (_, message, caller) => ({
    message,
    [parameter]: value,
    access_token: credentialOf(caller),
  }),
})
const SMSEAGLE = {
  'POST /http_api/send_sms': ofSmseagle('to', NUMBER),
  ...Object.fromEntries(
    ['GET', 'POST'].flatMap((method) => [
      [`${method} /http_api/send_tocontact`, ofSmseagle('contactname', 'Zenobia Quill')],
      [`${method} /http_api/send_togroup`, ofSmseagle('groupname', 'contact_groups')],
    ]),
  ),
}

const ofDoor = ({ headers, fields, body }: DoorSend): Row => {
  const text = (mark: string, by: Caller) => ({
    to: NUMBER,
    text: mark,
    key: credentialOf(by),
    user,
  })
  return {
    may: 'send',
    isEffect: true,
    by: 'key',
    ...(headers && { headers }),
    ...(fields && { query: (_, mark, caller) => fields(text(mark, caller)) }),
    ...(body && { body: (_, mark, caller) => body(text(mark, caller)) }),
  }
}

const tool = (
  may: Who,
  name: string,
  input: (target: Target, mark: string) => object,
  more: Partial<Row> = {},
): Row => ({
  may,
  by: 'mcp',
  ...more,
  body: (target, mark) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: input(target, mark) },
  }),
})
/** A row for each tool of MCP; the test compares them with the tools that the server has. */
export const TOOL_ROWS: Readonly<Record<string, Row>> = {
  send_message: tool('send', 'send_message', (_, body) => ({ ...to, body }), { isEffect: true }),
  send_template: tool(
    ...(['send', 'send_template'] as const),
    (_, code) => ({ ...to, template_id: template, variables: { code } }),
    { isEffect: true },
  ),
  preview_message: tool('send', 'preview_message', preview as () => object, {
    contact: 'previewed',
  }),
  cancel_message: tool('cancel', 'cancel_message', ({ ids }) => ({ id: ids[0] }), {
    isEffect: true,
    isOwn: true,
  }),
  get_quota: tool('sending', 'get_quota', none),
  find_messages: tool('messages', 'find_messages', none, { text: 'messages', texts: {} }),
  get_message: tool('messageOfOther', 'get_message', ({ ids }) => ({ id: ids[0] }), {
    text: 'messageOfOther',
    texts: {},
  }),
  find_conversations: tool('inbox', 'find_conversations', none, { contact: 'inbox' }),
  list_devices: tool('devices', 'list_devices', none),
}

const sids = ({ ids }: Target) => ({
  AccountSid: twilioSid,
  Sid: `${makeSid('SM', ids[0]!)}`,
  MessageSid: makeSid('SM', ids[0]!),
  ServiceSid: makeSid('VA', service),
})
const ofTwilio = (more: Partial<Row> = {}): Row => ({
  may: 'twilio',
  by: 'twilio',
  isOwn: true,
  path: sids,
  ...more,
})
const MESSAGES = '/2010-04-01/Accounts/:AccountSid/Messages'
const ONE = `${MESSAGES}/:Sid{[^/]+\\.json}`

// Vendel's SDKs have keys. A session opens its routes, too, but none of a member's
const VENDEL: Readonly<Record<string, Row>> = {
  'POST /vendel/api/sms/send': only('send', sends()),
  'POST /vendel/api/sms/send-template': only('send', sendsTemplate),
  'GET /vendel/api/sms/status/:id': reads('message', { text: 'messageOfOther', texts: {} }),
  'GET /vendel/api/sms/batch/:id': reads('message', {
    text: 'messageOfOther',
    texts: {},
    path: ({ batch }) => ({ id: batch }),
  }),
  'GET /vendel/api/sms/messages': reads('messages', { text: 'messages', texts: {} }),
  'GET /vendel/api/contacts': reads('contacts', { contact: 'contacts' }),
  'GET /vendel/api/contacts/groups': reads('contacts'),
  'GET /vendel/api/devices': reads('devices'),
  'GET /vendel/api/plans/quota': reads('usage'),
}

/** Routes of other products' APIs. */
const DOORS: Readonly<Record<string, Row>> = {
  'GET /api/sms/twilio': reads('usage', { isOfOwner: true }),
  'POST /api/3rdparty/v1/messages': {
    may: 'send',
    isEffect: true,
    by: 'basic',
    body: (_, text) => ({ phoneNumbers: [NUMBER], textMessage: { text } }),
  },
  'GET /api/3rdparty/v1/messages': reads('messages', { by: 'basic' }),
  'GET /api/3rdparty/v1/messages/:id': reads('message', {
    by: 'basic',
    text: 'messageOfOther',
    texts: {},
  }),
  'DELETE /api/3rdparty/v1/messages/:id': {
    may: 'messageOfOther',
    by: 'basic',
    texts: {},
    isEffect: true,
    text: 'messageOfOther',
  },
  'GET /api/3rdparty/v1/inbox': reads('inbox', { by: 'basic', text: 'inbox' }),
  'GET /api/3rdparty/v1/devices': reads('devices', { by: 'basic' }),
  'POST /mcp cancel_message of another': ofOther(TOOL_ROWS.cancel_message!),
  [`GET ${MESSAGES}.json`]: ofTwilio({ text: 'twilio' }),
  [`POST ${MESSAGES}.json`]: ofTwilio({
    isEffect: true,
    body: (_, Body) => ({ To: NUMBER, Body }),
  }),
  [`GET ${ONE}`]: ofTwilio({ text: 'twilio' }),
  [`GET ${ONE} of another`]: ofTwilio({ isOwn: false, text: 'nobody' }),
  [`POST ${ONE}`]: ofTwilio({
    isEffect: true,
    text: 'twilio',
    body: () => ({ Status: 'canceled' }),
  }),
  [`POST ${ONE} of a campaign`]: ofTwilio({
    may: 'nobody',
    texts: OF_CAMPAIGN,
    isEffect: true,
    body: () => ({ Status: 'canceled' }),
  }),
  [`DELETE ${ONE}`]: ofTwilio({ texts: FAILED, isEffect: true }),
  [`DELETE ${ONE} of another`]: ofTwilio({
    may: 'nobody',
    texts: FAILED,
    isOwn: false,
    isEffect: true,
  }),
  'POST /v2/Services/:ServiceSid/Verifications': ofTwilio({
    body: (_, mark) => ({ To: `+4916${BigInt(`0x${mark}`) % 10n ** 8n}`, Channel: 'sms' }),
  }),
  ...Object.fromEntries(
    Object.entries(VENDEL).map(([at, row]) => [at, { ...row, isOfOwner: true }]),
  ),
  ...SMSEAGLE,
  ...Object.fromEntries(DOOR_SENDS.map((send) => [send.at, ofDoor(send)])),
  'POST /api/v2/messages/sms to a contact': {
    may: 'send',
    isEffect: true,
    by: 'key',
    number: 'previewed',
    headers: (key) => ({ 'access-token': key }),
    body: (_, text) => ({ contacts: [SECRETS.contact], text }),
  },
}

export const ROWS: Readonly<Record<string, Row>> = { ...API, ...DOORS }
/** Doors that open with an API key alone: people and others are refused. */
export const KEYS_ALONE: ReadonlySet<Door> = new Set(['basic', 'key', 'mcp'])
