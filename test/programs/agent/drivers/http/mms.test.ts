import { fillRequest } from '../../../../../src/programs/agent/drivers/http/fill-request.ts'
import { makeSampleRequest } from '../../../../../src/programs/agent/drivers/http/sample-request.ts'
import {
  CALLBACK,
  carrierOf,
  custom,
  openDriver,
  REF,
  settingsOf,
  TEXT,
} from './carrier-fixture.ts'

const ONE = 'https://sms.example.com/api/files/sms_messages/a1/one.jpg?token=1.x'
const TWO = 'https://sms.example.com/api/files/sms_messages/a1/two.jpg?token=1.y'
const file = (url: string, type = 'image/jpeg') => ({ name: 'one.jpg', type, size: 9, url })
const MMS = { ...TEXT, subject: 'Shop', attachments: [file(ONE), file(TWO)] }
/** Subject and text, for a carrier without subjects. */
const WORDS = `Shop\n${TEXT.body}`
const CALL = `${CALLBACK}?ref=${REF}`

const ONE_FILE = new Set(['vonage', 'sinch'])

/** For each preset that sends MMS its body for MMS. */
test.each<[preset: string, body: object | string]>([
  [
    'twilio',
    new URLSearchParams([
      ['To', TEXT.to],
      ['From', '+4930123'],
      ['Body', WORDS],
      ['MediaUrl', ONE],
      ['MediaUrl', TWO],
      ['StatusCallback', CALL],
    ]).toString(),
  ],
  [
    'telnyx',
    {
      from: '+4930123',
      to: TEXT.to,
      text: TEXT.body,
      subject: 'Shop',
      media_urls: [ONE, TWO],
      type: 'MMS',
      webhook_url: CALL,
    },
  ],
  [
    'plivo',
    {
      src: '+4930123',
      dst: TEXT.to,
      type: 'mms',
      text: WORDS,
      media_urls: [ONE, TWO],
      url: CALL,
      method: 'POST',
    },
  ],
  [
    'vonage',
    {
      channel: 'mms',
      message_type: 'image',
      to: '4915112345678',
      from: '4930123',
      image: { url: ONE, caption: WORDS },
      client_ref: REF,
      webhook_url: CALL,
      webhook_version: 'v1',
    },
  ],
  [
    'sinch',
    {
      from: '+4930123',
      to: [TEXT.to],
      type: 'mt_media',
      body: { url: ONE, message: TEXT.body, subject: 'Shop' },
      delivery_report: 'per_recipient_final',
      callback_url: CALL,
      client_reference: REF,
    },
  ],
  [
    'messagebird',
    {
      originator: '+4930123',
      recipients: ['4915112345678'],
      subject: 'Shop',
      body: TEXT.body,
      mediaUrls: [ONE, TWO],
      reference: REF,
    },
  ],
  [
    'infobip',
    {
      messages: [
        {
          sender: '4930123',
          destinations: [{ to: '4915112345678' }],
          content: {
            title: 'Shop',
            messageSegments: [
              { type: 'TEXT', text: TEXT.body },
              { type: 'LINK', contentUrl: ONE, contentType: 'image/jpeg' },
              { type: 'LINK', contentUrl: TWO, contentType: 'image/jpeg' },
            ],
          },
          webhooks: {
            delivery: { url: CALL },
            contentType: 'application/json',
            callbackData: REF,
          },
        },
      ],
    },
  ],
  [
    'pocketsms',
    {
      recipients: [TEXT.to],
      body: TEXT.body,
      subject: 'Shop',
      attachments: [ONE, TWO],
      from: '+4930123',
      client_ref: REF,
    },
  ],
])('%s is asked to send an MMS', (preset, body) => {
  const attachments = MMS.attachments.slice(0, ONE_FILE.has(preset) ? 1 : 2)
  const request = fillRequest(carrierOf(preset), { ...MMS, attachments })
  expect(typeof body === 'string' ? request.body : JSON.parse(request.body!)).toEqual(body)
})

test('an MMS without words has no field for them', () => {
  const { body } = fillRequest(carrierOf('telnyx'), { ...MMS, body: '', subject: '' })
  expect(JSON.parse(body!)).not.toHaveProperty('text')
  expect(JSON.parse(body!)).not.toHaveProperty('subject')
})

test('an MMS without words has no part for them', () => {
  const { body } = fillRequest(carrierOf('infobip'), { ...MMS, body: '', subject: '' })
  expect(JSON.parse(body!).messages[0].content).toEqual({
    messageSegments: [ONE, TWO].map((contentUrl) => ({
      type: 'LINK',
      contentUrl,
      contentType: 'image/jpeg',
    })),
  })
})

test.each([
  ['audio/mpeg', 'audio'],
  ['video/mp4', 'video'],
  ['text/vcard', 'vcard'],
])('Vonage gets %s as %s', (type, name) => {
  const { body } = fillRequest(carrierOf('vonage'), { ...MMS, attachments: [file(ONE, type)] })
  expect(JSON.parse(body!)).toMatchObject({
    message_type: name,
    [name]: { url: ONE, caption: WORDS },
  })
})

// https://dev.bandwidth.com/apis/messaging-apis/messaging (2026-11-28): with values of our own
test('a custom carrier such as Bandwidth gets files as its interface names them', () => {
  const body = { from: '{{from}}', to: ['{{to}}'], applicationId: 'a1', tag: '{{ref}}' }
  const given = custom('https://messaging.example', {
    send: { path: '/send', body: { ...body, text: '{{body}}' } },
    mms: { body: { ...body, text: '{{words}}', media: '{{files}}' }, maxFiles: 2 },
  })
  const { carrier } = settingsOf(given)
  expect(JSON.parse(fillRequest(carrier, MMS).body!)).toEqual({
    from: '+4930123',
    to: [TEXT.to],
    applicationId: 'a1',
    tag: REF,
    text: WORDS,
    media: [ONE, TWO],
  })
})

test.each([
  ['two files, at Vonage', { attachments: [file(ONE), file(TWO)] }, /at most 1 file$/],
  ['a PDF, at Vonage', { attachments: [file(ONE, 'application/pdf')] }, /no file of the type app/],
])('an MMS with %s is left to other lines', async (_, more, error) => {
  const { send } = await openDriver({
    preset: 'vonage',
    senders: ['+4930123'],
    user: 'acme',
    secret: 'sesame',
  })
  expect(await send(more)).toEqual({
    outcome: 'failed',
    error: expect.stringMatching(error),
    notSent: true,
  })
})

test('a carrier on the internet cannot fetch files of a private server', async () => {
  const given = { preset: 'telnyx', senders: ['+4930123'], secret: 'sesame', allow_private: false }
  const { send } = await openDriver({ ...given, callback: 'https://sms.example.com/calls/k3v9' })
  const attachments = [file('https://192.168.1.9/one.jpg')]
  expect(await send({ attachments })).toMatchObject({
    error: expect.stringContaining('PUBLIC_URL'),
  })
})

test.each([
  ['a wrong template', { text: '{{#each' }, /.+/],
  ['a name that does not exist', { text: '{{nobody}}' }, /has no nobody/],
])('an interface whose MMS has %s is refused when it is added', (_, body, error) => {
  const given = custom('https://carrier.example', { mms: [{ body: {} }, { body }] })
  expect(() => makeSampleRequest(settingsOf(given).carrier)).toThrow(error)
})
