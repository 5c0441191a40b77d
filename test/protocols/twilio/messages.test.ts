import { watchStatements } from '../../support/database/watch-statements.ts'
import { basic } from '../../support/server/request.ts'
import {
  pairPhone,
  receive,
  report,
  reportAs,
  startTwilioFixture,
} from '../../support/twilio/twilio-fixture.ts'

const NUMBER = '+4915550000001'
const TO = '+4915112345678'

const fixture = await startTwilioFixture()
const ann = await fixture.makeUser()
const ben = await fixture.makeUser()
const phone = await pairPhone(fixture, ann, NUMBER)

const RFC_2822 = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000$/

describe('a new message', () => {
  test("a new message has all of Twilio's keys and its first status", async () => {
    const { status, body } = await ann.send()
    expect(status).toBe(201)
    const path = `/2010-04-01/Accounts/${ann.sid}/Messages/${body.sid}`
    expect(body).toEqual({
      sid: expect.stringMatching(/^SM[0-9a-f]{30}00$/),
      account_sid: ann.sid,
      api_version: '2010-04-01',
      body: 'Hi',
      date_created: expect.stringMatching(RFC_2822),
      date_updated: expect.stringMatching(RFC_2822),
      date_sent: null,
      direction: 'outbound-api',
      error_code: null,
      error_message: null,
      from: NUMBER,
      to: TO,
      messaging_service_sid: null,
      num_media: '0',
      num_segments: '1',
      price: null,
      price_unit: null,
      status: 'queued',
      subresource_uris: { media: `${path}/Media.json` },
      uri: `${path}.json`,
    })
    const fetched = await ann.ask('GET', `Messages/${body.sid}.json`)
    expect(fetched.body).toEqual(body)
    const upper = `MM${body.sid.slice(2).toUpperCase()}`
    expect((await ann.ask('GET', `Messages/${upper}.json`)).body.sid).toBe(body.sid)
    expect((await ann.ask('GET', `Messages/${body.sid}/Media.json`)).body).toMatchObject({
      media_list: [],
    })
  })

  test('a new message with a SendAt waits for its time', async () => {
    const SendAt = new Date(Date.now() + 3_600_000).toISOString()
    const { status, body } = await ann.send({ ScheduleType: 'fixed', SendAt, ValidityPeriod: '60' })
    expect({ status, is: body.status, from: body.from }).toEqual({
      status: 201,
      is: 'scheduled',
      from: null,
    })
  })

  const postForm = async (type: string, text: string) => {
    const answer = await fetch(
      `${fixture.gateway.url}/2010-04-01/Accounts/${ann.sid}/Messages.json`,
      {
        method: 'POST',
        headers: { ...basic(ann.sid, ann.token), 'content-type': type },
        body: `To=${encodeURIComponent(TO)}&Body=${text}`,
      },
    )
    return [answer.status, ((await answer.json()) as { body?: string }).body]
  }

  test.each([
    ['application/x-www-form-urlencoded; charset=iso-8859-1', 'Gr%FC%DFe', 'Grüße'],
    ['application/x-www-form-urlencoded; charset=utf-8', 'Gr%C3%BC%C3%9Fe', 'Grüße'],
  ])(
    'a new message in a form of the type %s with the body %s is accepted as "%s"',
    async (type, text, body) => {
      expect(await postForm(type, text)).toEqual([201, body])
    },
  )

  test.each([
    ['application/x-www-form-urlencoded', 'Gr%FC%DFe'],
    ['application/x-www-form-urlencoded; charset=none', 'Hi'],
  ])(
    'a new message in a form of the type %s with the body %s is refused with 400',
    async (type, text) => {
      expect(await postForm(type, text)).toEqual([400, undefined])
    },
  )

  test.each([
    ['true', `${'x'.repeat(80)} “y” – z`, `${'x'.repeat(80)} "y" - z`, '1'],
    ['True', '“Hi”', '“Hi”', '1'],
    ['false', `${'x'.repeat(80)} – z`, `${'x'.repeat(80)} – z`, '2'],
  ])(
    'a new message with SmartEncoded %s and the body "$1" is sent as "$2" in $3 segment(s)',
    async (SmartEncoded, Body, body, segments) => {
      const sent = await ann.send({ Body, SmartEncoded })
      expect(sent.body).toMatchObject({ body, num_segments: segments })
      expect((await ann.ask('GET', `Messages/${sent.body.sid}.json`)).body).toEqual(sent.body)
    },
  )

  test.each([
    ['spaces and brackets in To', { To: ' (+49) 151-1234.5678 ' }],
    [
      'options without effect',
      { MaxPrice: '1', Attempt: '2', ForceDelivery: 'true', RiskCheck: 'disable' },
    ],
    [
      'options that are false',
      { ProvideFeedback: 'false', SmartEncoded: 'False', ContentRetention: 'retain' },
    ],
    ['an unknown parameter that is empty', { Nonsense: '', ApplicationSid: '' }],
    ['the longest text', { Body: '😀'.repeat(1_600) }],
    ['a callback', { StatusCallback: 'http://127.0.0.1:1/x#rc=2' }],
  ])('a new message is accepted with %s', async (_, form) => {
    const answer = await ann.send(form as Record<string, string>)
    expect(answer.status).toBe(201)
    expect(answer.body.to).toBe(TO)
  })
})

