import type { ServerResponse } from 'node:http'
import { cleanUpDeliveries } from '../../../src/gateway/webhooks/delete-old-deliveries.ts'
import { findDueDeliveries } from '../../../src/gateway/webhooks/load-delivery.ts'
import { recordOutcome } from '../../../src/gateway/webhooks/record-outcome.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import { until } from '../../support/until.ts'
import {
  allAre,
  deliveriesOf,
  makeDeliveriesDue,
  makeWebhook,
  sendAndReport,
  startWebhookFixture,
} from '../../support/webhook-fixture.ts'

const fixture = await startWebhookFixture()

/** A user of a test's own, with a phone and a receiver. */
async function household() {
  const receiver = await startReceiver()
  const user = await fixture.gateway.makeUser()
  return { user, phone: await fixture.gateway.pair(user), receiver, store: fixture.store }
}

const age = (days: number, count: number) =>
  fixture.store.db.query(
    `update webhook_deliveries set created = pb_text(now() - make_interval(days => $1)) where id in (
      select id from webhook_deliveries order by _rowid limit $2)`,
    [days, count],
  )

test('finished deliveries are deleted with their payloads after their retention, pending ones are not', async () => {
  const { user, phone, receiver, store } = fixture
  await makeWebhook(user, receiver.url)
  await sendAndReport(user, phone, 10, 'sent')
  await allAre(user)
  await age(31, 6)
  await store.db.query(
    `update webhook_deliveries set status = 'pending' where id = (select id from webhook_deliveries order by _rowid limit 1)`,
  )
  await cleanUpDeliveries(store, 30)
  const left = await deliveriesOf(user)
  expect(left).toHaveLength(5)
  const { rows } = await store.db.query('select delivery from webhook_payloads')
  expect(rows.map(([id]) => id).sort()).toEqual(left.map(({ id }) => id).sort())
  await cleanUpDeliveries(store, 30)
  expect(await deliveriesOf(user)).toHaveLength(5)
})

test('more old deliveries than one batch holds are all deleted', async () => {
  const { store } = fixture
  const { id } = await fixture.gateway.makeUser()
  await store.db.query(
    `insert into webhook_deliveries (id, "user", status, created, updated)
     select pb_new_id(), $1, 'failed', at, at
     from generate_series(1, 1201), lateral (select pb_text(now() - interval '31 days') as at) a`,
    [id],
  )
  // younger ones come first in the table
  await store.db.query('delete from webhook_deliveries where "user" <> $1', [id])
  await cleanUpDeliveries(store, 30)
  const { rows } = await store.db.query('select 1 from webhook_deliveries where "user" = $1', [id])
  expect(rows).toEqual([])
})

test('a resend during an attempt starts over when the attempt ends', async () => {
  const { user, phone, receiver, store } = await household()
  const one = async () => (await deliveriesOf(user))[0]
  receiver.answer(500)
  await makeWebhook(user, receiver.url)
  await sendAndReport(user, phone, 1, 'sent')
  await until('an attempt', async () => (await one())?.attempts === 1)
  let held: ServerResponse | undefined
  receiver.behave((_, res) => {
    held = res
  })
  await makeDeliveriesDue(store)
  await receiver.heard(2)
  const again = await user.call('POST', `/api/webhooks/deliveries/${(await one()).id}/resend`)
  expect(again.status).toBe(200)
  receiver.answer(204)
  held!.writeHead(500).end()
  await until('the new attempt', async () => (await one()).status === 'delivered')
  expect(await one()).toMatchObject({ attempts: 1, response_status: 204 })
})

test('a delivery that ends during an attempt keeps its result', async () => {
  const { user, phone, receiver, store } = await household()
  let held: ServerResponse | undefined
  receiver.behave(({ path }, res) => {
    if (path === '/held') held = res
    else res.writeHead(204).end()
  })
  const hook = await makeWebhook(user, `${receiver.url}/held`, { events: ['message.delivered'] })
  await sendAndReport(user, phone, 1, 'delivered')
  const one = async () => (await deliveriesOf(user)).find(({ webhook }) => webhook === hook.id)
  await until('the attempt', () => held !== undefined)
  const id = (await one()).id
  const due = (await findDueDeliveries(store, [id])).get(id)
  const path = `/api/collections/webhooks/records/${hook.id}`
  expect((await user.call('PATCH', path, { enabled: false })).status).toBe(200)
  const ended = { status: 'failed', attempts: 0, response_body: 'The webhook is disabled' }
  const before = await one()
  expect(before).toMatchObject(ended)
  // the call fails, and its outcome comes too late
  held!.writeHead(500).end()
  const outcome = { status: 500, text: '', latencyMs: 1, retryAfter: 0 }
  await recordOutcome(store, { delivery: before.id, since: '' }, due!, outcome)
  expect(await one()).toMatchObject(ended)
  // nor would another attempt begin
  expect(await findDueDeliveries(store, [id])).toEqual(new Map())
})
