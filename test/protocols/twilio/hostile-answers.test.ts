import { makeUserSending } from '../../../src/gateway/messages/send/make-user-sending.ts'
import { makeTwilioCaller } from '../../../src/protocols/twilio/call-callback-url.ts'
import { watchStatements } from '../../support/database/watch-statements.ts'
import { pairPhone, startApp, startTwilioFixture } from '../../support/twilio/twilio-fixture.ts'

// What an SmsUrl answers that means no good.

const NUMBER = '+4915550000001'

const fixture = await startTwilioFixture({ WEBHOOK_ALLOW_PRIVATE: 'false' })
const ann = await fixture.makeUser()
const phone = await pairPhone(fixture, ann, NUMBER)
const app = await startApp()
const { incoming_phone_numbers } = (await ann.ask('GET', 'IncomingPhoneNumbers.json')).body
const number = incoming_phone_numbers[0].sid

afterEach(() => {
  app.calls.length = 0
})

let texts = 0

/** Tells the app of a text, and what came of it. `answer` may change the settings before the app answers. */
function tell(answer: (settings: { webhookAllowPrivate: boolean }) => string) {
  const { store, sending } = fixture.gateway.server.services
  const settings = { ...sending.config, webhookAllowPrivate: true }
  app.behave(
    (_, res) =>
      void res
        .writeHead(200, { 'content-type': 'text/xml' })
        .end(`<Response>${answer(settings)}</Response>`),
  )
  const call = makeTwilioCaller(makeUserSending(store, { ...sending, config: settings }))
  const image = {
    id: `incomingtext${String(++texts).padStart(3, '0')}`,
    device: phone.id,
    from: '+4917712345678',
    to: NUMBER,
    body: 'Hello',
    created: new Date().toISOString().replace('T', ' '),
  }
  const due = {
    delivery: 'a',
    user: ann.user.id,
    webhook: '',
    eventId: 'a',
    attempts: 0,
    closed: undefined,
  }
  const hook = {
    url: `${app.url}/sms`,
    format: 'twilio',
    maxAttempts: 4,
    event: 'message.received',
  }
  const rest = {
    target: null,
    image,
    files: [],
    body: '',
    secrets: [],
    message: image.id,
    apiKey: ann.keyId,
  }
  return call({ ...due, ...hook, ...rest }, new AbortController().signal)
}

test.each([
  ['plain http', () => `${app.url}/inside`, /is not https/],
  [
    'this host',
    () => `${app.url.replace('http:', 'https:')}/inside`,
    /not an address of the internet/,
  ],
  ['a number', () => 'https://2130706433/', /not an address of the internet/],
  ['an address of the cloud', () => 'https://169.254.169.254/', /not an address of the internet/],
  ['IPv4 in IPv6', () => 'https://[::ffff:10.0.0.1]/', /not an address of the internet/],
  ['IPv4 by NAT64', () => 'https://[64:ff9b::7f00:1]/', /not an address of the internet/],
  ['a local name', () => 'https://a.localhost/', /not an address of the internet/],
  ['a file', () => 'file:///etc/passwd', /neither http nor https/],
  ['nothing', () => 'https://[', /is not an address/],
])('a Redirect to %s is not followed: $2', async (_, target, reason) => {
  // the first call needs an app on this machine; what comes after it is as on a server of the internet
  const outcome = await tell((settings) => {
    settings.webhookAllowPrivate = false
    return `<Redirect>${target()}</Redirect>`
  })
  expect(outcome).toMatchObject({
    status: 200,
    verdict: 'failed',
    text: expect.stringMatching(/^11200 /),
  })
  expect(outcome.text).toMatch(reason)
  expect(app.calls.map(({ url }) => url)).toEqual([`${app.url}/sms`])
})

test('a document of 1,000 messages is refused with few database lookups', async () => {
  const asked = await watchStatements(['query'], async () => {
    const outcome = await tell(() => `<Message from="${NUMBER}">a</Message>`.repeat(1_000))
    expect(outcome).toMatchObject({ verdict: 'failed', text: expect.stringMatching(/^14109 /) })
  })
  const lookUps = asked.filter(({ text }) =>
    text.includes('"lines" as "l" on "l"."device" = "d"."id"'),
  )
  expect(lookUps).toHaveLength(11)
})

test.each([
  'http://app.example.com/status',
  'https://127.0.0.1/status',
  'https://[::1]/status',
  'https://169.254.169.254/latest/meta-data',
  'https://10.0.0.1/status',
  'https://localhost/status',
])('%s is refused as an address to call', async (url) => {
  const sent = await ann.send({ StatusCallback: url })
  expect([sent.status, sent.body.code]).toEqual([400, 21609])
  const changed = await ann.ask('POST', `IncomingPhoneNumbers/${number}.json`, { SmsUrl: url })
  expect([changed.status, changed.body.code]).toEqual([400, 21502])
})

test('a public https address is accepted', async () => {
  expect((await ann.send({ StatusCallback: 'https://app.example.com/status' })).status).toBe(201)
  const form = { SmsUrl: 'https://app.example.com/sms' }
  expect((await ann.ask('POST', `IncomingPhoneNumbers/${number}.json`, form)).status).toBe(200)
})