const later = (ms: number) => new Date(Date.now() + ms).toISOString()
const REFUSED: readonly [string, Record<string, string>, number, number?][] = [
  ['no To', { To: '' }, 21604],
  ['no number', { To: '12345' }, 21211],
  ['To equal to From', { To: NUMBER, From: NUMBER }, 21211],
  ['a sender name', { From: 'MyShop' }, 21212],
  ['a foreign number as From', { From: '+4915559999999' }, 21606],
  ['another messaging service', { MessagingServiceSid: `MG${'0'.repeat(32)}` }, 21701, 404],
  ['media', { MediaUrl: 'https://example.com/a.png' }, 21622],
  ['a content template', { ContentSid: 'HX1' }, 21655],
  ['no text', { Body: '' }, 21602],
  ['a long text', { Body: 'x'.repeat(1_601) }, 21617],
  ['another ScheduleType', { ScheduleType: 'soon', SendAt: later(60_000) }, 35126],
  ['a schedule without a time', { ScheduleType: 'fixed' }, 35111],
  ['a time without a schedule', { SendAt: later(60_000) }, 20001],
  ['a time that is past', { ScheduleType: 'fixed', SendAt: '2020-01-01T00:00:00Z' }, 35114],
  ['no validity', { ValidityPeriod: '0' }, 21624],
  ['a long validity', { ValidityPeriod: '36001' }, 21624],
  ['a relative callback', { StatusCallback: '/status' }, 21609],
  ['a callback that is not http', { StatusCallback: 'ftp://example.com/' }, 21609],
  ['an unknown parameter', { StatusCallbak: 'https://example.com/' }, 20001],
  ['feedback', { ProvideFeedback: 'true' }, 20001],
  ['an invalid SmartEncoded', { SmartEncoded: '1' }, 20001],
  ['To before Body', { To: '', Body: '' }, 21604],
]

