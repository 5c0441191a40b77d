import { fillRequest } from '../../../../../src/programs/agent/drivers/http/fill-request.ts'
import { readCall } from '../../../../../src/programs/agent/drivers/http/read-call.ts'
import { CALLBACK, carrierOf, openDriver, REF, TEXT } from './carrier-fixture.ts'
import { SIGNERS } from './carrier-signers.ts'

const SERVICE = `MG${'0a'.repeat(16)}`
const senders = ['+4930123', SERVICE]

test('Twilio is asked to send by a Messaging Service instead of a number', () => {
  const ask = (text: object) =>
    new URLSearchParams(fillRequest(carrierOf('twilio', { senders }), { ...TEXT, ...text }).body)
  expect(ask({}).get('From')).toBe('+4930123')
  expect(ask({}).has('MessagingServiceSid')).toBe(false)
  const file = { name: 'a.jpg', type: 'image/jpeg', size: 1, url: 'https://sms.example.com/a.jpg' }
  for (const more of [{}, { attachments: [file] }]) {
    const asked = ask({ sim: 2, ...more })
    expect(asked.get('MessagingServiceSid')).toBe(SERVICE)
    expect(asked.has('From')).toBe(false)
  }
})

test('a Messaging Service is a line without a number', async () => {
  const { driver } = await openDriver({ preset: 'twilio', user: 'AC1', secret: 'sesame', senders })
  expect(driver.sims).toEqual([
    { slot: 1, number: '+4930123', carrier: 'twilio' },
    { slot: 2, carrier: 'twilio' },
  ])
})

test('a text to a Messaging Service, by RCS too, belongs to its line', () => {
  const carrier = carrierOf('twilio', { senders })
  const body = new URLSearchParams({
    SmsStatus: 'received',
    MessageSid: 'SM01',
    From: 'rcs:+4915123456789',
    To: 'rcs:acme_agent',
    MessagingServiceSid: SERVICE,
    Body: 'Yes',
  }).toString()
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    ...SIGNERS.twilio!.sign(CALLBACK, body),
  }
  const call = { method: 'POST', url: CALLBACK, headers, body: Buffer.from(body) }
  expect(readCall(carrier, call)?.events).toMatchObject([{ from: '+4915123456789', sim: 2 }])
})

test.each<[sender: string, fields: object, channel: string | undefined]>([
  ['an RCS sender', { From: 'rcs:acme_agent' }, 'rcs'],
  ['a channel', { From: '+4930123', ChannelPrefix: 'rcs' }, 'rcs'],
  ['a number, after a fallback', { From: '+4930123' }, undefined],
])('a delivery by %s tells the channel', (_, fields, channel) => {
  const body = new URLSearchParams({ MessageStatus: 'delivered', ...fields }).toString()
  const url = `${CALLBACK}?ref=${REF}`
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    ...SIGNERS.twilio!.sign(url, body),
  }
  const call = { method: 'POST', url, headers, body: Buffer.from(body) }
  const [event] = readCall(carrierOf('twilio', { senders }), call)!.events
  expect(event).toMatchObject({ kind: 'receipt', error: '' })
  expect((event as { channel?: string }).channel).toBe(channel)
})

test('other carriers have no Messaging Services', () => {
  expect(() => carrierOf('telnyx', { senders })).toThrow('telnyx has no Messaging Services')
})
