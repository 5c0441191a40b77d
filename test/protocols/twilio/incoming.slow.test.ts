import { must } from '../../support/server/server-with-devices.ts'
import {
  pairPhone,
  receive,
  report,
  signatureOf,
  startApp,
  startTwilioFixture,
} from '../../support/twilio/twilio-fixture.ts'
import { until } from '../../support/until.ts'
import { deliveriesOf, makeDeliveriesDue } from '../../support/webhook-fixture.ts'

const [NUMBER, OTHER] = ['+4915550000001', '+4915550000002']

const fixture = await startTwilioFixture()
const ann = await fixture.makeUser()
const phone = await pairPhone(fixture, ann, NUMBER)
await pairPhone(fixture, ann, OTHER)
const app = await startApp()
const { body } = await ann.ask(
  'GET',
  `IncomingPhoneNumbers.json?PhoneNumber=${encodeURIComponent(NUMBER)}`,
)
const pn = body.incoming_phone_numbers[0].sid

const SETTINGS = '/api/collections/user_settings/records'
const settings = await must(fixture.gateway.superuser, 'POST', SETTINGS, { user: ann.user.id })
const sayLanguages = (opt_out_languages: readonly string[]) =>
  must(ann.user, 'PATCH', `${SETTINGS}/${settings.id}`, { opt_out_languages })

const setNumber = (form: Record<string, string>) =>
  ann.ask('POST', `IncomingPhoneNumbers/${pn}.json`, form)

let people = 10_000_000
let from: string
beforeEach(async () => {
  from = `+4917${people++}`
  await setNumber({ SmsUrl: `${app.url}/sms?x=1`, SmsMethod: 'POST' })
})
afterEach(() => {
  app.calls.length = 0
  app.answer(204)
})

const last = async () => (await deliveriesOf(ann.user)).at(-1)
const settled = () => until('it is over', async () => (await last()).status !== 'pending')
const repliesTo = async (to: string) =>
  (await ann.ask('GET', `Messages.json?To=${encodeURIComponent(to)}`)).body.messages
