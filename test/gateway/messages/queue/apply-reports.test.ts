import { subscribeToDevice } from '../../../../src/gateway/lines/wake-devices.ts'
import {
  applyReportGroup,
  type Report,
} from '../../../../src/gateway/messages/queue/apply-report-groups.ts'
import { applyReports } from '../../../../src/gateway/messages/queue/apply-reports.ts'
import { cancelMessage } from '../../../../src/gateway/messages/queue/cancel-messages.ts'
import { claimMessages } from '../../../../src/gateway/messages/queue/claim-messages.ts'
import { checkQueue } from '../../../../src/gateway/messages/queue/repair-queue.ts'
import { sweepQueue } from '../../../../src/gateway/messages/queue/sweep-queue.ts'
import { permitOf } from '../../../support/database/permits.ts'
import {
  assign,
  eventsOf,
  lookUp,
  makeDevice,
  makeUser,
  testStore,
} from '../../../support/database/queue.ts'

const store = await testStore()
const { db } = store
const user = await makeUser(store)
const device = await makeDevice(store, user)

const report = (reports: readonly Report[], by = device) => applyReports(store, by, reports, 600)

/** A message that the device has claimed. */
async function claimed(): Promise<string> {
  const [id] = await assign(store, device, 1)
  await claimMessages(store, device, 100, 120)
  return id!
}

const column = async (id: string, name: 'sent_at' | 'delivered_at') =>
  String((await db.query(`select ${name} from sms_messages where id = $1`, [id])).rows[0]![0])

describe('reports of the current attempt', () => {
  test.each([
    ['sent', ['sent'], 'sent', ['sending 1', 'sent 1']],
    [
      'sent, then delivered',
      ['sent', 'delivered'],
      'delivered',
      ['sending 1', 'sent 1', 'delivered 1'],
    ],
    ['sent, then never arrived', ['sent', 'failed'], 'failed', ['sending 1', 'sent 1', 'failed 1']],
    ['failed', ['failed'], 'failed', ['sending 1', 'failed 1']],
    ['delivered without sent proves it', ['delivered'], 'delivered', ['sending 1', 'delivered 1']],
    [
      'sent after delivered is late',
      ['delivered', 'sent'],
      'delivered',
      ['sending 1', 'delivered 1'],
    ],
    [
      'repeated',
      ['sent', 'sent', 'delivered', 'delivered'],
      'delivered',
      ['sending 1', 'sent 1', 'delivered 1'],
    ],
    ['failed, then sent', ['failed', 'sent', 'delivered'], 'failed', ['sending 1', 'failed 1']],
  ] as const)(
    'reports of the current attempt end as $2 when a device reports %s',
    async (_, statuses, end, events) => {
      const id = await claimed()
      await report(statuses.map((status) => ({ id, attempt: 1, status })))
      expect(await lookUp(store, [id])).toMatchObject([{ status: end }])
      expect(await eventsOf(store, id)).toEqual(events)
      const { rows } = await db.query('select 1 from sms_dispatch where message = $1', [id])
      expect(rows).toEqual([])
    },
  )

  test('reports of the current attempt are answered with one result per item, in order', async () => {
    const id = await claimed()
    const results = await report([
      { id, attempt: 1, status: 'sent' },
      { id, attempt: 1, status: 'sent' },
      { id: 'nosuchmessage00', attempt: 1, status: 'sent' },
    ])
    expect(results).toEqual([
      { id, attempt: 1, result: 'applied', status: 'sent' },
      { id, attempt: 1, result: 'unchanged', status: 'sent' },
      { id: 'nosuchmessage00', attempt: 1, result: 'not_found' },
    ])
  })
})

describe('a report', () => {
  test.each([
    ['an earlier attempt', { attempt: 0 }],
    ['an attempt that never was', { attempt: 2 }],
  ])('a report of %s changes nothing', async (_, { attempt }) => {
    const id = await claimed()
    expect(await report([{ id, attempt, status: 'sent' }])).toMatchObject([
      { result: 'unchanged', status: 'sending' },
    ])
  })

  test('a report of a message that was never claimed does not mark it as sent', async () => {
    const [id] = await assign(store, device, 1)
    await report([{ id: id!, attempt: 0, status: 'sent' }])
    expect(await lookUp(store, [id!])).toMatchObject([{ status: 'assigned' }])
  })

  test.each([
    ['another device of the user', () => makeDevice(store, user)],
    ["another user's device", async () => makeDevice(store, await makeUser(store))],
    [
      'the device after it moved to another user',
      async () => ({ ...device, user: await makeUser(store) }),
    ],
  ])('a report by %s is answered with not_found', async (_, make) => {
    const id = await claimed()
    expect(await report([{ id, attempt: 1, status: 'failed' }], await make())).toMatchObject([
      { result: 'not_found' },
    ])
    expect(await lookUp(store, [id])).toMatchObject([{ status: 'sending' }])
  })

  test.each([
    ['a clock in 1970', 0],
    ['a clock a day ahead', Date.now() + 86_400_000],
  ])('a report from %s does not set the time of a message', async (_, at) => {
    const id = await claimed()
    const before = Date.now()
    await report([{ id, attempt: 1, status: 'sent', at }])
    const sentAt = Date.parse(await column(id, 'sent_at'))
    expect(Math.abs(sentAt - before)).toBeLessThan(60_000)
  })
})

