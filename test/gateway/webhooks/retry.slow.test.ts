import {
  computeNextDelay,
  DELAYS_SECONDS,
} from '../../../src/gateway/webhooks/compute-retry-delay.ts'
import { freePort } from '../../support/database/postgres.ts'
import { startCpuTimer } from '../../support/server/cpu-timer.ts'
import type { Client } from '../../support/server/server-with-devices.ts'
import { type Receiver, startReceiver, verify } from '../../support/services/receiver.ts'
import { until } from '../../support/until.ts'
import {
  allAre,
  deliveriesOf,
  makeDeliveriesDue,
  makeWebhook,
  sendAndReport,
  startWebhookFixture,
} from '../../support/webhook-fixture.ts'

const HOUR = 3600

describe('the schedule', () => {
  test.each(DELAYS_SECONDS.map((seconds, i) => [i + 1, seconds] as const))(
    'the schedule waits after attempt %i for %i s, plus or minus a tenth',
    (attempts, seconds) => {
      expect(computeNextDelay(attempts, 0, 0)).toBeCloseTo(seconds * 0.9)
      expect(computeNextDelay(attempts, 0, 0.5)).toBeCloseTo(seconds)
      expect(computeNextDelay(attempts, 0, 1)).toBeCloseTo(seconds * 1.1)
    },
  )

  test.each([
    ['ends after the last', 10, 0, undefined],
    ['waits as long as Retry-After asks', 1, 60, 60],
    ['never waits less than the schedule because of Retry-After', 3, 1, 0.9 * 1800],
    ['waits no more than a day', 1, 10 * 24 * HOUR, 24 * HOUR],
  ] as const)('%s', (_, attempts, retryAfter, delay) => {
    expect(computeNextDelay(attempts, retryAfter, 0)).toBe(delay)
  })
})

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

const one = async () => (await deliveriesOf(user))[0]
const attempted = (attempts: number) =>
  until(`${attempts} attempts`, async () =>
    (await deliveriesOf(user)).every((delivery) => delivery.attempts >= attempts),
  )
/** A webhook of the user, with so many deliveries that were tried once. */
async function tried(count = 1) {
  const hook = await makeWebhook(user, receiver.url)
  await sendAndReport(user, phone, count, 'sent')
  await attempted(1)
  return hook
}
/** Seconds from the last attempt to the next one that is planned. */
const wait = ({ updated, next_attempt_at }: { updated: string; next_attempt_at: string }) =>
  (Date.parse(next_attempt_at) - Date.parse(updated)) / 1000

test('a receiver that was down for a day gets every event once', async () => {
  const port = await freePort()
  await receiver.stop()
  const hook = await makeWebhook(user, `http://127.0.0.1:${port}`)
  await sendAndReport(user, phone, 20, 'sent', 'delivered')
  for (let attempts = 1; attempts <= 7; attempts++) {
    await attempted(attempts)
    for (const delivery of await deliveriesOf(user)) {
      expect(delivery).toMatchObject({ status: 'pending', attempts, response_status: 0 })
      expect(delivery.response_body).toContain('ECONNREFUSED')
      const planned = DELAYS_SECONDS[attempts - 1]!
      expect(wait(delivery)).toBeGreaterThan(planned * 0.89)
      expect(wait(delivery)).toBeLessThan(planned * 1.11)
    }
    if (attempts < 7) await makeDeliveriesDue(fixture.store)
  }
  receiver = await startReceiver(port)
  await makeDeliveriesDue(fixture.store)
  await receiver.heard(40)
  await allAre(user)
  expect(receiver.told).toHaveLength(40)
  expect(new Set(receiver.told.map(({ id }) => id)).size).toBe(40)
  for (const told of receiver.told) verify(hook.secret, told)
})

test('a delivery fails after its last attempt', async () => {
  receiver.answer(500, 'no luck')
  await makeWebhook(user, receiver.url)
  await sendAndReport(user, phone, 1, 'sent')
  for (let attempts = 1; attempts <= 9; attempts++) {
    await attempted(attempts)
    await makeDeliveriesDue(fixture.store)
  }
  await allAre(user, 'failed')
  const last = { attempts: 10, response_status: 500, response_body: 'no luck', next_attempt_at: '' }
  expect(await one()).toMatchObject(last)
  expect(new Set(receiver.told.map(({ id }) => id)).size).toBe(1)
  expect(new Set(receiver.told.map(({ body }) => body)).size).toBe(1)
})

test('a redirect is retried and not followed', async () => {
  receiver.answer(302, '', { location: '/elsewhere' })
  await tried()
  expect(await one()).toMatchObject({ status: 'pending', response_status: 302 })
  receiver.answer(202)
  await makeDeliveriesDue(fixture.store)
  await allAre(user)
  expect(receiver.told.map(({ path }) => path)).toEqual(['/', '/'])
})

