import { fillRequest } from '../../../../src/programs/agent/drivers/http/fill-request.ts'
import { CALLBACK, carrierOf, openDriver, REF, TEXT } from './carrier-fixture.ts'

const ONE = 'https://sms.example.com/api/files/sms_messages/a1/one.jpg?token=1.x'
const TWO = 'https://sms.example.com/api/files/sms_messages/a1/two.jpg?token=1.y'
const file = (url: string, type = 'image/jpeg') => ({ name: 'one.jpg', type, size: 9, url })
const MMS = { ...TEXT, subject: 'Shop', attachments: [file(ONE), file(TWO)] }
const CALL = `${CALLBACK}?ref=${REF}`

/** For each preset that sends MMS its body for MMS. */
test.each<[preset: string, body: object | string]>([
  [
    'twilio',
    new URLSearchParams([
      ['To', TEXT.to],
      ['From', '+4930123'],
      ['Body', TEXT.body],
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
      text: TEXT.body,
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
      image: { url: ONE, caption: TEXT.body },
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
  const request = fillRequest(carrierOf(preset), MMS)
  expect(typeof body === 'string' ? request.body : JSON.parse(request.body!)).toEqual(body)
})

test('an MMS without words has no field for them', () => {
  const { body } = fillRequest(carrierOf('telnyx'), { ...MMS, body: '', subject: '' })
  expect(JSON.parse(body!)).not.toHaveProperty('text')
  expect(JSON.parse(body!)).not.toHaveProperty('subject')
})

test.each([
  ['two files, at Vonage', { attachments: [file(ONE), file(TWO)] }, /at most 1 files/],
  ['a video, at Vonage', { attachments: [file(ONE, 'video/mp4')] }, /no file of the type video/],
])('an MMS with %s fails before it is sent', async (_, more, error) => {
  const { send } = await openDriver({
    preset: 'vonage',
    senders: ['+4930123'],
    user: 'acme',
    secret: 'sesame',
  })
  expect(await send(more)).toEqual({
    outcome: 'failed',
    error: expect.stringMatching(error),
    notSent: false,
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
