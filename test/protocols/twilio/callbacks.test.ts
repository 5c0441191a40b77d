import {
  pairPhone,
  report,
  reportAs,
  signatureOf,
  startApp,
  startTwilioFixture,
} from '../../support/twilio/twilio-fixture.ts'
import { until } from '../../support/until.ts'
import { deliveriesOf, makeDeliveriesDue } from '../../support/webhook-fixture.ts'

const NUMBER = '+4915550000001'
const TO = '+4915112345678'

const fixture = await startTwilioFixture()
const ann = await fixture.makeUser()
const phone = await pairPhone(fixture, ann, NUMBER)

const app = await startApp()

afterEach(() => {
  app.calls.length = 0
  app.answer(204)
})

const told = () => app.calls.map(({ form }) => form.MessageStatus)
const last = async () => (await deliveriesOf(ann.user)).at(-1)
const noted = (attempts = 1) =>
  until('it is noted', async () => (await last()).attempts === attempts)

describe('status callbacks', () => {
  test('status callbacks report each later status in order, signed', async () => {
    const sent = await ann.send({ StatusCallback: `${app.url}/status?a=1&b=it's` })
    await report(phone, 'sent', 'delivered')
    await app.heard(2)
    expect(told()).toEqual(['sent', 'delivered'])
    for (const call of app.calls) {
      expect(call).toMatchObject({ method: 'POST', url: `${app.url}/status?a=1&b=it%27s` })
      expect(call.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/)
      expect(call.headers['x-twilio-signature']).toBe(signatureOf(ann.token, call))
    }
    const [first, second] = app.calls
    const { sid } = sent.body
    expect(first!.form).toEqual({
      AccountSid: ann.sid,
      ApiVersion: '2010-04-01',
      From: NUMBER,
      To: TO,
      MessageSid: sid,
      SmsSid: sid,
      MessageStatus: 'sent',
      SmsStatus: 'sent',
    })
    const token = 'i-twilio-idempotency-token'
    expect(first!.headers[token]).not.toBe(second!.headers[token])
    await until('both are noted', async () =>
      (await deliveriesOf(ann.user)).slice(-2).every(({ status }) => status === 'delivered'),
    )
  })

  test('status callbacks are recorded as they were sent, without the password in the address', async () => {
    const url = app.url.replace('://', '://ann:secret@')
    await ann.send({ StatusCallback: url })
    await report(phone, 'sent')
    const [call] = await app.heard(1)
    await noted()
    const { id } = await last()
    const { body } = await ann.user.call('GET', `/api/webhooks/deliveries/${id}/request`)
    expect(Object.fromEntries(new URLSearchParams(body.body))).toEqual(call!.form)
    expect(call!.headers).toMatchObject(body.headers)
    expect(body.headers['x-twilio-signature']).toBe(call!.headers['x-twilio-signature'])
    expect(call!.headers.authorization).toMatch(/^Basic /)
    expect(body.headers.authorization).toBeUndefined()
  })

  test.each<[string, (string | [string, string])[], string[], string]>([
    ['a failure', [['failed', 'No service']], ['failed'], '30008'],
    ['a failure with an odd name', [['failed', 'constructor']], ['failed'], '30008'],
    ['a negative report', ['sent', ['failed', 'Rejected']], ['sent', 'undelivered'], '30003'],
  ])(
    'status callbacks report %s as $2 with the error code $3',
    async (_, reports, statuses, code) => {
      await ann.send({ StatusCallback: app.url })
      await report(phone, ...reports)
      await app.heard(statuses.length)
      expect(told()).toEqual(statuses)
      expect(app.calls.at(-1)!.form).toMatchObject({
        ErrorCode: code,
        ErrorMessage: reports.at(-1)![1],
      })
    },
  )

  test('status callbacks report a cancellation, and "queued" after a schedule', async () => {
    const SendAt = new Date(Date.now() + 1_500).toISOString()
    const service = `MG${ann.sid.slice(2)}`
    const form = {
      ScheduleType: 'fixed',
      SendAt,
      MessagingServiceSid: service,
      StatusCallback: app.url,
    }
    const { sid } = (await ann.send(form)).body
    await app.heard(1)
    const queued = { MessageStatus: 'queued', MessagingServiceSid: service, MessageSid: sid }
    expect(app.calls[0]!.form).toMatchObject(queued)
    await ann.ask('POST', `Messages/${sid}.json`, { Status: 'canceled' })
    await app.heard(2)
    expect(told()).toEqual(['queued', 'canceled'])
  })

  test('status callbacks report "queued" after a wait for a line', async () => {
    const lines = '/api/collections/lines/records'
    const filter = encodeURIComponent(`device="${phone.id}"`)
    const [line] = (await ann.user.call('GET', `${lines}?filter=${filter}`)).body.items
    const limit = (daily_limit: number) =>
      ann.user.call('PATCH', `${lines}/${line.id}`, { daily_limit })
    await limit(1)
    await ann.send()
    const { body } = await ann.send({ StatusCallback: app.url })
    expect(body.status).toBe('accepted')
    await limit(0)
    await app.heard(1)
    expect(told()).toEqual(['queued'])
    await report(phone, 'sent')
    await app.heard(2)
    expect(told()).toEqual(['queued', 'sent'])
  })

  test('status callbacks never report an earlier status or the same one twice', async () => {
    await ann.send({ StatusCallback: app.url })
    const { items } = (await phone.call('POST', '/api/devices/claim', { limit: 50 })).body
    await reportAs(phone, items, 'delivered', 'sent', 'delivered')
    await ann.send({ StatusCallback: app.url })
    await report(phone, 'sent')
    await app.heard(2)
    expect(told().sort()).toEqual(['delivered', 'sent'])
  })

  test('status callbacks are tried four times after a 5xx, with the same token', async () => {
    app.answer(500, 'no')
    await ann.send({ StatusCallback: app.url })
    await report(phone, 'sent')
    for (let attempt = 1; attempt <= 4; attempt++) {
      await app.heard(attempt)
      await noted(attempt)
      await makeDeliveriesDue(fixture.gateway.server.services.store)
    }
    expect(await last()).toMatchObject({ status: 'failed', attempts: 4, webhook: '' })
    expect(
      new Set(app.calls.map(({ headers }) => headers['i-twilio-idempotency-token'])).size,
    ).toBe(1)
  })

  test.each([404, 301])('status callbacks are not retried after %d', async (status) => {
    app.answer(status)
    await ann.send({ StatusCallback: app.url })
    await report(phone, 'sent')
    await app.heard(1)
    await until('it is noted', async () => (await last()).status !== 'pending')
    expect(await last()).toMatchObject({ status: 'failed', response_status: status })
  })

  test("status callbacks send the address's credentials as Basic authentication and sign without them", async () => {
    const url = app.url.replace('//', '//us%20er:p%40ss@')
    await ann.send({ StatusCallback: `${url}/x#rc=2&rp=all` })
    await report(phone, 'sent')
    const [call] = await app.heard(1)
    expect(call!.headers.authorization).toBe(`Basic ${btoa('us er:p@ss')}`)
    expect(call!.url).toBe(`${app.url}/x`)
    expect(call!.headers['x-twilio-signature']).toBe(signatureOf(ann.token, call!))
  })

  test('status callbacks fail without further calls when their key is deleted', async () => {
    const eve = await fixture.makeUser()
    const hers = await pairPhone(fixture, eve, '+4915550000077')
    app.answer(500)
    await eve.send({ StatusCallback: app.url })
    await report(hers, 'sent')
    await app.heard(1)
    await until('it waits', async () => (await deliveriesOf(eve.user))[0].attempts === 1)
    await eve.user.call('DELETE', `/api/collections/api_keys/records/${eve.keyId}`)
    const ended = { status: 'failed', response_body: 'The API key of this callback was deleted' }
    expect((await deliveriesOf(eve.user))[0]).toMatchObject(ended)
    expect((await eve.send()).body.code).toBe(20003)
  })

  test('status callbacks keep no copy of a redacted text', async () => {
    const { sid } = (await ann.send({ Body: 'a secret', StatusCallback: app.url })).body
    await report(phone, 'sent')
    await ann.ask('POST', `Messages/${sid}.json`, { Body: '' })
    const kept = `select from webhook_payloads where image::text like '%a secret%'`
    expect(await fixture.gateway.query(kept)).toEqual([])
  })
})
