import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Store } from '../../src/collections/catalog.ts'
import type { CallOutcome } from '../../src/webhooks/call-webhook.ts'
import { type DueDelivery, findDue } from '../../src/webhooks/due.ts'
import { endExpiredLeases, endLease, type Lease, leaseDeliveries } from '../../src/webhooks/lease.ts'
import { endTurn, failWithoutCall, recordOutcome } from '../../src/webhooks/record-outcome.ts'
import { makeUser, openTestStore } from '../support/database/queue.ts'

let store: Store
let close: () => Promise<void>
beforeAll(async () => {
  ;({ store, close } = await openTestStore())
})
afterAll(() => close?.())

/** One delivery that is due, of a webhook that is enabled. */
beforeEach(async () => {
  await store.db.script('delete from webhook_dispatch; delete from webhook_deliveries; delete from webhooks')
  const user = await makeUser(store)
  await store.db.query(
    `insert into webhooks (id, "user", url, enabled) values ('hook', $1, 'https://a.example/', true)`,
    [user],
  )
  await store.db.query(
    `insert into webhook_dispatch (delivery, webhook, "user", event_id, event, image)
     values (pb_new_id(), 'hook', $1, 'event', 'message.sent', '{}')`,
    [user],
  )
})

const row = async () => {
  const { rows } = await store.db.query(
    'select handed_at is not null, due_at > now(), extract(epoch from handed_at)::text from webhook_dispatch',
  )
  return rows[0] && { isLeased: rows[0][0], isLater: rows[0][1], since: rows[0][2] }
}
const one = async () => (await leaseDeliveries(store.db, 10))[0]!
const dueOf = async ({ delivery }: Lease) => (await findDue(store, delivery))!
const answered = (status: number): CallOutcome => ({ status, text: '', latencyMs: 1, retryAfter: 0 })

/** A node leased the delivery and was silent for so long that another has it now. */
async function overtaken(): Promise<{ old: Lease; present: Lease; due: DueDelivery }> {
  const first = await one()
  await store.db.query(`update webhook_dispatch set handed_at = handed_at - interval '31 seconds'`)
  const old = { ...first, since: String((await row())!.since) }
  expect(await endExpiredLeases(store.db)).toBe(true)
  return { old, present: await one(), due: await dueOf(old) }
}

test('nobody else gets a delivery that is leased, until the lease is 30 s old', async () => {
  const lease = await one()
  await store.db.query(`update webhook_dispatch set handed_at = handed_at - interval '25 seconds'`)
  expect(await endExpiredLeases(store.db)).toBe(true)
  expect(await leaseDeliveries(store.db, 10)).toEqual([])
  await store.db.query(`update webhook_dispatch set handed_at = handed_at - interval '6 seconds'`)
  await endExpiredLeases(store.db)
  const next = await one()
  expect(next.delivery).toBe(lease.delivery)
  expect(next.since).not.toBe(lease.since)
})

test('an empty queue is told', async () => {
  await store.db.query('delete from webhook_dispatch')
  expect(await endExpiredLeases(store.db)).toBe(false)
})

test('a lease that was given back can be taken at once', async () => {
  const lease = await one()
  await endLease(store.db, lease)
  expect((await one()).delivery).toBe(lease.delivery)
})

test.each<[what: string, (old: Lease, due: DueDelivery) => Promise<void>, isLater: boolean]>([
  ['given back', (old) => endLease(store.db, old), false],
  ['over, as nothing was to do', (old) => endTurn(store, old), false],
  ['answered with a failure', (old, due) => recordOutcome(store, old, due, answered(500)), true],
  ['too late', (old, due) => recordOutcome(store, old, { ...due, attempts: 7 }, answered(204)), false],
  ['too late to fail', (old, due) => failWithoutCall(store, old, { ...due, attempts: 7 }, ''), false],
])('a lease that expired leaves the next one alone when it is %s', async (_, end, isLater) => {
  const { old, present, due } = await overtaken()
  await end(old, due)
  expect(await row()).toEqual({ isLeased: true, isLater, since: present.since })
  expect(await leaseDeliveries(store.db, 10)).toEqual([])
})

test('when both deliver, the first outcome counts and the delivery is over', async () => {
  const { old, present, due } = await overtaken()
  await recordOutcome(store, old, due, answered(204))
  expect(await row()).toBeUndefined()
  await recordOutcome(store, present, due, answered(500))
  expect(await row()).toBeUndefined()
  const { rows } = await store.db.query('select status, attempts from webhook_deliveries')
  expect(rows).toEqual([['delivered', 1]])
})

test('the turn of a delivery that is over ends; one that was sent again meanwhile stays', async () => {
  const lease = await one()
  await endTurn(store, lease)
  expect(await row()).toMatchObject({ isLeased: false })
  const again = await one()
  await store.db.query(`update webhook_deliveries set status = 'delivered'`)
  await endTurn(store, again)
  expect(await row()).toBeUndefined()
})
