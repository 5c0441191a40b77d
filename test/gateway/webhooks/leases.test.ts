import type { CallOutcome } from '../../../src/gateway/webhooks/call-webhook.ts'
import {
  type DeliveryLease,
  endExpiredLeases,
  endLease,
  leaseDeliveries,
} from '../../../src/gateway/webhooks/lease-deliveries.ts'
import { type DueDelivery, findDueDeliveries } from '../../../src/gateway/webhooks/load-delivery.ts'
import {
  endDeliveryTurn,
  failWithoutCall,
  recordOutcome,
} from '../../../src/gateway/webhooks/record-outcome.ts'
import { makeUser, testStore } from '../../support/database/queue.ts'

const store = await testStore()
const { db } = store

/** One delivery that is due, of a webhook that is enabled. */
beforeEach(async () => {
  await db.script(
    'delete from webhook_dispatch; delete from webhook_deliveries; delete from webhooks',
  )
  const user = await makeUser(store)
  await db.query(
    `insert into webhooks (id, "user", url, enabled) values ('hook', $1, 'https://a.example/', true)`,
    [user],
  )
  await db.query(
    `select webhook_queue(array[row(pb_new_id(), 'hook', $1, 'event', 'message.sent', null, '{}', null)::webhook_call])`,
    [user],
  )
})

const row = async () => {
  const { rows } = await db.query(
    'select handed_at is not null, due_at > now(), extract(epoch from handed_at)::text from webhook_dispatch',
  )
  return rows[0] && { isLeased: rows[0][0], isLater: rows[0][1], since: rows[0][2] }
}
const one = async () => (await leaseDeliveries(store.db, 10))[0]!
const dueOf = async ({ delivery }: DeliveryLease) =>
  (await findDueDeliveries(store, [delivery])).get(delivery)!
const answered = (status: number): CallOutcome => ({
  status,
  text: '',
  latencyMs: 1,
  retryAfter: 0,
})

/** A node leased the delivery and was silent for so long that another has it now. */
async function overtaken(): Promise<{
  old: DeliveryLease
  present: DeliveryLease
  due: DueDelivery
}> {
  const first = await one()
  await db.query(`update webhook_dispatch set handed_at = handed_at - interval '31 seconds'`)
  const old = { ...first, since: String((await row())!.since) }
  expect(await endExpiredLeases(store.db)).toBe(true)
  return { old, present: await one(), due: await dueOf(old) }
}

test('a leased delivery is not leased again until its lease is 30 s old', async () => {
  const lease = await one()
  await db.query(`update webhook_dispatch set handed_at = handed_at - interval '25 seconds'`)
  expect(await endExpiredLeases(store.db)).toBe(true)
  expect(await leaseDeliveries(store.db, 10)).toEqual([])
  await db.query(`update webhook_dispatch set handed_at = handed_at - interval '6 seconds'`)
  await endExpiredLeases(store.db)
  const next = await one()
  expect(next.delivery).toBe(lease.delivery)
  expect(next.since).not.toBe(lease.since)
})

test('endExpiredLeases returns false for an empty queue', async () => {
  await db.query('delete from webhook_dispatch')
  expect(await endExpiredLeases(store.db)).toBe(false)
})

test('a delivery whose lease was returned can be leased at once', async () => {
  const lease = await one()
  await endLease(store.db, lease)
  expect((await one()).delivery).toBe(lease.delivery)
})

test.each<
  [what: string, (old: DeliveryLease, due: DueDelivery) => Promise<void>, isLater: boolean]
>([
  ['given back', (old) => endLease(store.db, old), false],
  ['ended without work', (old) => endDeliveryTurn(store, old), false],
  ['answered with a failure', (old, due) => recordOutcome(store, old, due, answered(500)), true],
  [
    'answered too late',
    (old, due) => recordOutcome(store, old, { ...due, attempts: 7 }, answered(204)),
    false,
  ],
  [
    'failed too late',
    (old, due) => failWithoutCall(store, old, { ...due, attempts: 7 }, ''),
    false,
  ],
])('an expired lease that is %s does not disturb the present one', async (_, end, isLater) => {
  const { old, present, due } = await overtaken()
  await end(old, due)
  expect(await row()).toEqual({ isLeased: true, isLater, since: present.since })
  expect(await leaseDeliveries(store.db, 10)).toEqual([])
})

test('if two nodes deliver, the first outcome counts', async () => {
  const { old, present, due } = await overtaken()
  await recordOutcome(store, old, due, answered(204))
  expect(await row()).toBeUndefined()
  await recordOutcome(store, present, due, answered(500))
  expect(await row()).toBeUndefined()
  const { rows } = await db.query('select status, attempts from webhook_deliveries')
  expect(rows).toEqual([['delivered', 1]])
})

