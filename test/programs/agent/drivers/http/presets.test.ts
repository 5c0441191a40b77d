import type { SignedCall } from '../../../../../src/programs/agent/drivers/http/check-call-signature.ts'
import { fillRequest } from '../../../../../src/programs/agent/drivers/http/fill-request.ts'
import { readCall } from '../../../../../src/programs/agent/drivers/http/read-call.ts'
import { hasCarrierLibraries } from '../../../../third-party/carrier-libraries.ts'
import { CALLBACK, carrierOf, REF, TEXT } from './carrier-fixture.ts'
import { SECRETS, SIGNERS } from './carrier-signers.ts'

const eventsOf = (...given: Parameters<typeof readCall>) => readCall(...given)?.events

/** For each preset its request for TEXT: path, credentials and body. */
test.each<[preset: string, url: string, authorization: string, body: object | string]>([
  [
    'twilio',
    'https://api.twilio.com/2010-04-01/Accounts/acme/Messages.json',
    'Basic YWNtZTpzZXNhbWU=',
    new URLSearchParams({
      To: TEXT.to,
      From: '+4930123',
      Body: TEXT.body,
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
      channel: 'sms',
      message_type: 'text',
      to: '4915112345678',
      from: '4930123',
      text: TEXT.body,
      client_ref: REF,
      webhook_url: `${CALLBACK}?ref=${REF}`,
      webhook_version: 'v1',
    },
  ],
  [
    'plivo',
    'https://api.plivo.com/v1/Account/acme/Message/',
    'Basic YWNtZTpzZXNhbWU=',
    {
      src: '+4930123',
      dst: TEXT.to,
      text: TEXT.body,
      url: `${CALLBACK}?ref=${REF}`,
      method: 'POST',
    },
  ],
  [
    'messagebird',
    'https://rest.messagebird.com/messages',
    'AccessKey sesame',
    {
      originator: '+4930123',
      recipients: ['4915112345678'],
      body: TEXT.body,
      datacoding: 'auto',
      reference: REF,
      reportUrl: `${CALLBACK}?ref=${REF}`,
    },
  ],
  [
    'sinch',
    'https://us.sms.api.sinch.com/xms/v1/acme/batches',
    'Bearer sesame',
    {
      from: '+4930123',
      to: [TEXT.to],
      type: 'mt_text',
      body: TEXT.body,
      delivery_report: 'per_recipient_final',
      callback_url: `${CALLBACK}?ref=${REF}`,
      client_reference: REF,
    },
  ],
  [
    'infobip',
    'https://x1y2z3.api.infobip.example/sms/3/messages',
    'App sesame',
    {
      messages: [
        {
          sender: '4930123',
          destinations: [{ to: '4915112345678' }],
          content: { text: TEXT.body },
          webhooks: {
            delivery: { url: `${CALLBACK}?ref=${REF}` },
            contentType: 'application/json',
            callbackData: REF,
          },
        },
      ],
    },
  ],
  [
    'gatewayapi',
    'https://messaging.gatewayapi.com/mobile/single',
    'Token sesame',
    { sender: '4930123', recipient: 4915112345678, message: TEXT.body, reference: REF },
  ],
  [
    'clickatell',
    'https://platform.clickatell.com/v1/message',
    'sesame',
    {
      messages: [
        {
          channel: 'sms',
          to: '4915112345678',
          from: '4930123',
          content: TEXT.body,
          clientMessageId: REF,
        },
      ],
    },
  ],
])('%s is asked to send a text', (preset, url, authorization, body) => {
  const request = fillRequest(carrierOf(preset), TEXT)
  expect(request).toMatchObject({ method: 'POST', url })
  expect(request.headers).toMatchObject({ authorization })
  const sent = typeof body === 'string' ? request.body : JSON.parse(String(request.body))
  expect(sent).toEqual(body)
})

test('seven is asked to send a text', () => {
  const { method, url, headers, body } = fillRequest(carrierOf('seven'), TEXT)
  expect({ method, url }).toEqual({ method: 'POST', url: 'https://gateway.seven.io/api/sms' })
  expect(headers).toMatchObject({ 'x-api-key': 'sesame', 'content-type': 'application/json' })
  const sent = { to: '4915112345678', from: '4930123', text: TEXT.body, foreign_id: REF }
  expect(JSON.parse(String(body))).toEqual(sent)
})

const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
const FORM = 'application/x-www-form-urlencoded'
const delivered = { kind: 'receipt', id: TEXT.id, attempt: 1, error: '' }
const failedWith = (words: string) => ({
  ...delivered,
  error: `The carrier did not deliver it: ${words}`,
})
const text = {
  kind: 'text',
  from: '+491761000002',
  body: 'Hi & bye',
  sim: 1,
  key: expect.any(String),
}

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
    'telnyx',
    '',
    'application/json',
    '{"data":{"event_type":"message.received","payload":{"id":"m3","from":{"phone_number":"+491761000002"},"to":[{"phone_number":"+4930123"}],"text":"Hi & bye","type":"MMS","media":[{"url":"https://media.telnyx.com/abc123/image.jpg","content_type":"image/jpeg","size":245760},{"content_type":"image/png"}]}}}',
    {
      ...text,
      files: [
        {
          url: 'https://media.telnyx.com/abc123/image.jpg',
          name: '',
          contentType: 'image/jpeg',
          size: 245_760,
        },
      ],
    },
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
  [
    'sinch',
    `?ref=${REF}`,
    'application/json',
    `{"at":"2026-11-26T09:22:40.914Z","batch_id":"01JHFFHQ","client_reference":"${REF}","code":0,"recipient":"4915112345678","status":"Delivered","type":"recipient_delivery_report_sms"}`,
    delivered,
  ],
  [
    'sinch',
    '',
    'application/json',
    `{"batch_id":"01JHFFHQ","client_reference":"${REF}","code":412,"recipient":"4915112345678","status":"Aborted","type":"recipient_delivery_report_sms"}`,
    failedWith('Aborted 412'),
  ],
  [
    'sinch',
    '',
    'application/json',
    '{"id":"01W4FFL35P4NC4K35","type":"mo_text","from":"491761000002","to":"4930123","body":"Hi & bye"}',
    text,
  ],
  [
    'seven',
    '',
    'application/json',
    `{"data":{"msg_id":"77149843739","foreign_id":"${REF}","status":"DELIVERED","timestamp":"2021-08-24 08:08:00.000000"},"webhook_event":"dlr"}`,
    delivered,
  ],
  [
    'seven',
    '',
    'application/json',
    '{"data":{"id":"681590","sender":"491761000002","system":"4930123","text":"Hi & bye","time":"1605878104","message_type":"SMS"},"webhook_event":"sms_mo"}',
    text,
  ],
  [
    'gatewayapi',
    '',
    'application/json',
    `{"event_id":"09c829a2","event_type":"message.status.sms","event":{"msg_id":"01JNN6","recipient":4915112345678,"reference":"${REF}","status":"UNDELIVERABLE","error":{"hex_code":"0x1010","details":"Unknown subscriber"}}}`,
    failedWith('UNDELIVERABLE 0x1010 Unknown subscriber'),
  ],
  [
    'gatewayapi',
    '',
    'application/json',
    '{"event_id":"09c829a3","event_type":"user-message.text.sms","event":{"msg_id":"01JNN7","sender":491761000002,"sent_at":"2026-11-26T09:22:40Z","content":{"message":"Hi & bye","encoding":"UTF-8","header":null}}}',
    { ...text, sim: 0 },
  ],
]