test('a report from a clock that is behind does not date the delivery before the sending', async () => {
  const id = await claimed()
  await db.query(
    `update sms_messages set created = pb_text(now() - interval '1 minute') where id = $1`,
    [id],
  )
  await report([{ id, attempt: 1, status: 'sent' }])
  await report([{ id, attempt: 1, status: 'delivered', at: Date.now() - 30_000 }])
  expect((await column(id, 'delivered_at')) >= (await column(id, 'sent_at'))).toBe(true)
})

describe('a report that a message was not sent', () => {
  test('a report that a message was not sent assigns the message to another device of the user', async () => {
    const owner = await makeUser(store)
    const [a, b] = [await makeDevice(store, owner), await makeDevice(store, owner)]
    const [id] = await assign(store, a, 1)
    await claimMessages(store, a, 10, 120)
    const heard: string[] = []
    const stop = subscribeToDevice(b.id, ({ name }) => void heard.push(name))
    const results = await report([{ id: id!, attempt: 1, status: 'failed', not_sent: true }], a)
    stop()
    expect(heard).toEqual(['wake'])
    expect(results).toMatchObject([{ result: 'applied', status: 'assigned' }])
    expect(await lookUp(store, [id!])).toMatchObject([{ status: 'assigned', device: b.id }])
    expect(await claimMessages(store, b, 10, 120)).toMatchObject([{ id, attempt: 2 }])
    expect(await report([{ id: id!, attempt: 1, status: 'sent' }], a)).toMatchObject([
      { result: 'not_found' },
    ])
    expect(await lookUp(store, [id!])).toMatchObject([{ status: 'sending', device: b.id }])
  })

  test.each([
    ['when the request named the device', { pinned: 'true' }, true],
    ['when there is no other device', {}, false],
  ] as const)(
    'a report that a message was not sent returns the message to the same device %s',
    async (_, dispatch, hasOther) => {
      const owner = await makeUser(store)
      const only = await makeDevice(store, owner)
      if (hasOther) await makeDevice(store, owner)
      const [id] = await assign(store, only, 1, dispatch)
      await claimMessages(store, only, 10, 120)
      await report([{ id: id!, attempt: 1, status: 'failed', not_sent: true }], only)
      expect(await claimMessages(store, only, 10, 120)).toMatchObject([{ id, attempt: 2 }])
    },
  )

  test.each(['sent', 'delivered', 'failed'] as const)(
    'a report that a message was not sent makes a late "%s" about the earlier attempt change nothing',
    async (status) => {
      const only = await makeDevice(store, await makeUser(store))
      const [id] = await assign(store, only, 1)
      await claimMessages(store, only, 10, 120)
      await report([{ id: id!, attempt: 1, status: 'failed', not_sent: true }], only)
      expect(await report([{ id: id!, attempt: 1, status }], only)).toMatchObject([
        { result: 'unchanged', status: 'assigned' },
      ])
      expect(await lookUp(store, [id!])).toMatchObject([{ status: 'assigned' }])
      expect(await claimMessages(store, only, 10, 120)).toMatchObject([{ id, attempt: 2 }])
    },
  )

  test('a report that a message was not sent delays the next attempt longer each time', async () => {
    const only = await makeDevice(store, await makeUser(store))
    const [id] = await assign(store, only, 1)
    for (const attempt of [1, 2]) {
      expect(await claimMessages(store, only, 10, 120)).toMatchObject([{ attempt }])
      await report([{ id: id!, attempt, status: 'failed', not_sent: true }], only)
    }
    expect(await claimMessages(store, only, 10, 120)).toEqual([])
    await db.query('update sms_dispatch set attempt = 30, due_at = null where message = $1', [id])
    expect(await claimMessages(store, only, 10, 120)).toMatchObject([{ attempt: 31 }])
    await report([{ id: id!, attempt: 31, status: 'failed', not_sent: true }], only)
    const { rows } = await db.query(
      `select due_at > now() + interval '200 seconds', due_at <= now() + interval '5 minutes'
      from sms_dispatch where message = $1`,
      [id],
    )
    expect(rows).toEqual([[true, true]])
  })
})

