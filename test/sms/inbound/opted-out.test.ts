import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../../src/collections/catalog.ts'
import { receiveTexts } from '../../../src/sms/inbound/receive.ts'
import { claimMessages } from '../../../src/sms/queue/claim.ts'
import { releaseDue } from '../../../src/sms/queue/release.ts'
import { sweep } from '../../../src/sms/sweep/sweep.ts'
import {
  assign,
  eventsOf,
  lookUp,
  makeDevice,
  makeUser,
  openTestStore,
} from '../../support/database/queue.ts'

let opened: Awaited<ReturnType<typeof openTestStore>>
let store: Store
beforeAll(async () => {
  opened = await openTestStore()
  store = opened.store
})
afterAll(() => opened.close())

const WORDS = { out: ['STOP'], in: ['START'] }
/** Whom `assign` writes to. */
const RECIPIENT = '+49301'
const ENDED = { status: 'failed', error: 'Recipient has opted out' }

const say = (device: Awaited<ReturnType<typeof makeDevice>>, body: string, from = RECIPIENT) =>
  receiveTexts(store, device, [{ from, body, receivedAt: Date.now(), sim: 0 }], WORDS)

const pay = (user: string, used: number) =>
  store.db.query(
    `insert into sms_usage (id, "user", period, used, created, updated)
     values (pb_new_id(), $1, to_char(now(), 'YYYY-MM'), $2, pb_text(now()), pb_text(now()))`,
    [user, used],
  )
const usedBy = async (user: string) =>
  (await store.db.query('select used from sms_usage where "user" = $1', [user])).rows[0]![0]

const scheduled = (at: string) => ({ state: `'pending'`, due_at: at })
const IN_A_WEEK = `now() + interval '7 days'`
const NOW = 'now()'

describe('who says STOP', () => {
  test.each([
    ['waits for its device', { state: `'assigned'` }],
    ['waits for its time', scheduled(IN_A_WEEK)],
  ])('gets nothing of what %s, and it costs nothing', async (_, dispatch) => {
    const user = await makeUser(store)
    const device = await makeDevice(store, user)
    const ids = await assign(store, device, 2, dispatch)
    await pay(user, 3)
    await say(device, 'Stop!')
    expect(await lookUp(store, ids)).toMatchObject([ENDED, ENDED])
    expect(await eventsOf(store, ids[0]!)).toEqual(['failed 0'])
    expect(await claimMessages(store, device, 10, 120)).toEqual([])
    expect(await usedBy(user)).toBe(1)
  })

  test('may still get what a device has', async () => {
    const device = await makeDevice(store, await makeUser(store))
    const ids = await assign(store, device, 1)
    await claimMessages(store, device, 1, 120)
    await say(device, 'STOP')
    expect(await lookUp(store, ids)).toMatchObject([{ status: 'sending' }])
  })

  test('says so to one user, for one number', async () => {
    const [device, strange] = [
      await makeDevice(store, await makeUser(store)),
      await makeDevice(store, await makeUser(store)),
    ]
    const ids = [...(await assign(store, device, 1)), ...(await assign(store, strange, 1))]
    await say(device, 'STOP', '+49302')
    await say(strange, 'STOP please')
    expect(await lookUp(store, ids)).toMatchObject([{ status: 'assigned' }, { status: 'assigned' }])
  })
})

test.each([
  ['ends what is due', NOW, ENDED, 0],
  ['lets wait what is not', IN_A_WEEK, { status: 'pending', error: '' }, 1],
] as const)('a contact who is opted out by hand: %s', async (_, due, expected, used) => {
  const user = await makeUser(store)
  const device = await makeDevice(store, user)
  const ids = await assign(store, device, 1, scheduled(due))
  await pay(user, 1)
  await store.db.query(
    `insert into contacts (id, "user", phone, opted_out, created, updated)
     values (pb_new_id(), $1, $2, true, pb_text(now()), pb_text(now()))`,
    [user, RECIPIENT],
  )
  await sweep(store, 600)
  expect(await lookUp(store, ids)).toMatchObject([expected])
  expect(await usedBy(user)).toBe(used)
})

test('what is due gets no device, though a change of it kept the sweep from ending it', async () => {
  const user = await makeUser(store)
  const device = await makeDevice(store, user)
  const ids = await assign(store, device, 1, scheduled(NOW))
  await store.db.query(
    `insert into contacts (id, "user", phone, opted_out, created, updated)
     values (pb_new_id(), $1, $2, true, pb_text(now()), pb_text(now()))`,
    [user, RECIPIENT],
  )
  await releaseDue(store.db, 600)
  expect(await lookUp(store, ids)).toMatchObject([{ status: 'pending', error: '' }])
})
