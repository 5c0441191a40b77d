import type { Store } from '../../../src/engine/collections/catalog.ts'
import { checkShape } from '../../../src/gateway/base/body-schemas.ts'
import type { Device } from '../../../src/gateway/base/device-record.ts'
import { subscribeToDevice } from '../../../src/gateway/lines/wake-devices.ts'
import { readAppRules } from '../../../src/gateway/smsgate-app/app-versions.ts'
import { pullMessages } from '../../../src/gateway/smsgate-app/pull-messages.ts'
import { STATES_BODY } from '../../../src/gateway/smsgate-app/state-report-body.ts'
import { storeStates } from '../../../src/gateway/smsgate-app/store-states.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { openCatalogStore, openDb } from '../../support/database/open.ts'
import { assign, makeDevice, makeUser } from '../../support/database/queue.ts'
import { testConfig } from '../../support/server/start.ts'

// The app reports on each text alone, and each state of it alone. Servers store such reports in groups.

const config = await testConfig({}, 'prepared')
const openStore = async (): Promise<Store> =>
  openCatalogStore(await openDb(config, createLogger(config)))
const [one, two] = [await openStore(), await openStore()]
const LEASES = { leaseSeconds: 120, deviceOnlineSeconds: 600 }

interface Phone {
  readonly device: Device
  /** The app's ids of the texts that it has fetched. */
  readonly ids: readonly string[]
}

async function fetchTexts(count: number, user?: string): Promise<Phone> {
  const device = await makeDevice(one, user ?? (await makeUser(one)))
  await assign(one, device, count)
  const rules = readAppRules('me.capcom.smsgateway/1.75.0')
  const answer = await pullMessages(one, device, LEASES, rules)
  return { device, ids: answer.map(({ id }) => id) }
}

const report = (store: Store, { device }: Phone, items: readonly object[]) =>
  storeStates(store, device, checkShape(STATES_BODY, items), LEASES)

const messageOf = (id: string) => id.split('.')[0]!

/** The steps of each text, in the order in which they were stored. */
async function stepsOf({ ids }: Phone) {
  const { rows } = await two.db.query(
    `select m.id, m.status, array_agg(e.status order by e._rowid) from sms_messages m
     join sms_events e on e.message = m.id where m.id = any($1) group by m.id, m.status`,
    [ids.map(messageOf)],
  )
  return rows.map(([, status, steps]) => ({ status, steps }))
}

const STATES = ['Processed', 'Sent', 'Delivered']

test('three reports on each of many texts of several phones are stored in order by few commits', async () => {
  const phones = await Promise.all(Array.from({ length: 5 }, () => fetchTexts(20)))
  await Promise.all(
    phones.flatMap((phone) =>
      phone.ids.flatMap((id) => STATES.map((state) => report(one, phone, [{ id, state }]))),
    ),
  )
  for (const phone of phones) {
    const steps = await stepsOf(phone)
    expect(steps).toHaveLength(20)
    for (const step of steps)
      expect(step).toEqual({ status: 'delivered', steps: ['sending', 'sent', 'delivered'] })
  }
  const { rows } = await two.db.query(
    `select count(distinct xmin::text) from sms_events where status in ('sent', 'delivered') and message = any($1)`,
    [phones.flatMap(({ ids }) => ids.map(messageOf))],
  )
  expect(Number(rows[0]![0])).toBeLessThan(10)
})

test('reports that two servers get at once in any order leave each text delivered, with no step twice', async () => {
  const phones = await Promise.all(Array.from({ length: 4 }, () => fetchTexts(10)))
  await one.db.query(`update smsgate_phones set held_until = now() + interval '1 hour'`)
  const sent = phones.flatMap((phone) =>
    phone.ids.flatMap((id) =>
      [...STATES, ...STATES].map((state, i) => ({ phone, item: { id, state }, at: i % 2 })),
    ),
  )
  const order = sent.map((_, i) => (i * 7) % sent.length)
  await Promise.all(
    order.map((i) => report(sent[i]!.at ? two : one, sent[i]!.phone, [sent[i]!.item])),
  )
  for (const phone of phones)
    for (const { status, steps } of await stepsOf(phone)) {
      expect(status).toBe('delivered')
      expect(new Set(steps as string[]).size).toBe((steps as string[]).length)
      expect((steps as string[]).at(-1)).toBe('delivered')
    }
  const { rows } = await two.db.query(
    'select count(*) from smsgate_texts where device = any($1) union all select count(*) from smsgate_phones where device = any($1) and held_until is not null',
    [phones.map(({ device }) => device.id)],
  )
  expect(rows.map(([count]) => Number(count))).toEqual([0, 0])
})

