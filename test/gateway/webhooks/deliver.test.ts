import type { Client } from '../../support/server/server-with-devices.ts'
import { type Receiver, startReceiver, verify } from '../../support/services/receiver.ts'
import { until } from '../../support/until.ts'
import {
  allAre,
  deliveriesOf,
  makeWebhook,
  sendAndReport,
  startWebhookFixture,
  type TestWebhook,
} from '../../support/webhook-fixture.ts'

let user: Client
let phone: Client
let receiver: Receiver
const fixture = await startWebhookFixture()

beforeEach(async () => {
  user = await fixture.gateway.makeUser()
  phone = await fixture.gateway.pair(user)
  receiver = await startReceiver()
})
afterEach(() => receiver.stop())

const view = async (id: string) =>
  (await user.call('GET', `/api/collections/sms_messages/records/${id}`)).body

describe('an event', () => {
  test('an event is delivered in the form of Standard Webhooks with the record as its owner sees it', async () => {
    const hook = await makeWebhook(user, `${receiver.url}/in?a=1`)
    const [id] = await sendAndReport(user, phone, 1, 'sent')
    const record = await view(id!)
    const [told] = await receiver.heard(1)
    expect(told!.path).toBe('/in?a=1')
    expect(told!.headers['content-type']).toBe('application/json')
    expect(told!.headers['user-agent']).toMatch(/^pocketsms\/\d+\.\d+\.\d+$/)
    expect(verify(hook.secret, told!)).toEqual(told!.event)
    expect(Object.keys(told!.event)).toEqual(['type', 'timestamp', 'data'])
    expect(told!.event.type).toBe('message.sent')
    expect(new Date(told!.event.timestamp).toISOString()).toBe(told!.event.timestamp)
    expect(told!.event.data).toEqual(record)
  })

  test.each([
    ['sent', ['sent'], ['message.sent']],
    ['delivered', ['sent', 'delivered'], ['message.sent', 'message.delivered']],
    ['failed', ['failed'], ['message.failed']],
  ] as const)('reports of "%s" are delivered once each as $2', async (_, statuses, events) => {
    await makeWebhook(user, receiver.url)
    await sendAndReport(user, phone, 1, ...statuses)
    await receiver.heard(events.length)
    await allAre(user)
    expect(receiver.told.map(({ event }) => event.type).sort()).toEqual([...events].sort())
    for (const { event } of receiver.told) expect(`message.${event.data.status}`).toBe(event.type)
    expect(new Set(receiver.told.map(({ id }) => id)).size).toBe(events.length)
  })

  test('an event contains the message as it was at the event, even after later changes', async () => {
    receiver.answer(500)
    await makeWebhook(user, receiver.url, { events: ['message.sent'] })
    const [id] = await sendAndReport(user, phone, 1, 'sent', 'delivered')
    await receiver.heard(1)
    expect((await view(id!)).status).toBe('delivered')
    expect(receiver.told[0]!.event.data).toMatchObject({ id, status: 'sent', delivered_at: '' })
  })

  test('an event is delivered to each webhook that subscribes to it, under one id', async () => {
    const [one, two] = [
      await makeWebhook(user, receiver.url),
      await makeWebhook(user, receiver.url),
    ]
    await makeWebhook(user, receiver.url, { events: ['message.failed'] })
    await makeWebhook(user, receiver.url, { enabled: false })
    await sendAndReport(user, phone, 1, 'sent')
    await receiver.heard(2)
    await allAre(user)
    expect(receiver.told).toHaveLength(2)
    expect(receiver.told[0]!.id).toBe(receiver.told[1]!.id)
    const hooks = (await deliveriesOf(user)).map(({ webhook }) => webhook)
    expect(hooks.sort()).toEqual([one.id, two.id].sort())
  })

  test('an event of an incoming text is delivered once', async () => {
    await makeWebhook(user, receiver.url)
    const items = [{ from: '+491700000001', body: 'Hi', received_at: '2026-11-20 07:00:00.000Z' }]
    for (let i = 0; i < 2; i++) await phone.call('POST', '/api/devices/incoming', { items })
    await receiver.heard(1)
    await allAre(user)
    expect(receiver.told).toHaveLength(1)
    const event = { type: 'message.received', data: { from: '+491700000001' } }
    expect(receiver.told[0]!.event).toMatchObject(event)
  })

  test("an event of an opted-out recipient's failed message is delivered", async () => {
    await makeWebhook(user, receiver.url)
    const contact = { user: user.id, phone: '+491700000001', opted_out: true }
    await user.call('POST', '/api/collections/contacts/records', contact)
    const recipients = ['+491700000001', '+491700000002']
    const sent = await user.call('POST', '/api/sms/send', { recipients, body: 'x' })
    const [told] = await receiver.heard(1)
    await allAre(user)
    expect(receiver.told).toHaveLength(1)
    expect(told!.event).toMatchObject({
      type: 'message.failed',
      data: { id: sent.body.message_ids[0], error_message: 'Recipient has opted out' },
    })
  })

  test('an event of another user is not delivered', async () => {
    const other = await fixture.gateway.makeUser()
    await makeWebhook(other, receiver.url)
    await makeWebhook(user, receiver.url)
    await sendAndReport(user, phone, 1, 'sent')
    await receiver.heard(1)
    await allAre(user)
    expect(receiver.told).toHaveLength(1)
    expect(await deliveriesOf(other)).toEqual([])
  })
})