test('ending a turn removes a finished delivery but keeps one sent again in the meantime', async () => {
  const lease = await one()
  await endDeliveryTurn(store, lease)
  expect(await row()).toMatchObject({ isLeased: false })
  const again = await one()
  await db.query(`update webhook_deliveries set status = 'delivered'`)
  await endDeliveryTurn(store, again)
  expect(await row()).toBeUndefined()
})

/** Users, each with webhooks at URLs, each with so many deliveries that are due. */
type Waiting = Readonly<Record<string, Readonly<Record<string, number>>>>

async function fill(waiting: Waiting, due = 'now()'): Promise<void> {
  for (const [user, hooks] of Object.entries(waiting))
    for (const [url, count] of Object.entries(hooks)) {
      const values = [`${user} ${url}`, user, url]
      await db.query(
        `insert into webhooks (id, "user", url) values ($1, $2, $3) on conflict do nothing`,
        values,
      )
      const add = `insert into webhook_dispatch (delivery, webhook, "user", due_at)
        select $1 || ' ' || pb_new_id(), $1, $2, ${due} from generate_series(1, $3)`
      await db.query(add, [values[0], user, count])
    }
}

/** Asks for turns; how many there are of each user. */
async function take(room: number): Promise<Record<string, number>> {
  const leases = await leaseDeliveries(db, room)
  const found: Record<string, number> = {}
  for (const { delivery } of leases) {
    const user = delivery.split(' ')[0]!
    found[user] = (found[user] ?? 0) + 1
  }
  return found
}

/** So many webhooks at a host each, or all at one. */
const hooksAt = (host: (i: number) => string, hooks: number, each: number) =>
  Object.fromEntries(Array.from({ length: hooks }, (_, i) => [`https://${host(i)}/${i}`, each]))
const own = (i: number) => `h${i}.example`

describe('the turns of due deliveries', () => {
  beforeEach(() => db.script('delete from webhook_dispatch; delete from webhooks'))

  test.each<[what: string, Waiting, room: number, Record<string, number>]>([
    ['all deliveries if there are few', { ann: { 'https://a.example/': 3 } }, 400, { ann: 3 }],
    ['one webhook at most five', { ann: { 'https://a.example/': 30 } }, 400, { ann: 5 }],
    ['one user at most twenty', { ann: hooksAt(own, 100, 10) }, 400, { ann: 20 }],
    [
      'every user a turn, beside a user with many',
      { ann: hooksAt(own, 100, 10), bob: { 'https://b.example/': 2 } },
      5,
      { ann: 3, bob: 2 },
    ],
    [
      'as many as there is room',
      { ann: hooksAt(own, 9, 9), bob: hooksAt(own, 9, 9) },
      8,
      { ann: 4, bob: 4 },
    ],
    ['no turns without room', { ann: { 'https://a.example/': 3 } }, 0, {}],
  ])('the turns of due deliveries give %s: $3', async (_, waiting, room, turns) => {
    await fill(waiting)
    expect(await take(room)).toEqual(turns)
  })

  test('the turns of due deliveries are at most a hundred for one host, fairly spread over users', async () => {
    const crowd = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [
        `user${i}`,
        hooksAt(() => 'Shared.example:8443', 4, 5),
      ]),
    )
    await fill(crowd)
    const turns = await take(400)
    expect(Object.keys(turns)).toHaveLength(30)
    expect(Object.values(turns).reduce((sum, n) => sum + n)).toBe(100)
    expect(Math.max(...Object.values(turns))).toBe(4)
    await fill({ ann: { 'https://shared.example:8443/x': 1, 'https://other.example/x': 1 } })
    expect(await take(400)).toEqual({ ann: 1 })
  })

  test('the turns of due deliveries go first to the user with the fewest calls in progress', async () => {
    await fill({ ann: hooksAt(own, 10, 10) })
    expect(await take(15)).toEqual({ ann: 15 })
    await fill({ bob: hooksAt(own, 10, 10) })
    expect(await take(10)).toEqual({ bob: 10 })
    expect(await take(10)).toEqual({ bob: 7, ann: 3 })
    expect(await take(400)).toEqual({ ann: 2, bob: 3 })
    expect(await take(400)).toEqual({})
  })

  test("the turns of due deliveries go first to the user's webhook with the fewest calls", async () => {
    await fill({ ann: { 'https://slow.example/': 50 } }, `now() - interval '1 hour'`)
    await take(4)
    await fill({ ann: { 'https://quick.example/': 2 } })
    const leases = await leaseDeliveries(db, 3)
    const urls = leases.map(({ delivery }) => delivery.split(' ')[1])
    expect(urls.sort()).toEqual([
      'https://quick.example/',
      'https://quick.example/',
      'https://slow.example/',
    ])
  })

  test('the turns of due deliveries skip deliveries not due yet, and include deliveries of a deleted webhook', async () => {
    await fill({ ann: { 'https://a.example/': 2 } }, `now() + interval '1 hour'`)
    await fill({ bob: { 'https://b.example/': 2 } })
    await db.script('delete from webhooks')
    expect(await take(400)).toEqual({ bob: 2 })
  })
})
