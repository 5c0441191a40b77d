import { expect, test } from 'vitest'
import { cleanUpDeliveries } from '../../src/webhooks/clean-up.ts'
import { forThisFile } from '../support/for-this-file.ts'
import { startCpuTimer } from '../support/server/cpu-timer.ts'
import { until } from '../support/services/receiver.ts'
import { deliveriesOf, makeWebhook, sendAndReport, startWebhookFixture } from '../support/webhook-fixture.ts'

const fixture = await forThisFile(startWebhookFixture())

const age = (days: number, count: number) =>
  fixture.store.db.query(
    `update webhook_deliveries set created = pb_text(now() - make_interval(days => $1)) where id in (
      select id from webhook_deliveries order by _rowid limit $2)`,
    [days, count],
  )

test('deliveries are kept for some days, with what they say, and those that wait for longer', async () => {
  const { user, phone, receiver, store } = fixture
  await makeWebhook(user, receiver.url)
  await sendAndReport(user, phone, 10, 'sent')
  await until('all are told', async () =>
    (await deliveriesOf(user)).every(({ status }) => status === 'delivered'),
  )
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

test('all that is old goes, however much it is', async () => {
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

test('ten thousand are sent again in one go', async () => {
  const { store, receiver } = fixture
  const user = await fixture.gateway.makeUser()
  const hook = await makeWebhook(user, receiver.url)
  await store.db.query(
    `with made as (
       insert into webhook_deliveries (id, "user", webhook, event_id, event, status, created, updated)
       select pb_new_id(), $1, $2, pb_new_id(), 'message.sent', 'failed', pb_text(now()), pb_text(now())
       from generate_series(1, 10000) returning id
     )
     insert into webhook_payloads (delivery, at, image) select id, now(), '{"id":"x"}' from made`,
    [user.id, hook.id],
  )
  const calls = receiver.told.length
  const took = startCpuTimer()
  const { body } = await user.call('POST', `/api/webhooks/${hook.id}/resend-failed`, { since: '2026-01-01' })
  expect(body).toEqual({ resent: 10_000 })
  expect(took()).toBeLessThan(20_000)
  await receiver.heard(calls + 200, 80_000)
  await user.call('DELETE', `/api/collections/webhooks/records/${hook.id}`)
})
