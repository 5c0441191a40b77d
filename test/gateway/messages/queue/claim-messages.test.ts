import type { Device } from '../../../../src/gateway/base/device-record.ts'
import { applyReports } from '../../../../src/gateway/messages/queue/apply-reports.ts'
import { claimMessages } from '../../../../src/gateway/messages/queue/claim-messages.ts'
import {
  extendAllLeases,
  renewLeases,
} from '../../../../src/gateway/messages/queue/message-leases.ts'
import { counts } from '../../../../src/platform/tools/process-counters.ts'
import { untilWaiting } from '../../../support/database/locks.ts'
import {
  assign,
  eventsOf,
  lookUp,
  makeDevice,
  makeUser,
  testStore,
} from '../../../support/database/queue.ts'

const LEASE = 120

const store = await testStore()
const user = await makeUser(store)

const claim = (device: Device, limit = 100, lease = LEASE) =>
  claimMessages(store, device, limit, lease)
const idsOf = (messages: readonly { id: string }[]) => messages.map(({ id }) => id)

describe('a claim', () => {
  test("a claim returns the device's assigned messages, the oldest first, and leases them", async () => {
    const device = await makeDevice(store, user)
    const ids = await assign(store, device, 3)
    const [first, second] = await claim(device, 2)
    expect(first).toMatchObject({
      id: ids[0],
      attempt: 1,
      to: '+4930100',
      body: 'hello',
      sim: 0,
      priority: 0,
    })
    expect(second!.id).toBe(ids[1])
    const leftMs = Date.parse(first!.lease_until) - Date.now()
    expect(leftMs).toBeGreaterThan((LEASE - 10) * 1000)
    expect((await lookUp(store, ids)).map(({ status }) => status)).toEqual([
      'sending',
      'sending',
      'assigned',
    ])
    expect(await eventsOf(store, ids[0]!)).toEqual(['sending 1'])
  })

  test('a claim repeated 200 times at once needs fewer than 20 statements', async () => {
    const device = await makeDevice(store, user)
    const before = counts.claims.asked
    const all = await Promise.all(Array.from({ length: 200 }, () => claim(device)))
    expect(all.flat()).toEqual([])
    expect(counts.claims.asked - before).toBeLessThan(20)
    const [id] = await assign(store, device, 1)
    const again = await Promise.all(Array.from({ length: 200 }, () => claim(device)))
    expect(new Set(again.flatMap(idsOf))).toEqual(new Set([id]))
  })

  test('a claim orders messages by priority, then by age', async () => {
    const device = await makeDevice(store, user)
    const [low] = await assign(store, device, 1, { priority: '-1' })
    const [normal, later] = await assign(store, device, 2)
    const [high] = await assign(store, device, 1, { priority: '5' })
    expect(idsOf(await claim(device))).toEqual([high, normal, later, low])
  })

  test('a claim whose answer was lost returns the same messages again before new ones', async () => {
    const device = await makeDevice(store, user)
    await assign(store, device, 3)
    const first = await claim(device, 2)
    expect(await claim(device, 2)).toEqual(first)
    const more = await claim(device, 3)
    expect(more.slice(0, 2)).toEqual(first)
    expect(more).toHaveLength(3)
  })

  test('a claim of one new message returns one, even if leases have ended since the device asked', async () => {
    const device = await makeDevice(store, user)
    await assign(store, device, 4)
    const [first, second] = await claim(device, 2)
    await applyReports(store, device, [{ id: first!.id, attempt: 1, status: 'sent' }], 300)
    const found = await claimMessages(store, device, 4, LEASE, 1)
    expect(found).toHaveLength(2)
    expect(found[0]).toEqual(second)
  })

  test('a claim returns no messages of other devices, and no message that is pending, not due or expired', async () => {
    const device = await makeDevice(store, user)
    await assign(store, await makeDevice(store, user), 1)
    await assign(store, device, 1, { state: `'pending'` })
    await assign(store, device, 1, { due_at: `now() + interval '1 minute'` })
    await assign(store, device, 1, { expires_at: `now() - interval '1 second'` })
    expect(await claim(device)).toEqual([])
  })

  test('a claim returns a device that changed its owner no messages of the former owner', async () => {
    const device = await makeDevice(store, user)
    const ids = await assign(store, device, 2)
    expect(idsOf(await claim(device, 1))).toEqual([ids[0]])
    const next = { ...device, user: await makeUser(store) }
    expect(await claim(next)).toEqual([])
    await store.db.query('update devices set "user" = $2 where id = $1', [device.id, next.user])
    expect(await claim(next)).toEqual([])
    // one that was asked before and waits has what it held
    expect(idsOf(await claim(device))).toEqual([ids[0]])
  })

  test('a claim that has waited since before its device was disabled returns no new messages', async () => {
    const device = await makeDevice(store, user)
    const [held] = await assign(store, device, 2)
    await claim(device, 1)
    await store.db.query('update devices set enabled = false where id = $1', [device.id])
    expect(idsOf(await claim(device))).toEqual([held])
  })
})

test('concurrent claims of several devices never return the same new message twice', async () => {
  const devices = await Promise.all([1, 2, 3].map(() => makeDevice(store, user)))
  const assigned = (await Promise.all(devices.map((device) => assign(store, device, 40)))).flat()
  const claims = devices.flatMap((device) => Array.from({ length: 8 }, () => claim(device, 5)))
  await Promise.all(claims)
  for (const id of assigned) expect((await eventsOf(store, id)).length).toBeLessThanOrEqual(1)
  const attempts = await store.db.query(
    'select max(attempt) from sms_dispatch where message = any($1)',
    [assigned],
  )
  expect(attempts.rows).toEqual([[1]])
})

