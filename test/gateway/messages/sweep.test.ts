import type { Device } from '../../../src/gateway/base/device-record.ts'
import { subscribeToDevice } from '../../../src/gateway/lines/wake-devices.ts'
import { claimMessages } from '../../../src/gateway/messages/queue/claim-messages.ts'
import { retryExpiredLeases } from '../../../src/gateway/messages/queue/overdue-messages.ts'
import { checkQueue } from '../../../src/gateway/messages/queue/repair-queue.ts'
import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import {
  assign,
  eventsOf,
  lookUp,
  makeDevice,
  makeUser,
  testStore,
} from '../../support/database/queue.ts'

const ONLINE_SECONDS = 600

let user: string
const store = await testStore()

beforeEach(async () => {
  await store.db.query('delete from sms_dispatch')
  user = await makeUser(store)
})

const look = () => sweepQueue(store, ONLINE_SECONDS)
const change = (ids: readonly string[], set: string) =>
  store.db.query(`update sms_dispatch set ${set} where message = any($1)`, [ids])
const OVER = `lease_until = now() - interval '1 second'`
const LATE = `wakes = 3, wake_at = now() - interval '1 second'`

/** How many of these messages each device has, by its id. */
async function shares(ids: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { device } of await lookUp(store, ids)) counts[device!] = (counts[device!] ?? 0) + 1
  return counts
}

/** A message that a device has claimed. */
async function sending(dispatch: Readonly<Record<string, string>> = {}) {
  const device = await makeDevice(store, user)
  const ids = await assign(store, device, 1, dispatch)
  await claimMessages(store, device, 1, 120)
  return { device, ids }
}

/** A look leaves it with its device, one after the lease ends it. */
async function endsByItsLease(ids: string[]) {
  await look()
  expect(await lookUp(store, ids)).toMatchObject([{ status: 'sending' }])
  await change(ids, OVER)
  await look()
  const error = 'Outcome unknown: the device went silent'
  expect(await lookUp(store, ids)).toMatchObject([{ status: 'failed', error }])
}

describe('an expired lease', () => {
  test('an expired lease fails an at-most-once message with an unknown outcome as its error', async () => {
    const { ids } = await sending()
    await endsByItsLease(ids)
    expect(await eventsOf(store, ids[0]!)).toEqual(['sending 1', 'failed 1'])
  })

  test('an expired lease gives an at-least-once message to another device', async () => {
    const { ids } = await sending({ at_least_once: 'true' })
    const other = await makeDevice(store, user)
    await change(ids, OVER)
    await look()
    expect(await lookUp(store, ids)).toMatchObject([{ status: 'assigned', device: other.id }])
    expect(await claimMessages(store, other, 1, 120)).toMatchObject([{ id: ids[0], attempt: 2 }])
  })

  test('an expired lease does not resend a message that has expired meanwhile', async () => {
    const { ids } = await sending({ at_least_once: 'true' })
    await change(ids, `${OVER}, expires_at = now()`)
    await look()
    expect(await lookUp(store, ids)).toMatchObject([{ status: 'failed' }])
  })

  test('an expired lease never resends an at-most-once message, even when many leases have expired', async () => {
    const { device, ids } = await sending()
    await makeDevice(store, user)
    await change(ids, OVER)
    // a look ends some of them only, and then comes here
    await store.db.transaction((db) => retryExpiredLeases(db, ONLINE_SECONDS))
    expect(await lookUp(store, ids)).toMatchObject([{ status: 'sending', device: device.id }])
  })
})

test.each([
  [
    'it expires',
    `update sms_dispatch set expires_at = now() - interval '1 second' where device = $1`,
  ],
  ['the device is deleted', 'delete from devices where id = $1'],
])('a message being sent keeps its lease when %s', async (_, happens) => {
  const { device, ids } = await sending({ pinned: 'true' })
  await store.db.query(happens, [device.id])
  await endsByItsLease(ids)
})

test.each([
  ['assigned to no device', { state: `'assigned'` }],
  ['pending without a time', { state: `'pending'` }],
])('a message that is %s gets a device once there is one', async (_, dispatch) => {
  const ids = await assign(store, { id: '', user }, 1, dispatch)
  await look()
  const device = await makeDevice(store, user)
  await look()
  expect(await lookUp(store, ids)).toMatchObject([{ status: 'assigned', device: device.id }])
  expect(await claimMessages(store, device, 1, 120)).toHaveLength(1)
})

test.each(['assigned', 'pending'])('%s messages fail when they expire', async (state) => {
  const ids = await assign(store, await makeDevice(store, user), 1, {
    state: `'${state}'`,
    expires_at: `now() - interval '1 second'`,
  })
  await look()
  expect(await lookUp(store, ids)).toMatchObject([
    { status: 'failed', error: 'Expired before sending' },
  ])
})

