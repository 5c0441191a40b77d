import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Client } from '../support/server/server-with-devices.ts'
import { type Receiver, startReceiver, until } from '../support/services/receiver.ts'
import {
  deliveriesOf,
  makeWebhook,
  sendAndReport,
  startWebhookFixture,
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

const read = (who: Client, id: string) => who.call('GET', `/api/webhooks/deliveries/${id}/request`)

/** The only delivery of the user, once `attempts` were made. */
async function delivery(attempts: number): Promise<string> {
  await until('the attempt is noted', async () => (await deliveriesOf(user))[0]?.attempts === attempts)
  return (await deliveriesOf(user))[0].id
}

test.each([
  ['an event', {}],
  ["an event in SMSGate's form", { smsgate_event: 'sms:sent' }],
])('%s: the request is shown as it was sent', async (_, values) => {
  const { secret } = await makeWebhook(user, receiver.url, values)
  await sendAndReport(user, phone, 1, 'sent')
  const [told] = await receiver.heard(1)
  const { body } = await read(user, await delivery(1))
  expect(body.body).toBe(told!.body)
  expect(told!.headers).toMatchObject(body.headers)
  expect(body.headers['webhook-signature']).toMatch(/^v1,/)
  expect(body.headers['webhook-id']).toBe(told!.id)
  expect(JSON.stringify(body)).not.toContain(secret)
})

test('of a call that nothing answered, too', async () => {
  await makeWebhook(user, 'http://127.0.0.1:1/')
  await sendAndReport(user, phone, 1, 'sent')
  const { body } = await read(user, await delivery(1))
  expect(JSON.parse(body.body)).toMatchObject({ type: 'message.sent', data: { body: 'Hello.' } })
  expect(body.headers['webhook-signature']).toMatch(/^v1,/)
})

test('without an attempt there are no headers', async () => {
  const { id } = await makeWebhook(user, receiver.url)
  await sendAndReport(user, phone, 1, 'sent')
  const made = await delivery(1)
  const { db } = fixture.store
  await db.query('update webhook_payloads set headers = null where delivery = $1', [made])
  expect((await read(user, made)).body.headers).toEqual({})
  await user.call('DELETE', `/api/collections/webhooks/records/${id}`)
  expect((await read(user, made)).status).toBe(404)
})

test('it is for the user of the webhook and for superusers', async () => {
  await makeWebhook(user, receiver.url)
  await sendAndReport(user, phone, 1, 'sent')
  const id = await delivery(1)
  const other = await fixture.gateway.makeUser()
  expect((await read(fixture.gateway.guest, id)).status).toBe(401)
  expect((await read(phone, id)).status).toBe(403)
  expect(await read(other, id)).toMatchObject({ status: 404, body: { error: 'delivery_not_found' } })
  expect((await read(user, 'deliverynobody0')).status).toBe(404)
  expect((await read(fixture.gateway.superuser, id)).body.body).toContain('Hello.')
})