test('a claim does not return a message that is deleted at the same moment', async () => {
  const device = await makeDevice(store, user)
  const [gone, kept] = await assign(store, device, 2)
  const { claimed } = await store.db.transaction(async (db) => {
    await db.query('delete from sms_messages where id = $1', [gone])
    const claimed = claim(device)
    await untilWaiting(store.db, 1)
    return { claimed }
  })
  expect(idsOf(await claimed)).toEqual([kept])
  expect(await eventsOf(store, gone!)).toEqual([])
})

describe('limits of a device', () => {
  test('limits of a device bound the messages claimed by concurrent requests', async () => {
    const device = await makeDevice(store, user, { per_minute: '7' })
    await assign(store, device, 30)
    const got = await Promise.all(Array.from({ length: 6 }, (_, i) => claim(device, 3 + i)))
    expect(new Set(got.flat().map(({ id }) => id)).size).toBe(7)
  })

  test.each([
    ['per_minute', { per_minute: '2' }],
    ['daily_limit', { daily_limit: '2' }],
  ])(
    'limits of a device apply to a claim that began before the limit was set: %s',
    async (_, limits) => {
      const device = await makeDevice(store, user, limits)
      await assign(store, device, 5)
      expect(await claim({ ...device, isLimited: false })).toEqual([])
      expect(await claim(device)).toHaveLength(2)
      expect(await claim({ ...device, isLimited: false }, 1)).toHaveLength(1) // what it holds
    },
  )

  test('limits of a device of a line per minute count no text that an earlier claim has refused', async () => {
    const device = await makeDevice(store, user)
    const { rows } = await store.db.query(
      'update lines set per_minute = 1 where device = $1 returning id',
      [device.id],
    )
    const line = rows[0]![0]
    await assign(store, device, 1, { line: `'${line}'`, refused: `'Recipient has opted out'` })
    const [next] = await assign(store, device, 1, { line: `'${line}'` })
    expect(idsOf(await claim(device))).toEqual([next])
  })

  test('no longer apply to a claim that began before the limit was removed', async () => {
    const device = await makeDevice(store, user)
    await assign(store, device, 3)
    expect(await claim({ ...device, isLimited: true })).toHaveLength(3)
  })

  test('slide: messages claimed more than a minute ago do not count', async () => {
    const device = await makeDevice(store, user, { per_minute: '2', daily_limit: '5' })
    await assign(store, device, 9)
    const claimNew = async () => {
      const messages = await claim(device, 100)
      const reports = messages.map(({ id, attempt }) => ({ id, attempt, status: 'sent' as const }))
      await applyReports(store, device, reports, 600)
      await store.db.query(
        `update device_handouts set at = at - interval '61 seconds' where device = $1`,
        [device.id],
      )
      return messages.length
    }
    expect([await claimNew(), await claimNew(), await claimNew(), await claimNew()]).toEqual([
      2, 2, 1, 0,
    ])
  })
})

const LONGER = 3_600

/** A message that a device has claimed for the second time. */
async function claimed(): Promise<{ id: string; device: Device }> {
  const device = await makeDevice(store, user)
  const [id] = await assign(store, device, 1, { attempt: '1' })
  await claimMessages(store, device, 1, LEASE)
  return { id: id!, device }
}

/** Until when a message is its device's, as the database writes it; null for none. */
const leaseOf = async (id: string) =>
  (await store.db.query('select lease_until::text from sms_dispatch where message = $1', [id]))
    .rows[0]![0]
const lasts = async (id: string, seconds: number) =>
  (
    await store.db.query(
      `select lease_until > now() + ($2 - 60) * interval '1 second' from sms_dispatch where message = $1`,
      [id, seconds],
    )
  ).rows[0]![0]

describe('a renewed lease', () => {
  test('a renewed lease lasts at least the requested time from now', async () => {
    const { id, device } = await claimed()
    await renewLeases(store, device, [{ id, attempt: 2 }], LONGER)
    expect(await lasts(id, LONGER)).toBe(true)
    await renewLeases(store, device, [{ id, attempt: 2 }], 1)
    expect(await lasts(id, LONGER)).toBe(true)
  })

  test.each<[string, number, (device: Device) => Promise<Device>]>([
    ['of the attempt before', 1, async (device) => device],
    ['of an attempt that never was', 3, async (device) => device],
    ['by another device of the user', 2, () => makeDevice(store, user)],
    [
      'by the device after it moved to another user',
      2,
      async (device) => ({ ...device, user: await makeUser(store) }),
    ],
  ])('a renewed lease is not extended %s', async (_, attempt, who) => {
    const { id, device } = await claimed()
    const before = await leaseOf(id)
    await renewLeases(store, await who(device), [{ id, attempt }], LONGER)
    expect(await leaseOf(id)).toBe(before)
  })

  test('a renewed lease is not given to a message that waits for its next claim', async () => {
    const { id, device } = await claimed()
    await store.db.query(
      `update sms_dispatch set state = 'assigned', lease_until = null where message = $1`,
      [id],
    )
    await renewLeases(store, device, [{ id, attempt: 2 }], LONGER)
    expect(await leaseOf(id)).toBe(null)
  })
})

test('after an outage all leases are extended to a minimum, and no lease is shortened', async () => {
  const [short, long] = [await claimed(), await claimed()]
  await renewLeases(store, long.device, [{ id: long.id, attempt: 2 }], 2 * LONGER)
  const before = await leaseOf(long.id)
  await extendAllLeases(store.db, LONGER)
  expect(await lasts(short.id, LONGER)).toBe(true)
  expect(await leaseOf(long.id)).toBe(before)
})