describe('messages that their device does not claim', () => {
  test.each([
    ['was disabled', { enabled: 'false' }],
    ['went offline', { last_seen: `pb_text(now() - interval '11 minutes')` }],
  ])(
    'messages that their device does not claim are spread evenly over the other devices if it %s',
    async (_, columns) => {
      const [a, b] = [await makeDevice(store, user), await makeDevice(store, user)]
      const ids = await assign(store, await makeDevice(store, user, columns), 10)
      await look()
      expect(await shares(ids)).toEqual({ [a.id]: 5, [b.id]: 5 })
      expect(await eventsOf(store, ids[0]!)).toEqual(['assigned 0'])
    },
  )

  test('messages that their device does not claim move to another device when theirs was deleted', async () => {
    const other = await makeDevice(store, user)
    const ids = await assign(store, { id: 'deleteddevice00', user }, 3)
    await look()
    expect(await shares(ids)).toEqual({ [other.id]: 3 })
  })

  test('messages that their device does not claim move to another device after three wake-ups, but not while their device claims other messages', async () => {
    const [silent, busy, other] = await Promise.all([1, 2, 3].map(() => makeDevice(store, user)))
    const lost = await assign(store, silent!, 2)
    const kept = await assign(store, busy!, 2)
    await claimMessages(store, busy!, 1, 120)
    await change([...lost, ...kept], LATE)
    await look()
    expect(await shares(kept)).toEqual({ [busy!.id]: 2 })
    expect((await lookUp(store, lost)).map(({ device }) => device)).not.toContain(silent!.id)
    expect(other).toBeDefined()
    // the next device has its wake-ups, too
    const { rows } = await store.db.query(
      'select wakes from sms_dispatch where message = any($1)',
      [lost],
    )
    expect(rows).toEqual([[1], [1]])
  })

  test.each([
    ['after 45 s without a claim, at any wake-up', {}, false],
    ['but not while its limit per minute delays it', { per_minute: '10' }, true],
  ] as const)(
    'messages that their device does not claim move to another device after an active device stopped claiming: %s',
    async (_, columns, isKept) => {
      const [stopped] = [await makeDevice(store, user, columns), await makeDevice(store, user)]
      const ids = await assign(store, stopped, 2)
      await change(ids, `wakes = 4, wake_at = now() + interval '75 seconds'`)
      const handout = `insert into device_handouts values ($1, now() - interval '50 seconds', 10)`
      await store.db.query(handout, [stopped.id])
      await look()
      expect((await shares(ids))[stopped.id] === 2).toBe(isKept)
    },
  )

  test.each([
    ['the request named the device', { pinned: 'true' }, () => makeDevice(store, user)],
    [
      'the other device belongs to another user',
      {},
      async () => makeDevice(store, await makeUser(store)),
    ],
    ['there is no other device', {}, async () => {}],
  ] as const)(
    'messages that their device does not claim stay where they are when %s',
    async (_, dispatch, makeOther) => {
      const device = await makeDevice(store, user, { enabled: 'false' })
      await makeOther()
      const ids = await assign(store, device, 2, dispatch)
      await change(ids, LATE)
      await look()
      expect(await shares(ids)).toEqual({ [device.id]: 2 })
    },
  )
})

const wakes = async (id: string) => {
  const { rows } = await store.db.query(
    'select wakes, extract(epoch from wake_at - now())::float8 from sms_dispatch where message = $1',
    [id],
  )
  return { wakes: Number(rows[0]![0]), inSeconds: Math.round(Number(rows[0]![1])) }
}

test('wake-ups for an unclaimed message are sent after 5, 15, 45 and 120 s, then every 5 minutes', async () => {
  const device = await makeDevice(store, user)
  const [id] = (await assign(store, device, 1)) as [string]
  let after = 0
  const times: number[] = []
  let heard = 0
  const stop = subscribeToDevice(device.id, () => heard++)
  for (let due = 5; times.length < 6; ) {
    after += due
    times.push(after)
    await change([id], 'wake_at = now()')
    await look()
    due = (await wakes(id)).inSeconds
  }
  stop()
  expect(times).toEqual([5, 15, 45, 120, 420, 720])
  expect(heard).toBe(6)
  expect((await wakes(id)).wakes).toBe(7)
})