test.each([
  ['Processed', 'sending'],
  ['Sent', 'sent'],
  ['Delivered', 'delivered'],
  ['Failed', 'failed'],
  ['Cancelled', 'failed'],
])('%s is committed when the report is answered', async (state, status) => {
  const phone = await fetchTexts(1)
  await two.db.query(
    `update sms_dispatch set lease_until = now() + interval '9 s' where device = $1`,
    [phone.device.id],
  )
  await report(one, phone, [{ id: phone.ids[0], state }])
  const { rows } = await two.db.query(
    `select m.status, coalesce((select is_processed from smsgate_texts t where t.message = m.id), false),
       coalesce((select lease_until > now() + interval '300 s' from sms_dispatch d where d.message = m.id), false)
     from sms_messages m where m.id = $1`,
    [messageOf(phone.ids[0]!)],
  )
  expect(rows[0]).toEqual([status, state === 'Processed', state === 'Processed'])
})

test.each<[what: string, lie: (own: Phone, others: Phone) => (readonly object[])[]]>([
  [
    "another phone's texts",
    (_, { ids }) => STATES.flatMap((state) => ids.map((id) => [{ id, state }])),
  ],
  ['texts that nobody has', () => STATES.map((state) => [{ id: 'abcdefghijklmno.1', state }])],
  [
    'attempts that were never made',
    (_, { ids }) => [ids.map((id) => ({ id: `${messageOf(id)}.7`, state: 'Sent' }))],
  ],
  [
    '500 states of one text of another phone',
    (_, { ids }) => [Array.from({ length: 500 }, (_, i) => ({ id: ids[0], state: STATES[i % 3] }))],
  ],
  [
    'cancellations of texts of another phone',
    (_, { ids }) => ids.map((id) => [{ id, state: 'Cancelled' }]),
  ],
  ['texts of another phone as held', (_, { ids }) => ids.map((id) => [{ id, state: 'Pending' }])],
  [
    'texts of another phone that expired',
    (_, { ids }) =>
      ids.map((id) => [{ id, state: 'Failed', recipients: [{ error: 'TTL expired' }] }]),
  ],
])('a phone that reports %s changes nothing, and its own reports count', async (_, lie) => {
  const user = await makeUser(one)
  const others = await fetchTexts(3, user)
  const own = await fetchTexts(1, user)
  const look = async () =>
    (
      await two.db.query(
        `select m.status, m.updated, d.lease_until::text, d.state, t.is_known, t.is_processed, p.held_until::text
         from smsgate_texts t join sms_messages m on m.id = t.message join sms_dispatch d on d.message = m.id
         join smsgate_phones p on p.device = t.device where t.device = $1 order by m.id`,
        [others.device.id],
      )
    ).rows
  const before = await look()
  const lies = lie(own, others).map((items, i) => report(i % 2 ? two : one, own, items))
  await Promise.all([...lies, ...own.ids.map((id) => report(one, own, [{ id, state: 'Sent' }]))])
  expect(await look()).toEqual(before)
  expect((await stepsOf(own)).map(({ status }) => status)).toEqual(['sent'])
})

test.each([
  ['each alone', (items: readonly object[]) => items.map((item) => [item])],
  ['in a list', (items: readonly object[]) => [items]],
])(
  'a phone that reports its texts as sent, %s, is told once it has room to fetch more',
  async (_, split) => {
    const phone = await fetchTexts(25)
    const { device, ids } = phone
    expect(ids).toHaveLength(20)
    let heard = 0
    const stop = subscribeToDevice(device.id, () => heard++)
    await Promise.all(ids.slice(1).map((id) => report(one, phone, [{ id, state: 'Delivered' }])))
    expect(heard).toBe(0)
    const last = [{ id: ids[0]!, state: 'Processed' }]
    for (const items of split([...last, { id: ids[1]!, state: 'Sent' }]))
      await report(two, phone, items)
    stop()
    expect(heard).toBeGreaterThan(0)
  },
)

test('a list of reports is stored whole, and the last state of a text counts', async () => {
  const phone = await fetchTexts(3)
  const [a, b, c] = phone.ids as [string, string, string]
  await report(one, phone, [
    { id: a, state: 'Processed' },
    { id: b, state: 'Sent' },
    { id: a, state: 'Sent' },
    { id: b, state: 'Delivered' },
    { id: c, state: 'Failed', recipients: [{ error: 'no signal' }] },
  ])
  const { rows } = await two.db.query(
    'select status, error_message from sms_messages where id = any($1) order by array_position($1, id::text)',
    [phone.ids.map(messageOf)],
  )
  expect(rows).toEqual([
    ['sent', ''],
    ['delivered', ''],
    ['failed', 'no signal'],
  ])
  const { rows: left } = await two.db.query('select from smsgate_texts where device = $1', [
    phone.device.id,
  ])
  expect(left).toHaveLength(0)
})