test('a Retry-After of the receiver is respected', async () => {
  receiver.answer(429, '', { 'retry-after': '1000' })
  await tried()
  expect(wait(await one())).toBeCloseTo(1000, 0)
})

test('a 410 disables the webhook and fails its waiting deliveries', async () => {
  receiver.answer(500)
  const hook = await tried(3)
  receiver.answer(410, 'go away')
  await phone.call('POST', '/api/devices/incoming', {
    items: [{ from: '+491700000001', body: 'Hi', received_at: '2026-11-20 07:00:00.000Z' }],
  })
  await allAre(user, 'failed')
  const deliveries = await deliveriesOf(user)
  expect(deliveries.filter(({ response_status }) => response_status === 410)).toHaveLength(1)
  expect(deliveries.filter(({ response_body }) => /answered 410/.test(response_body))).toHaveLength(
    3,
  )
  const record = await user.call('GET', `/api/collections/webhooks/records/${hook.id}`)
  expect(record.body.enabled).toBe(false)
  const calls = receiver.told.length
  await sendAndReport(user, phone, 1, 'sent')
  await makeDeliveriesDue(fixture.store)
  expect(receiver.told).toHaveLength(calls)
  expect(await deliveriesOf(user)).toHaveLength(4)
})

const DISABLED = { status: 'failed', response_body: 'The webhook is disabled' }

test('disabling a webhook fails its waiting deliveries without a call', async () => {
  receiver.answer(500)
  const hook = await tried(2)
  const path = `/api/collections/webhooks/records/${hook.id}`
  await user.call('PATCH', path, { enabled: false })
  expect(await deliveriesOf(user)).toMatchObject(
    Array(2).fill({ ...DISABLED, next_attempt_at: '' }),
  )
  await makeDeliveriesDue(fixture.store)
  // due after them
  await makeWebhook(user, `${receiver.url}/other`)
  await sendAndReport(user, phone, 1, 'sent')
  await receiver.heard(3)
  expect(receiver.told.map(({ path }) => path)).toEqual(['/', '/', '/other'])
  const again = await user.call('POST', `/api/webhooks/${hook.id}/resend-failed`, {
    since: '2026-01-01',
  })
  expect(again).toMatchObject({ status: 409, body: { error: 'webhook_disabled' } })
})

test('giving a webhook to another user fails its waiting deliveries without a call', async () => {
  receiver.answer(500)
  const hook = await tried()
  const other = await fixture.gateway.makeUser()
  await fixture.store.db.query('update webhooks set "user" = $2 where id = $1', [hook.id, other.id])
  receiver.answer(204)
  await makeDeliveriesDue(fixture.store)
  await until('the end', async () => (await one()).status !== 'pending')
  expect(await one()).toMatchObject({ ...DISABLED, attempts: 1 })
  expect(receiver.told).toHaveLength(1)
})

test('a webhook without a secret is not called until it has one', async () => {
  const hook = await makeWebhook(user, receiver.url)
  await fixture.store.db.query(`update webhooks set secret = 'mine' where id = $1`, [hook.id])
  await sendAndReport(user, phone, 1, 'sent')
  await allAre(user, 'failed')
  expect(await one()).toMatchObject({
    attempts: 0,
    response_body: 'The webhook has no secret, rotate it',
  })
  const { secret } = (await user.call('POST', `/api/webhooks/${hook.id}/rotate`)).body
  await user.call('POST', `/api/webhooks/${hook.id}/resend-failed`, { since: '2026-01-01' })
  await allAre(user)
  verify(secret, receiver.told[0]!)
  expect(receiver.told).toHaveLength(1)
})