describe('a delivery', () => {
  let hook: TestWebhook
  beforeEach(async () => {
    hook = await makeWebhook(user, receiver.url)
  })

  test('a delivery is recorded with its response', async () => {
    receiver.answer(200, `all right\0 ${'é'.repeat(2000)}`)
    const [message] = await sendAndReport(user, phone, 1, 'sent')
    await receiver.heard(1)
    await allAre(user)
    const [delivery] = await deliveriesOf(user)
    expect(delivery).toMatchObject({
      webhook: hook.id,
      event: 'message.sent',
      event_id: receiver.told[0]!.id,
      message,
      status: 'delivered',
      attempts: 1,
      response_status: 200,
      next_attempt_at: '',
    })
    expect(delivery.response_body).toMatch(/^all right é{100,}/)
    expect(Buffer.byteLength(delivery.response_body)).toBeLessThanOrEqual(1100)
    expect(delivery.latency_ms).toBeGreaterThan(0)
  })

  test('a delivery is announced to subscribers at each step', async () => {
    const { db } = fixture.store
    await db.query(`insert into _listeners (node) values ('test')`)
    try {
      await sendAndReport(user, phone, 1, 'sent')
      await allAre(user)
      const [{ id }] = await deliveriesOf(user)
      const { rows } = await db.query(
        `select action, image ->> 'status' from _changes where record = $1 order by position`,
        [id],
      )
      expect(rows).toEqual([
        ['create', 'pending'],
        ['update', 'delivered'],
      ])
    } finally {
      await db.query(`delete from _listeners where node = 'test'`)
    }
  })

  test('a delivery is deleted with its message, including its payload', async () => {
    const [message] = await sendAndReport(user, phone, 1, 'sent')
    await allAre(user)
    const [{ id }] = await deliveriesOf(user)
    await user.call('DELETE', `/api/collections/sms_messages/records/${message}`)
    expect(await deliveriesOf(user)).toEqual([])
    const { rows } = await fixture.store.db.query(
      'select 1 from webhook_payloads where delivery = $1',
      [id],
    )
    expect(rows).toEqual([])
  })

  test('a delivery is deleted with its webhook, even while pending', async () => {
    receiver.answer(500)
    await sendAndReport(user, phone, 1, 'sent')
    await receiver.heard(1)
    await user.call('DELETE', `/api/collections/webhooks/records/${hook.id}`)
    expect(await deliveriesOf(user)).toEqual([])
  })
})

const read = (who: Client, id: string) => who.call('GET', `/api/webhooks/deliveries/${id}/request`)

/** A webhook of the user and its only delivery, once it was tried. */
async function tried(values: object = {}, url = receiver.url) {
  const hook = await makeWebhook(user, url, values)
  await sendAndReport(user, phone, 1, 'sent')
  await until('the attempt is noted', async () => (await deliveriesOf(user))[0]?.attempts === 1)
  return { hook, id: (await deliveriesOf(user))[0].id as string }
}

test.each([
  ['an event', {}],
  ["an event in SMSGate's form", { smsgate_event: 'sms:sent' }],
])('the request of a delivery is shown exactly as it was sent: %s', async (_, values) => {
  const { hook, id } = await tried(values)
  const [told] = await receiver.heard(1)
  const { body } = await read(user, id)
  expect(body.body).toBe(told!.body)
  expect(told!.headers).toMatchObject(body.headers)
  expect(body.headers['webhook-signature']).toMatch(/^v1,/)
  expect(body.headers['webhook-id']).toBe(told!.id)
  expect(JSON.stringify(body)).not.toContain(hook.secret)
})

test('the request of a delivery is shown even if the receiver never answered', async () => {
  const { body } = await read(user, (await tried({}, 'http://127.0.0.1:1/')).id)
  expect(JSON.parse(body.body)).toMatchObject({ type: 'message.sent', data: { body: 'Hello.' } })
  expect(body.headers['webhook-signature']).toMatch(/^v1,/)
})

test('the request of a delivery has no headers before the first attempt', async () => {
  const { hook, id } = await tried()
  const { db } = fixture.store
  await db.query('delete from webhook_headers where delivery = $1', [id])
  expect((await read(user, id)).body.headers).toEqual({})
  await user.call('DELETE', `/api/collections/webhooks/records/${hook.id}`)
  expect((await read(user, id)).status).toBe(404)
})

test("the request of a delivery can be read only by the webhook's user and superusers", async () => {
  const { id } = await tried()
  const other = await fixture.gateway.makeUser()
  expect((await read(fixture.gateway.guest, id)).status).toBe(401)
  expect((await read(phone, id)).status).toBe(403)
  expect(await read(other, id)).toMatchObject({
    status: 404,
    body: { error: 'delivery_not_found' },
  })
  expect((await read(user, 'deliverynobody0')).status).toBe(404)
  expect((await read(fixture.gateway.superuser, id)).body.body).toContain('Hello.')
})