test('of two final reports at the same time, one is applied', async () => {
  for (let i = 0; i < 40; i++) {
    const id = await claimed()
    await report([{ id, attempt: 1, status: 'sent' }])
    const ends = ['delivered', 'failed'] as const
    const results = (
      await Promise.all(ends.map((status) => report([{ id, attempt: 1, status }])))
    ).flat()
    expect(results.map(({ result }) => result).sort()).toEqual(['applied', 'unchanged'])
    const { status } = results.find(({ result }) => result === 'applied')!
    expect((await lookUp(store, [id]))[0]!.status).toBe(status)
    expect(await eventsOf(store, id)).toEqual(['sending 1', 'sent 1', `${status} 1`])
  }
})

test.each<[whose: string, by: (owner: string) => Promise<string>]>([
  ['the same account', async (owner) => owner],
  ['another account', () => makeUser(store)],
])(
  'a report of another device of %s on the same message in the same group changes nothing',
  async (_, by) => {
    const other = await makeDevice(store, await by(user))
    for (const status of ['delivered', 'failed'] as const)
      for (const isFirst of [true, false]) {
        const id = await claimed()
        const own = { device, reports: [{ id, attempt: 1, status: 'sent' as const }] }
        const lie = { device: other, reports: [{ id, attempt: 1, status }] }
        const done = await applyReportGroup(db, isFirst ? [lie, own] : [own, lie])
        const results = done.map(({ results: [only] }) => only!.result)
        expect(results).toEqual(isFirst ? ['not_found', 'applied'] : ['applied', 'not_found'])
        expect(await eventsOf(store, id)).toEqual(['sending 1', 'sent 1'])
      }
  },
)

const PAST = `now() - interval '1 second'`

/**
 * A message in the queue whose status a superuser has changed, as in PocketBase's dashboard. Another device
 * is ready.
 */
async function endByHand(status: string, dispatch: Readonly<Record<string, string>>, columns = {}) {
  const user = await makeUser(store)
  const device = await makeDevice(store, user, columns)
  const other = await makeDevice(store, user)
  const [id] = await assign(store, device, 1, dispatch)
  await db.query(`update sms_dispatch set device = '' where message = $1 and state = 'pending'`, [
    id,
  ])
  await db.query('update sms_messages set status = $2 where id = $1', [id, status])
  return { id: id!, user, device, other }
}

test.each([
  ['is not given to another device', 'failed', { state: `'assigned'` }, { enabled: 'false' }],
  ['is not given to a device when it is due', 'failed', { state: `'pending'`, due_at: PAST }, {}],
  ['does not expire', 'delivered', { state: `'assigned'`, expires_at: PAST }, {}],
  ['is not called lost', 'delivered', { state: `'sending'`, attempt: '1', lease_until: PAST }, {}],
  [
    'is not sent a second time',
    'failed',
    { state: `'sending'`, attempt: '1', lease_until: PAST, at_least_once: 'true' },
    {},
  ],
] as const)('a message whose status a superuser set %s', async (_, status, dispatch, columns) => {
  const { id, device, other } = await endByHand(status, dispatch, columns)
  await sweepQueue(store, 600)
  expect(await lookUp(store, [id])).toMatchObject([{ status, error: '' }])
  expect(await eventsOf(store, id)).toEqual([])
  expect(await claimMessages(store, { ...device, enabled: true }, 10, 120)).toEqual([])
  expect(await claimMessages(store, other, 10, 120)).toEqual([])
})

test('a message that a superuser finished cannot be canceled and is not refunded', async () => {
  const { id, user } = await endByHand('delivered', { state: `'assigned'` })
  await expect(cancelMessage(store, permitOf(user), id)).rejects.toMatchObject({
    body: { error: 'not_cancelable' },
  })
  expect(await lookUp(store, [id])).toMatchObject([{ status: 'delivered' }])
})

test('a message that a superuser finished leaves the queue', async () => {
  const { id } = await endByHand('failed', { state: `'assigned'` })
  await checkQueue(store)
  expect((await db.query('select 1 from sms_dispatch where message = $1', [id])).rows).toEqual([])
})
