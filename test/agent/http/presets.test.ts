import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { readCall } from '../../../src/agent/drivers/http/read-call.ts'
import { fillRequest } from '../../../src/agent/drivers/http/request.ts'
import type { Call } from '../../../src/agent/drivers/http/signature.ts'
import { carrierLibrary, hasCarrierLibraries } from '../../third-party/carrier-libraries.ts'
import { settingsOf, TEXT } from './carrier-fixture.ts'

const REF = `${TEXT.id}.1`
const CALLBACK = 'https://sms.example/calls/k3v9'
const { publicKey, privateKey } = generateKeyPairSync('ed25519')
/** The last 32 bytes of the key in DER are the key itself. RFC 8410 */
const PUBLIC_KEY = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')

const carrierOf = (preset: string, more: object = {}) =>
  settingsOf({ preset, user: 'acme', secret: 'sesame', senders: ['+4930123'], callback: CALLBACK, ...more })
    .carrier

/** For each preset its request for TEXT: path, credentials and body. */
test.each<[preset: string, url: string, authorization: string, body: object | string]>([
  [
    'twilio',
    'https://api.twilio.com/2010-04-01/Accounts/acme/Messages.json',
    'Basic YWNtZTpzZXNhbWU=',
    new URLSearchParams({
      ...{ To: TEXT.to, From: '+4930123', Body: TEXT.body },
      StatusCallback: `${CALLBACK}?ref=${REF}`,
    }).toString(),
  ],
  [
    'telnyx',
    'https://api.telnyx.com/v2/messages',
    'Bearer sesame',
    { from: '+4930123', to: TEXT.to, text: TEXT.body, webhook_url: `${CALLBACK}?ref=${REF}` },
  ],
  [
    'vonage',
    'https://api.nexmo.com/v1/messages',
    'Basic YWNtZTpzZXNhbWU=',
    {
      ...{ channel: 'sms', message_type: 'text', to: '4915112345678', from: '4930123', text: TEXT.body },
      ...{ client_ref: REF, webhook_url: `${CALLBACK}?ref=${REF}`, webhook_version: 'v1' },
    },
  ],
  [
    'plivo',
    'https://api.plivo.com/v1/Account/acme/Message/',
    'Basic YWNtZTpzZXNhbWU=',
    { src: '+4930123', dst: TEXT.to, text: TEXT.body, url: `${CALLBACK}?ref=${REF}`, method: 'POST' },
  ],
  [
    'messagebird',
    'https://rest.messagebird.com/messages',
    'AccessKey sesame',
    {
      ...{ originator: '+4930123', recipients: ['4915112345678'], body: TEXT.body, datacoding: 'auto' },
      ...{ reference: REF, reportUrl: `${CALLBACK}?ref=${REF}` },
    },
  ],
])('%s is asked to send a text', (preset, url, authorization, body) => {
  const request = fillRequest(carrierOf(preset), TEXT)
  expect(request).toMatchObject({ method: 'POST', url })
  expect(request.headers).toMatchObject({ authorization })
  const sent = typeof body === 'string' ? request.body : JSON.parse(String(request.body))
  expect(sent).toEqual(body)
})

