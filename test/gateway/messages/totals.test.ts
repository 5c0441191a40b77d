import {
  countMessages,
  keepTotals,
  writeTotalSql,
} from '../../../src/gateway/messages/message-totals.ts'
import {
  ANN,
  as,
  BEN,
  BENS_PHONE,
  CLEO,
  startServerWithUsers,
} from '../../support/server/server-with-users.ts'

// The totals of lists are kept, not counted: they must be what counting would give, whatever was done.

const server = await startServerWithUsers()

beforeEach(() => server.store.db.query('delete from sms_messages'))

const MESSAGES = '/api/collections/sms_messages/records'
const LISTS = [
  'perPage=1',
  'perPage=30&sort=-created',
  'page=2&perPage=2',
  'perPage=500&filter=id!=""',
] as const

async function totalsFor(user: string): Promise<number[]> {
  const headers = await server.signedIn('users', user)
  return Promise.all(
    LISTS.map(async (query) => {
      return (await server.ask('GET', `${MESSAGES}?${query}`, undefined, headers)).body.totalItems
    }),
  )
}

const kept = async (user?: string) =>
  (
    await server.rows(`select ${writeTotalSql('"sms_messages"', user && '$1')}`, user ? [user] : [])
  )[0]![0]
const counted = async (user: string) =>
  (
    await server.rows('select count(*) from sms_messages where "user" = $1', [user])
  )[0]![0] as number

async function expectTruth(): Promise<void> {
  for (const { id } of [ANN, BEN, CLEO]) {
    const count = await counted(id)
    expect(await kept(id)).toBe(count)
    expect(await totalsFor(id)).toEqual(LISTS.map(() => count))
  }
  expect(await kept()).toBe((await server.rows('select count(*) from sms_messages'))[0]![0])
}

const send = (count: number, user = ANN) =>
  server.send(
    { recipients: Array.from({ length: count }, (_, i) => `+49${100_000 + i}`) },
    as(user),
  )
const receive = async (count: number, from = '+4910000') => {
  const items = Array.from({ length: count }, (_, i) => {
    return { from: `${from}${i}`, body: 'Hello', received_at: new Date(1e12 + i).toISOString() }
  })
  const headers = await server.signedIn('devices', BENS_PHONE)
  expect((await server.ask('POST', '/api/devices/incoming', { items }, headers)).status).toBe(200)
}
const remove = async (user: string, count: number) => {
  const headers = await server.signedIn('users', user)
  const ids = await server.rows('select id from sms_messages where "user" = $1 limit $2', [
    user,
    count,
  ])
  const answers = ids.map(([id]) => server.ask('DELETE', `${MESSAGES}/${id}`, undefined, headers))
  return (await Promise.all(answers)).map(({ status }) => status)
}

test('totals stay correct when a transaction that deletes messages is rolled back', async () => {
  await send(2)
  const failing = server.store.db.transaction(async (db) => {
    await db.query(`delete from sms_messages where "user" = $1`, [ANN.id])
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  await expectTruth()
  expect(await kept(ANN.id)).toBe(2)
})

test('totals stay correct when messages change their owner and when the table is truncated', async () => {
  await send(4)
  await server.rows(
    `update sms_messages set "user" = $1 where id in (select id from sms_messages limit 3)`,
    [CLEO.id],
  )
  await expectTruth()
  expect(await kept(CLEO.id)).toBe(3)
  await server.rows('truncate sms_messages')
  await expectTruth()
})

test('totals stay correct when a user is deleted and another is created with the same id', async () => {
  await send(3)
  const dora = { id: 'dora00000000000', key: 'psk_dora' }
  const come = () =>
    server.rows(`insert into users (id, email, "tokenKey") values ($1, 'dora@example.com', 'k')`, [
      dora.id,
    ])
  const insert = () =>
    server.rows(
      `insert into sms_messages (id, "user", "to", body) values (pb_new_id(), $1, '+4910000', 'x')`,
      [dora.id],
    )
  await come()
  await server.rows('insert into sms_turns ("user", messages) values ($1, 2)', [dora.id])
  await server.rows(
    `insert into sms_totals (relation, "user", messages) values ('sms_messages'::regclass, $1, -2)`,
    [dora.id],
  )
  await insert()
  await insert()
  expect(await kept(dora.id)).toBe(2)
  const headers = await server.signedIn('users', dora.id)
  const gone = await server.ask(
    'DELETE',
    `/api/collections/users/records/${dora.id}`,
    undefined,
    headers,
  )
  expect(gone.status).toBe(204)
  expect(await kept(dora.id)).toBe(0)
  await keepTotals(server.store.db)
  expect(await server.rows('select 1 from sms_totals where "user" = $1', [dora.id])).toEqual([])
  await come()
  await insert()
  expect(await kept(dora.id)).toBe(1)
  await server.rows('delete from users where id = $1', [dora.id])
  await server.rows('delete from sms_messages where "user" = $1', [dora.id])
  await expectTruth()
})

test("an uncounted user's list counts its own messages until the totals are built once", async () => {
  await send(3)
  await server.rows('delete from sms_totals')
  await receive(2, '+4930000')
  await remove(ANN.id, 1)
  expect(await kept(ANN.id)).toBe(2)
  expect(await totalsFor(ANN.id)).toEqual([2, 2, 2, 2])
  await Promise.all([countMessages(server.store.db), countMessages(server.store.db)])
  await expectTruth()
  await receive(2, '+4940000')
  await send(1)
  await expectTruth()
})

test('totals stay correct during concurrent sends, receives, deletes and recounts', async () => {
  await send(40)
  const work = Array.from({ length: 15 }, (_, i) => [
    send(1 + (i % 4)),
    send(2, BEN),
    receive(3, `+4960000${i}`),
    server.rows(
      `delete from sms_messages where id in (select id from sms_messages where "user" = $1 limit 2 for update skip locked)`,
      [BEN.id],
    ),
    i % 5 === 0 ? keepTotals(server.store.db) : server.rows('select 1'),
  ])
  await Promise.all([...work.flat(), remove(ANN.id, 20)])
  await expectTruth()
})
