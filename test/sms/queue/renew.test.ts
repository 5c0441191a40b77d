import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../../src/collections/catalog.ts'
import type { Device } from '../../../src/sms/devices/device.ts'
import { claimMessages } from '../../../src/sms/queue/claim.ts'
import { extendAllLeases, renewLeases } from '../../../src/sms/queue/renew.ts'
import { assign, makeDevice, makeUser, openTestStore } from '../../support/database/queue.ts'

const LEASE = 120
const LONGER = 3_600

let opened: Awaited<ReturnType<typeof openTestStore>>
let store: Store
let user: string
beforeAll(async () => {
  opened = await openTestStore()
  store = opened.store
  user = await makeUser(store)
})
afterAll(() => opened.close())

/** A message that a device has claimed for the second time. */
async function claimed(): Promise<{ id: string; device: Device }> {
  const device = await makeDevice(store, user)
  const [id] = await assign(store, device, 1, { attempt: '1' })
  await claimMessages(store, device, 1, LEASE)
  return { id: id!, device }
}

/** Until when a message is its device's, as the database writes it; null for none. */
const leaseOf = async (id: string) =>
  (await store.db.query('select lease_until::text from sms_dispatch where message = $1', [id])).rows[0]![0]
const lasts = async (id: string, seconds: number) =>
  (
    await store.db.query(
      `select lease_until > now() + ($2 - 60) * interval '1 second' from sms_dispatch where message = $1`,
      [id, seconds],
    )
  ).rows[0]![0]

describe('a lease that is renewed', () => {
  test('lasts at least that long from now', async () => {
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
      'by the device in the hands of another user',
      2,
      async (device) => ({ ...device, user: await makeUser(store) }),
    ],
  ])('is not one %s', async (_, attempt, who) => {
    const { id, device } = await claimed()
    const before = await leaseOf(id)
    await renewLeases(store, await who(device), [{ id, attempt }], LONGER)
    expect(await leaseOf(id)).toBe(before)
  })

  test('is not one of a message that waits to be claimed again', async () => {
    const { id, device } = await claimed()
    await store.db.query(
      `update sms_dispatch set state = 'assigned', lease_until = null where message = $1`,
      [id],
    )
    await renewLeases(store, device, [{ id, attempt: 2 }], LONGER)
    expect(await leaseOf(id)).toBe(null)
  })
})

test('after an outage each lease lasts so long at least, and none is shortened', async () => {
  const [short, long] = [await claimed(), await claimed()]
  await renewLeases(store, long.device, [{ id: long.id, attempt: 2 }], 2 * LONGER)
  const before = await leaseOf(long.id)
  await extendAllLeases(store.db, LONGER)
  expect(await lasts(short.id, LONGER)).toBe(true)
  expect(await leaseOf(long.id)).toBe(before)
})