describe('scheduled messages', () => {
  test('scheduled messages are assigned to devices in turn when due', async () => {
    const devices = await Promise.all([1, 2, 3].map(() => makeDevice(store, user)))
    const later = { id: '', user }
    const due = { state: `'pending'`, due_at: 'now()', wake_at: 'null' }
    const first = await assign(store, later, 4, due)
    await look()
    const second = await assign(store, later, 5, due)
    const notYet = await assign(store, later, 1, { ...due, due_at: `now() + interval '1 hour'` })
    await look()
    expect(Object.values(await shares([...first, ...second]))).toEqual([3, 3, 3])
    expect(await lookUp(store, notYet)).toMatchObject([{ status: 'pending' }])
    expect(await claimMessages(store, devices[0]!, 10, 120)).toHaveLength(3)
  })

  test("scheduled messages wait for a device without delaying other users' messages", async () => {
    const due = { state: `'pending'`, due_at: 'now()' }
    const waiting = await assign(store, { id: '', user }, 2, due)
    const lucky = await makeUser(store)
    await makeDevice(store, lucky)
    const others = await assign(store, { id: '', user: lucky }, 2, due)
    await look()
    expect((await lookUp(store, waiting)).map(({ status }) => status)).toEqual([
      'pending',
      'pending',
    ])
    expect((await lookUp(store, others)).map(({ status }) => status)).toEqual([
      'assigned',
      'assigned',
    ])
  })

  test('scheduled messages are assigned to the named device', async () => {
    const [named] = [await makeDevice(store, user), await makeDevice(store, user)] as [
      Device,
      Device,
    ]
    const ids = await assign(store, named, 3, {
      state: `'pending'`,
      due_at: 'now()',
      pinned: 'true',
    })
    await look()
    expect(await shares(ids)).toEqual({ [named.id]: 3 })
    expect((await lookUp(store, ids)).map(({ status }) => status)).toEqual(
      Array(3).fill('assigned'),
    )
  })
})

test('a text that a claim has refused ends as refused even if it expires meanwhile', async () => {
  const device = await makeDevice(store, user)
  const refused = 'Recipient has opted out'
  const late = { refused: `'${refused}'`, expires_at: `now() - interval '1 second'` }
  const ids = await assign(store, device, 1, late)
  await look()
  expect(await lookUp(store, ids)).toMatchObject([{ status: 'failed', error: refused }])
})

test('a sweep after an outage of the server ends expired texts but judges no device by its silence', async () => {
  const [device] = [await makeDevice(store, user), await makeDevice(store, user)]
  const held = await assign(store, device, 1)
  await claimMessages(store, device, 10, 120)
  await change(held, OVER)
  const twice = await assign(store, device, 1, { at_least_once: 'true' })
  await claimMessages(store, device, 10, 120)
  await change(twice, OVER)
  const late = await assign(store, device, 1)
  await change(late, LATE)
  const expired = await assign(store, device, 1, { expires_at: `now() - interval '1 second'` })
  const all = [...held, ...twice, ...late, ...expired]
  const statuses = async () => (await lookUp(store, all)).map(({ status }) => status)
  await sweepQueue(store, ONLINE_SECONDS, false)
  expect(await statuses()).toEqual(['sending', 'sending', 'assigned', 'failed'])
  expect((await lookUp(store, late))[0]!.device).toBe(device.id)
  await look()
  expect(await statuses()).toEqual(['failed', 'assigned', 'assigned', 'failed'])
})

test('only one sweeper works at a time', async () => {
  const device = await makeDevice(store, user)
  await store.db.transaction(async (db) => {
    await sweepQueue({ db, catalog: store.catalog }, ONLINE_SECONDS)
    const ids = await assign(store, device, 1, { expires_at: `now() - interval '1 second'` })
    expect(await look()).toBe(false)
    expect(await lookUp(store, ids)).toMatchObject([{ status: 'assigned' }])
  })
})

test('the queue check removes rows without a message in parts and starts over at the end', async () => {
  const { db } = store
  await db.query(
    `insert into sms_dispatch (message, "user", state, period)
    select 'gone' || lpad(n::text, 6, '0'), $1, 'pending', '' from generate_series(1, 12000) n`,
    [user],
  )
  const left = async () => Number((await db.query('select count(*) from sms_dispatch')).rows[0]![0])
  const counts: number[] = []
  let after = ''
  do {
    after = await checkQueue(store, after)
    counts.push(await left())
  } while (after)
  expect(counts).toEqual([7_000, 2_000, 0])
})

test('when a device changes its owner, its waiting messages move to another device, and named ones fail', async () => {
  const [device, other] = [await makeDevice(store, user), await makeDevice(store, user)]
  const [free] = await assign(store, device, 1)
  const [named] = await assign(store, device, 1, { pinned: 'true' })
  const [onAir] = await assign(store, device, 1, {
    state: `'sending'`,
    attempt: '1',
    lease_until: `now() + interval '1 minute'`,
  })
  await store.db.query('update devices set "user" = $2 where id = $1', [
    device.id,
    await makeUser(store),
  ])
  await checkQueue(store)
  await look()
  expect(await lookUp(store, [free!, named!, onAir!])).toMatchObject([
    { status: 'assigned', device: other.id },
    { status: 'failed', error: 'The device of this message was deleted' },
    { status: 'sending', device: device.id },
  ])
})