describe('a new message is refused', () => {
  test.each(REFUSED)(
    'a new message is refused with %s by the error $2',
    async (_, form, code, status = 400) => {
      const before = (await ann.ask('GET', 'Messages.json?PageSize=1')).body.messages[0]?.sid
      const answer = await ann.send(form)
      expect(answer.body).toEqual({
        code,
        message: expect.stringMatching(/./),
        more_info: `https://www.twilio.com/docs/errors/${code}`,
        status,
      })
      expect(answer.status).toBe(status)
      expect((await ann.ask('GET', 'Messages.json?PageSize=1')).body.messages[0]?.sid).toBe(before)
    },
  )

  test('a new message is refused to an opted-out number, with no message stored', async () => {
    const to = '+4915110000009'
    await receive(phone, to, 'STOP')
    expect((await ann.send({ To: to })).body.code).toBe(21610)
    expect(
      (await ann.ask('GET', `Messages.json?To=${encodeURIComponent(to)}`)).body.messages,
    ).toEqual([])
  })

  test('a new message is refused from a number that two devices have', async () => {
    const both = '+4915550000022'
    await pairPhone(fixture, ann, both)
    const second = await pairPhone(fixture, ann, both)
    expect((await ann.send({ From: both })).body.code).toBe(21616)
    await ann.user.call('PATCH', `/api/collections/devices/records/${second.id}`, {
      enabled: false,
    })
    expect((await ann.send({ From: both })).body).toMatchObject({ from: both, status: 'queued' })
  })

  test('a new message is refused without a device and without quota', async () => {
    expect((await ben.send()).body).toMatchObject({ code: 20503, status: 503 })
    const { superuser } = fixture.gateway
    const quota = (monthly_quota: number) =>
      superuser.call('PATCH', `/api/collections/users/records/${ann.user.id}`, { monthly_quota })
    await quota(1)
    expect((await ann.send()).body).toMatchObject({ code: 63038, status: 429 })
    await quota(0)
  })

  test.each([
    ['JSON', '{"To":"+4915112345678"}', 'application/json'],
    ['a text', 'To=x', 'text/plain'],
    ['a form without its type', 'To=x', ''],
  ])('a new message is refused in a body that is %s', async (_, body, type) => {
    const path = `/2010-04-01/Accounts/${ann.sid}/Messages.json`
    const answer = await ann.raw('POST', path, { body, headers: { 'content-type': type } })
    expect(answer.body).toMatchObject({ code: 20001, status: 400 })
  })

  test('a new message is refused in a body that is too large or has too many parameters', async () => {
    expect((await ann.send({ Body: 'x'.repeat(1_100_000) })).body).toMatchObject({
      code: 20001,
      status: 413,
    })
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const chunked = await fetch(
      `${fixture.gateway.url}/2010-04-01/Accounts/${ann.sid}/Messages.json`,
      {
        method: 'POST',
        duplex: 'half',
        headers: { ...basic(ann.sid, ann.token), ...form },
        body: new Blob([`Body=${'x'.repeat(1_100_000)}`]).stream(),
      } as RequestInit,
    )
    expect(await chunked.json()).toMatchObject({ code: 20001, status: 413 })
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`P${i}`, '']))
    expect((await ann.send(many)).body).toMatchObject({ code: 20001, status: 400 })
  })
})

test('a repeated Idempotency-Key returns the first message, and another request with it is refused', async () => {
  const headers = { 'idempotency-key': 'one' }
  const first = await ann.send({}, headers)
  const again = await ann.send({}, headers)
  expect(again.status).toBe(201)
  expect(again.body.sid).toBe(first.body.sid)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect((await ann.send({ Body: 'Other' }, headers)).body).toMatchObject({
    code: 20001,
    status: 400,
  })
})

const UNKNOWN = 'Unknown subscriber'
test.each<[string, (string | [string, string])[], string, number | null]>([
  ['sent', ['sent'], 'sent', null],
  ['delivered', ['sent', 'delivered'], 'delivered', null],
  ['never sent', [['failed', 'No service']], 'failed', 30008],
  ['not delivered', ['sent', ['failed', 'Rejected']], 'undelivered', 30003],
  ['refused for an unknown number', [['failed', UNKNOWN]], 'failed', 30005],
  ['sent, then refused for an unknown number', ['sent', ['failed', UNKNOWN]], 'undelivered', 30005],
])(
  'a message that was %s is shown as $2 with the error code $3',
  async (_, reports, status, code) => {
    await report(phone)
    const { sid } = (await ann.send({ From: NUMBER })).body
    await report(phone, ...reports)
    const { body } = await ann.ask('GET', `Messages/${sid}.json`)
    expect(body).toMatchObject({ status, error_code: code })
    expect(body.error_message === null).toBe(code === null)
    expect(body.date_sent === null).toBe(status === 'failed')
  },
)