describe('a resend', () => {
  test("a resend keeps the delivery's id and starts its attempts over", async () => {
    receiver.answer(500)
    await tried()
    receiver.answer(200)
    const { id, event_id } = await one()
    const again = await user.call('POST', `/api/webhooks/deliveries/${id}/resend`)
    expect(again).toEqual({
      status: 200,
      body: { id, event_id, event: 'message.sent', status: 'pending' },
    })
    await allAre(user)
    const once = await user.call('POST', `/api/webhooks/deliveries/${id}/resend`)
    expect(once.status).toBe(200)
    await receiver.heard(3)
    await allAre(user)
    expect(receiver.told.map((told) => told.id)).toEqual([event_id, event_id, event_id])
    expect(await one()).toMatchObject({ id, attempts: 1 })
  })

  test('a resend of failed deliveries since a time sends those and no others', async () => {
    const hook = await makeWebhook(user, receiver.url)
    await sendAndReport(user, phone, 5, 'sent')
    await allAre(user)
    const fail = (count: number, updated: string) =>
      fixture.store.db.query(
        `update webhook_deliveries set status = 'failed', updated = $3 where id in (
           select id from webhook_deliveries where "user" = $1 and status = 'delivered' order by _rowid limit $2)`,
        [user.id, count, updated],
      )
    await fail(2, '2026-11-19 08:00:00.000Z')
    await fail(2, '2026-11-18 08:00:00.000Z')
    const path = `/api/webhooks/${hook.id}/resend-failed`
    const again = await user.call('POST', path, { since: '2026-11-19T07:00:00Z' })
    expect(again).toEqual({ status: 200, body: { resent: 2 } })
    await receiver.heard(7)
    await until('two have failed', async () => {
      const statuses = (await deliveriesOf(user)).map(({ status }) => status)
      return statuses.sort().join() === 'delivered,delivered,delivered,failed,failed'
    })
    expect(new Set(receiver.told.map(({ id }) => id)).size).toBe(5)
  })

  test('a resend sends 10,000 failed deliveries in one request', async () => {
    const hook = await makeWebhook(user, receiver.url)
    await fixture.store.db.query(
      `with made as (
         insert into webhook_deliveries (id, "user", webhook, event_id, event, status, created, updated)
         select pb_new_id(), $1, $2, pb_new_id(), 'message.sent', 'failed', pb_text(now()), pb_text(now())
         from generate_series(1, 10000) returning id
       )
       insert into webhook_payloads (delivery, at, image) select id, now(), '{"id":"x"}' from made`,
      [user.id, hook.id],
    )
    const took = startCpuTimer()
    const path = `/api/webhooks/${hook.id}/resend-failed`
    const { body } = await user.call('POST', path, { since: '2026-01-01' })
    expect(body).toEqual({ resent: 10_000 })
    expect(took()).toBeLessThan(20_000)
    await receiver.heard(200, 80_000)
    await user.call('DELETE', `/api/collections/webhooks/records/${hook.id}`)
  })
})

test('a test event is signed, delivered and recorded, and names no message', async () => {
  const hook = await makeWebhook(user, receiver.url, { events: ['message.failed'] })
  const { body } = await user.call('POST', `/api/webhooks/${hook.id}/test`)
  const [told] = await receiver.heard(1)
  expect(verify(hook.secret, told!)).toMatchObject({
    type: 'webhook.test',
    data: { collectionName: 'sms_messages', status: 'delivered', user: user.id },
  })
  await allAre(user)
  expect(await one()).toMatchObject({
    id: body.id,
    event_id: told!.id,
    event: 'webhook.test',
    message: '',
  })
})

test("a waiting delivery survives a change of its collection's fields", async () => {
  receiver.answer(500)
  await tried()
  const path = '/api/collections/sms_messages'
  const { superuser } = fixture.gateway
  const { fields } = (await superuser.call('GET', path)).body
  const more = [
    { name: 'seen', type: 'date' },
    { name: 'tags', type: 'select', values: ['a', 'b'], maxSelect: 2 },
    { name: 'notes', type: 'json' },
  ]
  const changed = await superuser.call('PATCH', path, { fields: [...fields, ...more] })
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  receiver.answer(200)
  await makeDeliveriesDue(fixture.store)
  await allAre(user)
  const [before, after] = receiver.told.map(({ event }) => event.data)
  expect(after).toEqual({ ...before, seen: '', tags: [], notes: null })
})

test('during a rotation both secrets sign, and a second rotation ends the first', async () => {
  const hook = await makeWebhook(user, receiver.url)
  const rotate = async () =>
    (await user.call('POST', `/api/webhooks/${hook.id}/rotate`)).body.secret as string
  const tell = async (calls: number) => {
    await user.call('POST', `/api/webhooks/${hook.id}/test`)
    return (await receiver.heard(calls))[calls - 1]!
  }
  const second = await rotate()
  const told = await tell(1)
  expect(told.headers['webhook-signature']!.split(' ')).toHaveLength(2)
  for (const secret of [hook.secret, second]) verify(secret, told)
  const third = await rotate()
  const later = await tell(2)
  for (const secret of [second, third]) verify(secret, later)
  expect(() => verify(hook.secret, later)).toThrow('No matching signature')
  await fixture.store.db.query(`update webhook_rotations set until = now() where webhook = $1`, [
    hook.id,
  ])
  const last = await tell(3)
  verify(third, last)
  expect(() => verify(second, last)).toThrow('No matching signature')
  // long after the last rotation it is as at the first one
  const fourth = await rotate()
  const newest = await tell(4)
  for (const secret of [third, fourth]) verify(secret, newest)
})
