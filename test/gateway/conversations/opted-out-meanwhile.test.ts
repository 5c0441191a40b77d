import type { Device } from '../../../src/gateway/base/device-record.ts'
import { lockUserSends } from '../../../src/gateway/base/lock-user-sends.ts'
import { setOptedOut } from '../../../src/gateway/consent/set-opted-out.ts'
import { receiveTexts } from '../../../src/gateway/conversations/store-received-texts.ts'
import { applyReports } from '../../../src/gateway/messages/queue/apply-reports.ts'
import { claimMessages } from '../../../src/gateway/messages/queue/claim-messages.ts'
import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import { untilWaiting, waitingIn } from '../../support/database/locks.ts'
import {
  assign,
  eventsOf,
  lookUp,
  makeDevice,
  makeUser,
  testStore,
} from '../../support/database/queue.ts'
import { startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'

// Somebody says STOP while a device has a text for them, or while one is being accepted.

const WORDS = { out: ['STOP'], in: ['START'] }
/** Whom `assign` writes to. */
const RECIPIENT = '+4930100'
const OPTED_OUT = { status: 'failed', error: 'Recipient has opted out' }

const store = await testStore()
const server = await startServerWithDevices()

const say = (device: Device, body: string) =>
  receiveTexts(store, device, [{ from: RECIPIENT, body, receivedAt: Date.now(), sim: 0 }], WORDS)
const pay = (user: string, used: number) =>
  store.db.query(
    `insert into sms_usage (id, "user", period, used, created, updated)
     values (pb_new_id(), $1, to_char(now(), 'YYYY-MM'), $2, pb_text(now()), pb_text(now()))`,
    [user, used],
  )
const usedBy = async (user: string) =>
  (await store.db.query('select used from sms_usage where "user" = $1', [user])).rows[0]![0]

describe('a text that a device holds when its recipient sends STOP', () => {
  const notSent = (device: Device, ids: readonly string[]) =>
    applyReports(
      store,
      device,
      ids.map((id) => ({
        id,
        attempt: 1,
        status: 'failed',
        error_message: 'No signal',
        not_sent: true,
      })),
      600,
    )

  async function claimed(count: number, dispatch: Record<string, string> = {}) {
    const user = await makeUser(store)
    const [device, other] = [await makeDevice(store, user), await makeDevice(store, user)]
    const ids = await assign(store, device, count, dispatch)
    await pay(user, 5)
    await claimMessages(store, device, 10, 120)
    return { user, device, other, ids }
  }
  test.each([
    ['', async () => {}],
    [
      ' and its contact was deleted',
      (user: string) => store.db.query('delete from contacts where "user" = $1', [user]),
    ],
  ])(
    'a text that a device holds when its recipient sends STOP is not given to another device after the first%s, and costs no quota',
    async (_, then) => {
      const { user, device, other, ids } = await claimed(2)
      await say(device, 'STOP')
      await then(user)
      const ended = { attempt: 1, result: 'applied', status: 'failed' }
      expect(await notSent(device, ids)).toEqual(ids.map((id) => ({ id, ...ended })))
      expect(await lookUp(store, ids)).toMatchObject([OPTED_OUT, OPTED_OUT])
      expect(await eventsOf(store, ids[0]!)).toEqual(['sending 1', 'failed 1'])
      for (const phone of [other, device])
        expect(await claimMessages(store, phone, 9, 60)).toEqual([])
      expect(await usedBy(user)).toBe(3)
      expect(await notSent(device, ids)).toMatchObject([
        { result: 'unchanged' },
        { result: 'unchanged' },
      ])
      expect(await usedBy(user)).toBe(3)
    },
  )

  test("a text that a device holds when its recipient sends STOP is canceled if it waits for the account that got the STOP; other accounts' texts are sent", async () => {
    const both = await Promise.all(
      [1, 2].map(async () => {
        const device = await makeDevice(store, await makeUser(store))
        const [id] = await assign(store, device, 1)
        return { device, id: id! }
      }),
    )
    const [told, other] = both as [(typeof both)[0], (typeof both)[0]]
    await say(told.device, 'STOP')
    expect(await lookUp(store, [told.id, other.id])).toMatchObject([
      OPTED_OUT,
      { status: 'assigned' },
    ])
    expect(await claimMessages(store, other.device, 9, 60)).toMatchObject([{ id: other.id }])
  })

  test('a text that a device holds when its recipient sends STOP stays with the device that claims it in the same moment', async () => {
    const device = await makeDevice(store, await makeUser(store))
    const ids = await assign(store, device, 1)
    const { said } = await store.db.transaction(async (db) => {
      expect(await claimMessages({ ...store, db }, device, 9, 60)).toHaveLength(1)
      const said = say(device, 'STOP')
      await untilWaiting(store.db, 1)
      return { said }
    })
    await said
    expect(await lookUp(store, ids)).toMatchObject([{ status: 'sending' }])
  })

  test('a text that a device holds when its recipient sends STOP is not given to another device when returned in the same moment', async () => {
    const { user, device, other, ids } = await claimed(1)
    let isOver = false
    const { givenBack } = await store.db.transaction(async (db) => {
      // as who says STOP, between the look for what waits and the commit
      await lockUserSends(db, user)
      const givenBack = notSent(device, ids).finally(() => {
        isOver = true
      })
      await until('its end or its wait', async () => isOver || (await waitingIn(store.db)) === 1)
      await setOptedOut({ ...store, db }, user, RECIPIENT, true, {
        source: 'keyword',
        said: 'STOP',
      })
      return { givenBack }
    })
    expect(await givenBack).toMatchObject([{ result: 'applied', status: 'failed' }])
    expect(await lookUp(store, ids)).toMatchObject([OPTED_OUT])
    expect(await claimMessages(store, other, 9, 60)).toEqual([])
  })

  test('a text that a device holds when its recipient sends STOP ends like the texts that no device had, although START followed', async () => {
    const { device, other, ids } = await claimed(1)
    await say(device, 'STOP')
    await say(device, 'START')
    expect(await notSent(device, ids)).toMatchObject([{ result: 'applied', status: 'failed' }])
    expect(await lookUp(store, ids)).toMatchObject([OPTED_OUT])
    expect(await claimMessages(store, other, 9, 60)).toEqual([])
  })

  test.each([
    ['it was sent', 'sent', ''],
    ['it failed for good', 'failed', 'No credit'],
  ] as const)(
    'a text that a device holds when its recipient sends STOP ends as its device reports: %s',
    async (_, status, error) => {
      const { device, ids } = await claimed(1)
      await say(device, 'STOP')
      await applyReports(
        store,
        device,
        [{ id: ids[0]!, attempt: 1, status, error_message: error }],
        600,
      )
      expect(await lookUp(store, ids)).toMatchObject([{ status, error }])
    },
  )

  test('a text that a device holds when its recipient sends STOP is not sent again when the device goes silent, even if its guarantee is at_least_once', async () => {
    const { user, device, ids } = await claimed(1, { at_least_once: 'true' })
    await say(device, 'STOP')
    await store.db.query(
      `update sms_dispatch set lease_until = now() - interval '1 second' where message = $1`,
      [ids[0]],
    )
    await sweepQueue(store, 600)
    const error = 'Outcome unknown: the device went silent'
    expect(await lookUp(store, ids)).toMatchObject([{ status: 'failed', error }])
    expect(await usedBy(user)).toBe(5)
  })
})

test('a text that is accepted at the moment of the STOP fails', async () => {
  const user = await server.makeUser()
  const phone = await server.pair(user)
  const { db } = server.server.services.store
  const send = () => user.call('POST', '/api/sms/send', { recipients: [RECIPIENT], body: 'Hello' })
  const stop = { from: RECIPIENT, body: 'STOP', received_at: new Date().toISOString() }
  await send()
  const waiting = () => waitingIn(server.server.services.store.db)
  let isSaid = false
  const asked = await db.transaction(async (inside) => {
    // the acceptance has looked who is opted out, and waits here
    await inside.query('select 1 from sms_usage where "user" = $1 for update', [user.id])
    const sent = send()
    await expect.poll(waiting).toBe(1)
    const said = phone.call('POST', '/api/devices/incoming', { items: [stop] }).finally(() => {
      isSaid = true
    })
    await expect.poll(async () => isSaid || (await waiting()) === 2).toBe(true)
    return { sent, said }
  })
  const [sent, said] = [await asked.sent, await asked.said]
  expect([sent.status, said.status]).toEqual([200, 200])
  const path = `/api/collections/sms_messages/records/${sent.body.message_ids[0]}`
  const { status, error_message } = (await user.call('GET', path)).body
  expect({ status, error: error_message }).toEqual(OPTED_OUT)
  expect((await phone.call('POST', '/api/devices/claim', {})).body.items).toEqual([])
})

const scheduled = (at: string) => ({ state: `'pending'`, due_at: at })
const IN_A_WEEK = `now() + interval '7 days'`
const NOW = 'now()'
const optOut = (user: string) =>
  store.db.query(
    `insert into contacts (id, "user", phone, opted_out, created, updated)
     values (pb_new_id(), $1, $2, true, pb_text(now()), pb_text(now()))`,
    [user, RECIPIENT],
  )
async function optOutAndDelete(user: string) {
  await optOut(user)
  await store.db.query('delete from contacts where "user" = $1', [user])
}

test.each([
  ['waits for its device', { state: `'assigned'` }],
  ['waits for its time', scheduled(IN_A_WEEK)],
])('a STOP fails a text that %s and refunds it', async (_, dispatch) => {
  const user = await makeUser(store)
  const device = await makeDevice(store, user)
  const ids = await assign(store, device, 2, dispatch)
  await pay(user, 3)
  await say(device, 'Stop!')
  expect(await lookUp(store, ids)).toMatchObject([OPTED_OUT, OPTED_OUT])
  expect(await eventsOf(store, ids[0]!)).toEqual(['failed 0'])
  expect(await claimMessages(store, device, 10, 120)).toEqual([])
  expect(await usedBy(user)).toBe(1)
})

test.each([
  ['due', NOW],
  ['scheduled', IN_A_WEEK],
])('opting a contact out by hand ends its %s texts at once and refunds them', async (_, due) => {
  const user = await makeUser(store)
  const ids = await assign(store, await makeDevice(store, user), 1, scheduled(due))
  await pay(user, 1)
  await optOut(user)
  expect(await lookUp(store, ids)).toMatchObject([OPTED_OUT])
  expect(await usedBy(user)).toBe(0)
})

test.each([
  ['exists', optOut],
  ['was deleted since', optOutAndDelete],
])(
  'a claim refuses a text that was stored beside the opt-out of a contact that %s',
  async (_, end) => {
    const [user, other] = [await makeUser(store), await makeUser(store)]
    const [device, ofOther] = [await makeDevice(store, user), await makeDevice(store, other)]
    await end(user)
    const ids = await assign(store, device, 2, scheduled(NOW))
    const others = await assign(store, ofOther, 1, scheduled(NOW))
    await pay(user, 2)
    await sweepQueue(store, 600)
    expect(await claimMessages(store, device, 9, 60)).toEqual([])
    expect(await claimMessages(store, ofOther, 9, 60)).toMatchObject([{ id: others[0] }])
    await sweepQueue(store, 600)
    expect(await lookUp(store, ids)).toMatchObject([OPTED_OUT, OPTED_OUT])
    expect(await usedBy(user)).toBe(0)
  },
)

test('a text that a device holds is not listed again after a STOP', async () => {
  const device = await makeDevice(store, await makeUser(store))
  const ids = await assign(store, device, 1)
  expect(await claimMessages(store, device, 9, 60)).toMatchObject([{ id: ids[0] }])
  expect(await claimMessages(store, device, 9, 60)).toMatchObject([{ id: ids[0], attempt: 1 }])
  await say(device, 'STOP')
  expect(await claimMessages(store, device, 9, 60)).toEqual([])
  expect(await lookUp(store, ids)).toMatchObject([{ status: 'sending' }])
})

test('a text that a claim has refused ends, even if its person agrees again in the same second', async () => {
  const user = await makeUser(store)
  const device = await makeDevice(store, user)
  await optOut(user)
  const ids = await assign(store, device, 1)
  expect(await claimMessages(store, device, 9, 60)).toEqual([])
  await store.db.query('update contacts set opted_out = false where "user" = $1', [user])
  expect(await claimMessages(store, device, 9, 60)).toEqual([])
  await sweepQueue(store, 600)
  expect(await lookUp(store, ids)).toMatchObject([OPTED_OUT])
})