test.each(CALLS)('a signed call of %s%s is read', async (preset, query, type, body, event) => {
  const carrier = carrierOf(preset, SECRETS[preset])
  const { sign, verify } = SIGNERS[preset]!
  const url = CALLBACK + query
  const headers = { 'content-type': type, ...sign(url, body) }
  const call: SignedCall = {
    method: body === '' ? 'GET' : 'POST',
    url,
    headers,
    body: Buffer.from(body),
  }
  expect(eventsOf(carrier, call)).toEqual([event])
  if (verify && hasCarrierLibraries()) expect(await verify(url, body, headers)).not.toBe(false)

  const forged = Object.fromEntries(
    Object.entries(sign(url, body)).map(([name, value]) => [
      name,
      /nonce|timestamp/.test(name) ? value : `${value.slice(0, -8)}AAAAAAA=`,
    ]),
  )
  expect(eventsOf(carrier, { ...call, headers: { 'content-type': type, ...forged } })).toBe(
    undefined,
  )
  expect(eventsOf(carrier, { ...call, headers: { 'content-type': type } })).toBe(undefined)
  expect(eventsOf({ ...carrier, secret: '', webhook_secret: '' }, call)).toBe(undefined)
})

test.each(['twilio', 'telnyx', 'vonage', 'messagebird', 'sinch', 'seven', 'gatewayapi'])(
  'a changed call of %s is refused',
  (preset) => {
    const [, query, type, body] = CALLS.find(
      ([name, , , content]) => name === preset && content !== '',
    )!
    const carrier = carrierOf(preset, SECRETS[preset])
    const headers = { 'content-type': type, ...SIGNERS[preset]!.sign(CALLBACK + query, body) }
    const call: SignedCall = {
      method: 'POST',
      url: CALLBACK + query,
      headers,
      body: Buffer.from(body),
    }
    expect(eventsOf(carrier, call)).toHaveLength(1)
    const changed = Buffer.from(body.replace('4', '5'))
    expect(eventsOf(carrier, { ...call, body: changed })).toBe(undefined)
  },
)