const xml = (inside: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><Response>${inside}</Response>`

/** A text that comes in, and what became of its delivery. */
async function hear(body = 'Hello') {
  const id = await receive(phone, from, body)
  await until('it is over', async () => {
    const delivery = await last()
    return delivery?.message === id && delivery.status !== 'pending'
  })
  return await last()
}

describe('an incoming text', () => {
  test('an incoming text is posted to the SmsUrl, signed', async () => {
    await hear('Hällo & more')
    const [call] = app.calls
    const sid = call!.form.MessageSid!
    expect(call).toMatchObject({ method: 'POST', url: `${app.url}/sms?x=1` })
    expect(call!.form).toEqual({
      AccountSid: ann.sid,
      ApiVersion: '2010-04-01',
      Body: 'Hällo & more',
      From: from,
      To: NUMBER,
      MessageSid: expect.stringMatching(/^SM[0-9a-f]{32}$/),
      SmsSid: sid,
      SmsMessageSid: sid,
      NumMedia: '0',
      NumSegments: '1',
      SmsStatus: 'received',
    })
    expect(call!.headers['x-twilio-signature']).toBe(signatureOf(ann.token, call!))
  })

  test('an incoming text is sent in the query if the method is GET', async () => {
    await setNumber({ SmsMethod: 'GET' })
    await hear("it's *this* ~ (here)")
    const [call] = app.calls
    expect(call).toMatchObject({
      method: 'GET',
      form: { x: '1', Body: "it's *this* ~ (here)", From: from },
    })
    expect(call!.headers['x-twilio-signature']).toBe(signatureOf(ann.token, call!))
  })

  test.each([
    ['STOP', 'STOP'],
    ['START', 'START'],
    ['Info?', 'HELP'],
    ['Stopp!', 'STOP'],
    ['anmelden', 'START'],
  ])('%s has the OptOutType %s, by the words of server and account', async (word, type) => {
    await sayLanguages(['de'])
    await hear(word)
    expect(app.calls[0]!.form.OptOutType).toBe(type)
  })

  test('a text with more words than STOP has no OptOutType', async () => {
    await sayLanguages(['de'])
    await hear('Please stop')
    expect(app.calls[0]!.form.OptOutType).toBeUndefined()
  })

  test('an incoming text has no OptOutType for a word of a language that the account has not chosen', async () => {
    await sayLanguages([])
    await hear('Stopp!')
    expect(app.calls[0]!.form.OptOutType).toBeUndefined()
  })

  test('an incoming text has a Body even if it is empty', async () => {
    await hear('')
    expect(app.calls[0]!.form.Body).toBe('')
  })
})

describe('a TwiML answer', () => {
  test.each([
    ['nothing', '', 'text/xml', []],
    ['an empty response', xml(''), 'application/xml', []],
    ['a text', 'Thank you', 'text/plain; charset=utf-8', ['Thank you']],
    ['a message', xml('<Message>Thank you</Message>'), 'text/html', ['Thank you']],
    ['a body', xml('<Message><Body>A &amp; B</Body></Message>'), 'text/xml', ['A & B']],
    ['CDATA and old names', xml('<Sms><![CDATA[<b>]]></Sms>'), 'text/xml', ['<b>']],
    [
      'two',
      xml('<Message>One</Message><!-- x --><Message>Two</Message>'),
      'text/xml',
      ['Two', 'One'],
    ],
  ])('a TwiML answer with %s sends the replies $3', async (_, body, type, bodies) => {
    app.answer(200, body, type)
    expect(await hear()).toMatchObject({ status: 'delivered', response_status: 200 })
    const replies = await repliesTo(from)
    expect(replies.map((reply: { body: string }) => reply.body)).toEqual(bodies)
    for (const reply of replies)
      expect(reply).toMatchObject({ from: NUMBER, direction: 'outbound-reply' })
  })

  test('a TwiML answer sends no text while the key of its address is disabled', async () => {
    app.answer(200, 'Thank you', 'text/plain')
    const key = `/api/collections/api_keys/records/${ann.keyId}`
    await ann.user.call('PATCH', key, { disabled: true })
    expect(await hear()).toMatchObject({ status: 'failed', response_status: 200 })
    await ann.user.call('PATCH', key, { disabled: false })
    expect(await repliesTo(from)).toEqual([])
  })

  test('a TwiML answer sends by its attributes to, from and action', async () => {
    const to = '+4915119999901'
    const once = xml(`<Message to="${to}" from="${OTHER}" action="/done?y=2">Hi</Message>`)
    app.behave(({ url }, res) =>
      res.writeHead(200, { 'content-type': 'text/xml' }).end(url.includes('/sms') ? once : ''),
    )
    await hear()
    const [reply] = await repliesTo(to)
    expect(reply).toMatchObject({ from: OTHER, to, body: 'Hi' })
    await ann.ask('POST', `Messages/${reply.sid}.json`, { Status: 'canceled' })
    await app.heard(2)
    expect(app.calls[1]).toMatchObject({
      url: `${app.url}/done?y=2`,
      form: { MessageStatus: 'canceled' },
    })
    expect(app.calls[1]!.headers['x-twilio-signature']).toBe(signatureOf(ann.token, app.calls[1]!))
  })

  test('a TwiML answer with a Redirect fetches the next document, signed', async () => {
    const first = xml(
      '<Message>One</Message><Redirect method="GET">next?z=3</Redirect><Message>No</Message>',
    )
    app.behave(({ url }, res) => {
      const body = url.includes('next') ? xml('<Message>Two</Message>') : first
      res.writeHead(200, { 'content-type': 'text/xml' }).end(body)
    })
    expect(await hear()).toMatchObject({ status: 'delivered' })
    const bodies = (await repliesTo(from)).map((reply: { body: string }) => reply.body)
    expect(bodies).toEqual(['Two', 'One'])
    const next = app.calls[1]!
    expect(next).toMatchObject({ method: 'GET', form: { z: '3', From: from } })
    expect(next.headers['x-twilio-signature']).toBe(signatureOf(ann.token, next))
  })

  test.each([
    ['no XML', 'Hello <', 'text/xml', 12100],
    ['another root element', '<Reply/>', 'text/xml', 12100],
    [
      'a document type',
      '<!DOCTYPE x [<!ENTITY a "b">]><Response><Message>&a;</Message></Response>',
      'text/xml',
      12100,
    ],
    ['an unknown entity', xml('<Message>&nbsp;</Message>'), 'text/xml', 12100],
    ['JSON', '{}', 'application/json', 12300],
    ['a wrong to', xml('<Message to="Ann">Hi</Message>'), 'text/xml', 14101],
    [
      'a foreign number as from',
      xml('<Message from="+4915550009999">Hi</Message>'),
      'text/xml',
      14102,
    ],
    ['no text', xml('<Message></Message>'), 'text/xml', 14103],
    ['a long text', xml(`<Message>${'x'.repeat(1_601)}</Message>`), 'text/xml', 14103],
    ['too many messages', xml('<Message>Hi</Message>'.repeat(11)), 'text/xml', 14109],
    ['a call', xml('<Message>Hi</Message><Say>Hi</Say>'), 'text/xml', 14110],
    [
      'a document that is too large',
      xml(`<Message>Hi</Message>${' '.repeat(70_000)}`),
      'text/xml',
      11200,
    ],
    ['deep nesting', `<Response>${'<Message>'.repeat(5_000)}`, 'text/xml', 14110],
  ])('a TwiML answer with %s is the error $3 and sends no reply', async (_, body, type, code) => {
    app.answer(200, body, type)
    const delivery = await hear()
    expect(delivery).toMatchObject({ status: 'failed', response_status: 200, attempts: 1 })
    expect(delivery.response_body).toMatch(new RegExp(`^${code} `))
    expect(await repliesTo(from)).toEqual([])
  })

  test('a TwiML answer with a Redirect to itself ends after ten redirects', async () => {
    app.answer(200, xml('<Redirect>/sms</Redirect>'))
    expect((await hear()).response_body).toMatch(/^11200 /)
    expect(app.calls).toHaveLength(11)
  })

  test('a TwiML answer with too many messages after a Redirect sends only the messages of earlier documents', async () => {
    app.behave(({ url }, res) => {
      const body = url.endsWith('/more')
        ? '<Message>More</Message>'.repeat(10)
        : '<Message>First</Message>'
      const next = url.endsWith('/more') ? '' : '<Redirect>/more</Redirect>'
      res.writeHead(200, { 'content-type': 'text/xml' }).end(xml(body + next))
    })
    expect((await hear()).response_body).toMatch(/^14109 /)
    expect(await repliesTo(from)).toMatchObject([{ body: 'First' }])
  })

  test('a TwiML answer sends at most 15 replies between two numbers in 30 s', async () => {
    app.answer(200, xml('<Message>Hi</Message>'.repeat(10)))
    expect(await hear('One')).toMatchObject({ status: 'delivered' })
    expect((await hear('Two')).response_body).toMatch(/^14107 /)
    expect(await repliesTo(from)).toHaveLength(10)
  })

  test('a TwiML answer sends no reply to a number that has just said STOP', async () => {
    app.answer(200, xml('<Message>Goodbye</Message>'))
    expect((await hear('STOP')).response_body).toMatch(/^21610 /)
    expect(await repliesTo(from)).toEqual([])
  })

  test('a TwiML answer is executed once per text, even after a resend', async () => {
    app.answer(200, xml('<Message>Once</Message>'))
    const { id } = await hear()
    await ann.user.call('POST', `/api/webhooks/deliveries/${id}/resend`)
    await app.heard(2)
    await settled()
    expect(await repliesTo(from)).toHaveLength(1)
  })

  test('a TwiML answer to a call an hour late is ignored', async () => {
    app.answer(500)
    const id = await receive(phone, from, 'Hello')
    await app.heard(1)
    await until('it waits', async () => (await last()).attempts === 1)
    const { store } = fixture.gateway.server.services
    await store.db.query(
      `update webhook_payloads p set image = jsonb_set(image::jsonb, '{created}', '"2026-01-01 00:00:00.000Z"')::json
        from webhook_deliveries d where d.id = p.delivery and d.message = $1`,
      [id],
    )
    app.answer(200, xml('<Message>Late</Message>'))
    await makeDeliveriesDue(store)
    await settled()
    expect(await last()).toMatchObject({ status: 'delivered' })
    expect(await repliesTo(from)).toEqual([])
  })

  test('a TwiML answer that exceeds the quota sends no replies at all', async () => {
    const { superuser } = fixture.gateway
    const path = `/api/collections/users/records/${ann.user.id}`
    const used = Number((await ann.user.call('GET', '/api/sms/usage')).body.used)
    await superuser.call('PATCH', path, { monthly_quota: used + 1 })
    app.answer(200, xml('<Message>Hi</Message><Message>Ho</Message>'))
    const { id, response_body } = await hear()
    expect(response_body).toMatch(/^63038 /)
    expect(await repliesTo(from)).toEqual([])
    await superuser.call('PATCH', path, { monthly_quota: 0 })
    await ann.user.call('POST', `/api/webhooks/deliveries/${id}/resend`)
    await until('both', async () => (await repliesTo(from)).length === 2)
  })
})

test("a TwiML answer sends replies only to destinations allowed for the SmsUrl's key", async () => {
  const path = `/api/collections/api_keys/records/${ann.keyId}`
  await fixture.gateway.superuser.call('PATCH', path, { destinations: '+49' })
  app.answer(200, xml('<Message>Hi</Message><Message to="+881612345">Hi</Message>'))
  expect((await hear()).response_body).toMatch(/^21408 /)
  expect(await repliesTo(from)).toEqual([])
  await fixture.gateway.superuser.call('PATCH', path, { destinations: '' })
})

describe('SmsUrl', () => {
  test('SmsUrl is stored as a webhook of one device', async () => {
    const hooks = async () =>
      (await ann.user.call('GET', '/api/collections/webhooks/records')).body.items as object[]
    expect(await hooks()).toMatchObject([
      {
        format: 'twilio',
        device: phone.id,
        api_key: ann.keyId,
        events: ['message.received'],
        enabled: true,
      },
    ])
    expect((await setNumber({ SmsUrl: '' })).body.sms_url).toBe('')
    expect(await hooks()).toEqual([])
    await receive(phone, from, 'Nobody is told')
    await report(phone)
    expect(app.calls).toEqual([])
  })

  test("SmsUrl cannot use another user's key or device", async () => {
    const eve = await fixture.makeUser()
    const device = await pairPhone(fixture, eve, '+4915550000088')
    const hook = { user: eve.user.id, url: app.url, events: ['message.received'], format: 'twilio' }
    const make = (values: object) =>
      eve.user.call('POST', '/api/collections/webhooks/records', { ...hook, ...values })
    expect((await make({ device: device.id, api_key: ann.keyId })).body.data).toHaveProperty(
      'api_key',
    )
    expect((await make({ device: phone.id, api_key: eve.keyId })).body.data).toHaveProperty(
      'device',
    )
    expect((await make({ device: device.id })).status).toBe(400)
    expect((await make({ device: device.id, api_key: eve.keyId })).status).toBe(200)
  })

  test('SmsUrl is deleted with the key that set it', async () => {
    const eve = await fixture.makeUser()
    const device = await pairPhone(fixture, eve, '+4915550000099')
    const { sid } = (await eve.ask('GET', 'IncomingPhoneNumbers.json')).body
      .incoming_phone_numbers[0]
    await eve.ask('POST', `IncomingPhoneNumbers/${sid}.json`, { SmsUrl: app.url })
    app.answer(500)
    await receive(device, from, 'Hi')
    await app.heard(1)
    await until('it waits', async () => (await deliveriesOf(eve.user))[0].attempts === 1)
    await eve.user.call('DELETE', `/api/collections/api_keys/records/${eve.keyId}`)
    const ended = { status: 'failed', response_body: 'The API key of this callback was deleted' }
    expect((await deliveriesOf(eve.user))[0]).toMatchObject(ended)
    const hooks = (await eve.user.call('GET', '/api/collections/webhooks/records')).body.items
    expect(hooks).toMatchObject([{ enabled: false, api_key: '' }])
  })
})
