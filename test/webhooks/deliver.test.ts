import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../support/server/server-with-devices.ts'
import { type Receiver, startReceiver, until, verify } from '../support/services/receiver.ts'
import {
  deliveriesOf,
  makeWebhook,
  sendAndReport,
  startWebhookFixture,
  type TestWebhook,
  type WebhookFixture,
} from '../support/webhook-fixture.ts'

let fixture: WebhookFixture
let user: Client
let phone: Client
let receiver: Receiver
beforeAll(async () => {
  fixture = await startWebhookFixture()
})
afterAll(() => fixture?.stop())
beforeEach(async () => {
  user = await fixture.gateway.makeUser()
  phone = await fixture.gateway.pair(user)
  receiver = await startReceiver()
})
afterEach(() => receiver.stop())

const view = async (id: string) =>
  (await user.call('GET', `/api/collections/sms_messages/records/${id}`)).body
const settled = () =>
  until('all delivered', async () => (await deliveriesOf(user)).every(({ status }) => status === 'delivered'))

describe('an event', () => {
  test('is told as Standard Webhooks asks, with the record as its owner sees it', async () => {
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
  ] as const)('%s is told once each', async (_, statuses, events) => {
    await makeWebhook(user, receiver.url)
    await sendAndReport(user, phone, 1, ...statuses)
    await receiver.heard(events.length)
    await settled()
    expect(receiver.told.map(({ event }) => event.type).sort()).toEqual([...events].sort())
    for (const { event } of receiver.told) expect(`message.${event.data.status}`).toBe(event.type)
    expect(new Set(receiver.told.map(({ id }) => id)).size).toBe(events.length)
  })

  test('shows the message as the event left it, though more has happened since', async () => {
    receiver.answer(500)
    await makeWebhook(user, receiver.url, { events: ['message.sent'] })
    const [id] = await sendAndReport(user, phone, 1, 'sent', 'delivered')
    await receiver.heard(1)
    expect((await view(id!)).status).toBe('delivered')
    expect(receiver.told[0]!.event.data).toMatchObject({ id, status: 'sent', delivered_at: '' })
  })

  test('is told to each webhook that wants it, under one id', async () => {
    const [one, two] = [await makeWebhook(user, receiver.url), await makeWebhook(user, receiver.url)]
    await makeWebhook(user, receiver.url, { events: ['message.failed'] })
    await makeWebhook(user, receiver.url, { enabled: false })
    await sendAndReport(user, phone, 1, 'sent')
    await receiver.heard(2)
    await settled()
    expect(receiver.told).toHaveLength(2)
    expect(receiver.told[0]!.id).toBe(receiver.told[1]!.id)
    const hooks = (await deliveriesOf(user)).map(({ webhook }) => webhook)
    expect(hooks.sort()).toEqual([one.id, two.id].sort())
  })

  test('that came in is told', async () => {
    await makeWebhook(user, receiver.url)
    const items = [{ from: '+491700000001', body: 'Hi', received_at: '2026-11-20 07:00:00.000Z' }]
    for (let i = 0; i < 2; i++) await phone.call('POST', '/api/devices/incoming', { items })
    await receiver.heard(1)
    await settled()
    expect(receiver.told).toHaveLength(1)
    expect(receiver.told[0]!.event).toMatchObject({
      type: 'message.received',
      data: { from: '+491700000001' },
    })
  })

  test('of a message that is canceled is told', async () => {
    await makeWebhook(user, receiver.url)
    const sent = await user.call('POST', '/api/sms/send', { recipients: ['+491700000001'], body: 'x' })
    const [id] = sent.body.message_ids
    await user.call('POST', `/api/sms/messages/${id}/cancel`, {})
    const [told] = await receiver.heard(1)
    expect(told!.event).toMatchObject({ type: 'message.failed', data: { id, error_message: 'Canceled' } })
  })

  test('of a message that ran out is told', async () => {
    await makeWebhook(user, receiver.url)
    await user.call('POST', '/api/sms/send', { recipients: ['+491700000001'], body: 'x', ttl: 60 })
    await fixture.store.db.query(`update sms_dispatch set expires_at = now() where "user" = $1`, [user.id])
    const [told] = await receiver.heard(1)
    expect(told!.event).toMatchObject({
      type: 'message.failed',
      data: { status: 'failed', error_message: 'Expired before sending' },
    })
  })

  test('of a recipient who has opted out is told', async () => {
    await makeWebhook(user, receiver.url)
    const contact = { user: user.id, phone: '+491700000001', opted_out: true }
    await user.call('POST', '/api/collections/contacts/records', contact)
    const recipients = ['+491700000001', '+491700000002']
    const sent = await user.call('POST', '/api/sms/send', { recipients, body: 'x' })
    const [told] = await receiver.heard(1)
    await settled()
    expect(receiver.told).toHaveLength(1)
    expect(told!.event).toMatchObject({
      type: 'message.failed',
      data: { id: sent.body.message_ids[0], error_message: 'Recipient has opted out' },
    })
  })

  test('of another user is not', async () => {
    const other = await fixture.gateway.makeUser()
    await makeWebhook(other, receiver.url)
    await makeWebhook(user, receiver.url)
    await sendAndReport(user, phone, 1, 'sent')
    await receiver.heard(1)
    await settled()
    expect(receiver.told).toHaveLength(1)
    expect(await deliveriesOf(other)).toEqual([])
  })
})