const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
const FORM = 'application/x-www-form-urlencoded'
const hmac = (hash: string, key: string, text: string) => createHmac(hash, key).update(text).digest('base64')
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function tokenOf(claims: object): string {
  const iat = Math.floor(Date.now() / 1000)
  const parts = [
    { alg: 'HS256', typ: 'JWT' },
    { iat, ...claims },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const mark = createHmac('sha256', 'sesame').update(parts.join('.')).digest('base64url')
  return [...parts, mark].join('.')
}

type Headers = Readonly<Record<string, string>>
interface Signer {
  /** Signs as the carrier's documentation says. */
  readonly sign: (url: string, body: string) => Headers
  /** Whether the carrier's own library accepts the call. */
  readonly verify: (url: string, body: string, headers: Headers) => unknown
}

const now = () => String(Math.floor(Date.now() / 1000))
const SIGNERS: Readonly<Record<string, Signer>> = {
  twilio: {
    sign(url, body) {
      const fields = [...new URLSearchParams(body)].sort(([a], [b]) => (a < b ? -1 : 1))
      return { 'x-twilio-signature': hmac('sha1', 'sesame', url + fields.flat().join('')) }
    },
    verify: (url, body, headers) =>
      carrierLibrary('twilio').validateRequest(
        'sesame',
        headers['x-twilio-signature'],
        url,
        Object.fromEntries(new URLSearchParams(body)),
      ),
  },
  telnyx: {
    sign(_, body) {
      const timestamp = now()
      const mark = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString('base64')
      return { 'telnyx-timestamp': timestamp, 'telnyx-signature-ed25519': mark }
    },
    async verify(_, body, headers) {
      const { TelnyxWebhook } = carrierLibrary('telnyx/lib/webhooks')
      await new TelnyxWebhook(PUBLIC_KEY).verify(body, headers)
      return true
    },
  },
  vonage: {
    sign: (_, body) => ({ authorization: `Bearer ${tokenOf({ payload_hash: sha256(body) })}` }),
    verify: (_, __, { authorization }) =>
      carrierLibrary('@vonage/jwt').verifySignature(authorization!.slice(7), 'sesame'),
  },
  plivo: {
    sign: (url) => ({
      'x-plivo-signature-v2': hmac('sha256', 'sesame', `${url.split('?')[0]}05429567804466091622`),
      'x-plivo-signature-v2-nonce': '05429567804466091622',
    }),
    verify: (url, _, headers) =>
      carrierLibrary('plivo').validateSignature(
        url,
        headers['x-plivo-signature-v2-nonce'],
        headers['x-plivo-signature-v2'],
        'sesame',
      ),
  },
  messagebird: {
    sign: (url, body) => {
      const hash = body === '' ? {} : { payload_hash: sha256(body) }
      const claims = { url_hash: sha256(url), ...hash, jti: 'a', iss: 'MessageBird', exp: Number(now()) + 60 }
      return { 'messagebird-signature-jwt': tokenOf(claims) }
    },
    verify: (url, body, headers) =>
      carrierLibrary('messagebird/lib/webhook-signature-jwt').verify(
        url,
        Buffer.from(body),
        headers['messagebird-signature-jwt'],
        Buffer.from('sesame'),
      ),
  },
}

const SECRETS: Readonly<Record<string, object>> = { telnyx: { webhook_secret: PUBLIC_KEY } }
const delivered = { kind: 'receipt', id: TEXT.id, attempt: 1, error: '' }
const failedWith = (words: string) => ({ ...delivered, error: `The carrier did not deliver it: ${words}` })
const text = { kind: 'text', from: '+491761000002', body: 'Hi & bye', sim: 1, key: expect.any(String) }

/** Calls in the form of each carrier's documentation, with what they tell. */
const CALLS: readonly (readonly [
  preset: string,
  query: string,
  type: string,
  body: string,
  event: object,
])[] = [
  [
    'twilio',
    `?ref=${REF}`,
    FORM,
    form({ MessageSid: 'SM1', MessageStatus: 'delivered', To: TEXT.to }),
    delivered,
  ],
  [
    'twilio',
    `?ref=${REF}`,
    FORM,
    form({ MessageStatus: 'undelivered', ErrorCode: '30003' }),
    failedWith('undelivered 30003'),
  ],
  [
    'twilio',
    '',
    FORM,
    form({
      MessageSid: 'SM2',
      SmsStatus: 'received',
      From: '+491761000002',
      To: '+4930123',
      Body: 'Hi & bye',
    }),
    text,
  ],
  [
    'telnyx',
    `?ref=${REF}`,
    'application/json',
    '{"data":{"event_type":"message.finalized","id":"e1","payload":{"id":"m1","to":[{"phone_number":"+4915112345678","status":"delivered"}],"errors":[]}}}',
    delivered,
  ],
  [
    'telnyx',
    '',
    'application/json',
    '{"data":{"event_type":"message.received","payload":{"id":"m2","from":{"phone_number":"+491761000002"},"to":[{"phone_number":"+4930123","status":"webhook_delivered"}],"text":"Hi & bye"}}}',
    text,
  ],
  [
    'vonage',
    '',
    'application/json',
    `{"message_uuid":"u1","to":"4915112345678","from":"4930123","status":"rejected","channel":"sms","client_ref":"${REF}","error":{"title":1022,"detail":"Not allowed"}}`,
    failedWith('rejected 1022 Not allowed'),
  ],
  [
    'vonage',
    '',
    'application/json',
    '{"channel":"sms","message_uuid":"u2","to":"4930123","from":"491761000002","text":"Hi & bye","message_type":"text"}',
    text,
  ],
  [
    'plivo',
    `?ref=${REF}`,
    FORM,
    form({ MessageUUID: 'm1', Status: 'delivered', To: '4915112345678' }),
    delivered,
  ],
  [
    'plivo',
    '',
    FORM,
    form({ MessageUUID: 'm2', Type: 'sms', From: '491761000002', To: '4930123', Text: 'Hi & bye' }),
    text,
  ],
  [
    'messagebird',
    `?ref=${REF}&id=m1&reference=${REF}&recipient=4915112345678&status=delivered`,
    '',
    '',
    delivered,
  ],
  [
    'messagebird',
    '',
    FORM,
    form({ id: 'm2', originator: '491761000002', recipient: '4930123', body: 'Hi & bye' }),
    text,
  ],
]

test.each(CALLS)('a signed call of %s%s is read', async (preset, query, type, body, event) => {
  const carrier = carrierOf(preset, SECRETS[preset])
  const { sign, verify } = SIGNERS[preset]!
  const url = CALLBACK + query
  const headers = { 'content-type': type, ...sign(url, body) }
  const call: Call = { method: body === '' ? 'GET' : 'POST', url, headers, body: Buffer.from(body) }
  expect(readCall(carrier, call)).toEqual([event])
  if (hasCarrierLibraries()) expect(await verify(url, body, headers)).not.toBe(false)

  const forged = Object.fromEntries(
    Object.entries(sign(url, body)).map(([name, value]) => [
      name,
      /nonce|timestamp/.test(name) ? value : `${value.slice(0, -8)}AAAAAAA=`,
    ]),
  )
  expect(readCall(carrier, { ...call, headers: { 'content-type': type, ...forged } })).toBe(undefined)
  expect(readCall(carrier, { ...call, headers: { 'content-type': type } })).toBe(undefined)
  expect(readCall({ ...carrier, secret: '', webhook_secret: '' }, call)).toBe(undefined)
})

test.each(['twilio', 'telnyx', 'vonage', 'messagebird'])('a changed call of %s is refused', (preset) => {
  const [, query, type, body] = CALLS.find(([name, , , content]) => name === preset && content !== '')!
  const carrier = carrierOf(preset, SECRETS[preset])
  const headers = { 'content-type': type, ...SIGNERS[preset]!.sign(CALLBACK + query, body) }
  const call: Call = { method: 'POST', url: CALLBACK + query, headers, body: Buffer.from(body) }
  expect(readCall(carrier, call)).toHaveLength(1)
  const changed = Buffer.from(body.replace('4', '5'))
  expect(readCall(carrier, { ...call, body: changed })).toBe(undefined)
})