describe('an update of a message', () => {
  const change = (sid: string, form: Record<string, string>) =>
    ann.ask('POST', `Messages/${sid}.json`, form)

  test('an update of a message cancels it, repeatedly, but not once a device has it', async () => {
    const { sid } = (await ann.send({ From: NUMBER })).body
    const canceled = { status: 'canceled', error_code: null }
    expect((await change(sid, { Status: 'canceled' })).body).toMatchObject(canceled)
    expect((await change(sid, { Status: 'canceled' })).status).toBe(200)
    const other = (await ann.send({ From: NUMBER })).body.sid
    await report(phone)
    expect((await change(other, { Status: 'canceled' })).body).toMatchObject({
      code: 30409,
      status: 409,
    })
  })

  test('an update of a message redacts a finished message but not an unfinished one', async () => {
    const { sid } = (await ann.send({ From: NUMBER, Body: 'secret' })).body
    expect((await change(sid, { Body: '' })).body).toMatchObject({ code: 20009, status: 409 })
    await report(phone, 'sent')
    expect((await change(sid, { Body: '' })).body).toMatchObject({
      body: '',
      status: 'sent',
      to: TO,
    })
    expect((await ann.ask('GET', `Messages/${sid}.json`)).body.body).toBe('')
  })

  test('one update cancels and redacts a message', async () => {
    const { sid } = (await ann.send()).body
    const changed = await change(sid, { Body: '', Status: 'canceled' })
    expect(changed.body).toMatchObject({ body: '', status: 'canceled' })
  })

  test.each([
    ['another status', { Status: 'queued' }],
    ['another text', { Body: 'x' }],
    ['nothing', {}],
    ['an unknown parameter', { Status: 'canceled', Odd: 'x' }],
  ])('an update of a message with %s is refused', async (_, form) => {
    const { sid } = (await ann.send()).body
    expect((await change(sid, form as Record<string, string>)).body.code).toBe(20001)
  })
})

test('deleting a finished message keeps its quota used', async () => {
  await report(phone)
  const { sid } = (await ann.send({ From: NUMBER })).body
  expect((await ann.ask('DELETE', `Messages/${sid}.json`)).body).toMatchObject({
    code: 20009,
    status: 409,
  })
  const { items } = (await phone.call('POST', '/api/devices/claim', { limit: 50 })).body
  await reportAs(phone, items, 'sent', 'delivered')
  const usage = async () => (await ann.user.call('GET', '/api/sms/usage')).body.used
  const before = await usage()
  const gone = await ann.ask('DELETE', `Messages/${sid}.json`)
  expect([gone.status, gone.body]).toEqual([204, ''])
  expect((await ann.ask('GET', `Messages/${sid}.json`)).body.code).toBe(20404)
  expect(await usage()).toBe(before)
})

test('an incoming text is listed as inbound', async () => {
  const id = await receive(phone, '+4915117777777', 'Hello')
  const { body } = await ann.ask('GET', `Messages/SM${Buffer.from(id).toString('hex')}00.json`)
  const numbers = { from: '+4915117777777', to: NUMBER, date_sent: expect.stringMatching(RFC_2822) }
  expect(body).toMatchObject({ direction: 'inbound', status: 'received', ...numbers })
})

// Twilio's library for Java repeats every request that was answered with 5xx.
test('a stored message is answered with 201 without a statement that reads it back', async () => {
  let answer = {} as Awaited<ReturnType<typeof ann.send>>
  const asked = await watchStatements(['query', 'lookUp'], async () => {
    answer = await ann.send()
  })
  expect(asked.filter(({ text }) => text.includes('sms_messages m'))).toEqual([])
  expect(answer.status).toBe(201)
  const { body } = await ann.ask('GET', 'Messages.json')
  expect(body.messages[0].sid).toBe(answer.body.sid)
  expect(answer.body).toMatchObject({
    status: 'queued',
    to: '+4915112345678',
    body: 'Hi',
    num_segments: '1',
  })
})