describe('a delivery', () => {
  let hook: TestWebhook
  beforeEach(async () => {
    hook = await makeWebhook(user, receiver.url)
  })

  test('is written down', async () => {
    receiver.answer(200, `all right\0 ${'é'.repeat(2000)}`)
    const [message] = await sendAndReport(user, phone, 1, 'sent')
    await receiver.heard(1)
    await settled()
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

  test('is told to whoever listens, from the first to the last step', async () => {
    const { db } = fixture.store
    await db.query(`insert into _listeners (node) values ('test')`)
    try {
      await sendAndReport(user, phone, 1, 'sent')
      await settled()
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

  test('comes well within a second', async () => {
    await sendAndReport(user, phone, 1, 'sent')
    await receiver.heard(1)
    const waits: number[] = []
    for (let i = 1; i <= 7; i++) {
      const begun = performance.now()
      await phone.call('POST', '/api/devices/incoming', {
        items: [{ from: '+491700000001', body: `Hi ${i}`, received_at: '2026-11-20 07:00:00.000Z' }],
      })
      await receiver.heard(1 + i)
      waits.push(receiver.told[i]!.at - begun)
    }
    // most of them: a busy machine may hold up one or two
    expect(waits.toSorted((a, b) => a - b)[3]).toBeLessThan(500)
  })

  test('goes with its message, and what it says goes with it', async () => {
    const [message] = await sendAndReport(user, phone, 1, 'sent')
    await settled()
    const [{ id }] = await deliveriesOf(user)
    await user.call('DELETE', `/api/collections/sms_messages/records/${message}`)
    expect(await deliveriesOf(user)).toEqual([])
    const { rows } = await fixture.store.db.query('select 1 from webhook_payloads where delivery = $1', [id])
    expect(rows).toEqual([])
  })

  test('goes with its webhook, also one that waits', async () => {
    receiver.answer(500)
    await sendAndReport(user, phone, 1, 'sent')
    await receiver.heard(1)
    await user.call('DELETE', `/api/collections/webhooks/records/${hook.id}`)
    expect(await deliveriesOf(user)).toEqual([])
  })
})

test('without webhooks nothing is written', async () => {
  await sendAndReport(user, phone, 3, 'sent', 'delivered')
  expect(await deliveriesOf(user)).toEqual([])
  expect(
    (await fixture.store.db.query('select 1 from webhook_dispatch where "user" = $1', [user.id])).rows,
  ).toEqual([])
})