/** Calls of carriers that do not sign. */
test.each<[what: string, preset: string, body: string, events: object[]]>([
  [
    'a report',
    'infobip',
    `{"results":[{"bulkId":"b1","messageId":"m1","callbackData":"${REF}","to":"4915112345678","from":"4930123","status":{"groupName":"DELIVERED","name":"DELIVERED_TO_HANDSET"},"error":{"name":"NO_ERROR","description":"No Error"}}]}`,
    [delivered],
  ],
  [
    'a report on a text of another program',
    'infobip',
    '{"results":[{"messageId":"m1","to":"4915112345678","from":"4930123","status":{"groupName":"DELIVERED"}}]}',
    [],
  ],
  [
    'a text',
    'infobip',
    '{"results":[{"messageId":"8177","from":"491761000002","to":"4930123","text":"Hi & bye","cleanText":"Hi & bye","receivedAt":"2016-10-06T09:28:39.220+0000","smsCount":1}],"messageCount":1}',
    [text],
  ],
  [
    'a report',
    'clickatell',
    `{"integrationId":"i1","integrationName":"n","event":{"messageStatusUpdate":[{"channel":"sms","timestamp":1506607698000,"statusCode":23,"status":"DELIVERY_FAILURE","messageId":"77fb","clientMessageId":"${REF}"}]}}`,
    [failedWith('DELIVERY_FAILURE')],
  ],
  [
    'a text',
    'clickatell',
    '{"integrationId":"i1","integrationName":"n","event":{"moText":[{"channel":"sms","messageId":"0a2c","from":"491761000002","to":"4930123","content":"Hi & bye"}]}}',
    [text],
  ],
])('%s of %s is read', (_, preset, body, events) => {
  const headers = { 'content-type': 'application/json' }
  const call: SignedCall = { method: 'POST', url: CALLBACK, headers, body: Buffer.from(body) }
  expect(eventsOf(carrierOf(preset), call)).toEqual(events)
})

test('a call of seven may sign its path instead of its address', () => {
  const [, query, type, body] = CALLS.find(([name]) => name === 'seven')!
  const url = CALLBACK + query
  const { pathname } = new URL(url)
  const readSigned = (address: string) => {
    const headers = { 'content-type': type, ...SIGNERS.seven!.sign(address, body) }
    return eventsOf(carrierOf('seven'), { method: 'POST', url, headers, body: Buffer.from(body) })
  }
  expect(readSigned(pathname)).toEqual([delivered])
  expect(readSigned(`${pathname}/other`)).toBe(undefined)
  expect(readSigned('')).toBe(undefined)
})

const callOf = (query: string, type: string, body: string): SignedCall => ({
  method: 'POST',
  url: `${CALLBACK}?${query}`,
  headers: { 'content-type': type },
  body: Buffer.from(body),
})

test('of a query or form, the first 100 fields are read', () => {
  const incoming = { from: 'from', body: 'body' }
  const carrier = carrierOf('custom', { url: CALLBACK, custom: { send: { path: '/' }, incoming } })
  const others = (count: number) => Array.from({ length: count }, (_, i) => `f${i}=1`).join('&')
  for (const [query, form] of [
    [`${others(98)}&from=Acme&body=Hi`, ''],
    ['from=Acme', `${others(99)}&body=Hi`],
  ] as const) {
    const type = 'application/x-www-form-urlencoded'
    expect(eventsOf(carrier, callOf(query, type, form))).toMatchObject([
      { from: 'Acme', body: 'Hi' },
    ])
    expect(eventsOf(carrier, callOf(`f=&${query}`, type, form && `f=&${form}`))).toEqual([])
  }
})

test('the texts of a list are UTF-8, also if they name another charset', () => {
  const incoming = { each: 'all', from: 'from', body: 'body', charset: 'charset' }
  const carrier = carrierOf('custom', { url: CALLBACK, custom: { send: { path: '/' }, incoming } })
  const item = { from: 'Acme', body: 'Zoë', charset: 'utf-16be' }
  const body = JSON.stringify({ all: [item, 'from', null], x: '&body=%00Z' })
  expect(eventsOf(carrier, callOf('', 'application/x-www-form-urlencoded', body))).toMatchObject([
    { from: 'Acme', body: 'Zoë' },
  ])
})
