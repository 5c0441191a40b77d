import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../../src/collections/catalog/catalog-store.ts'
import { fillConversations } from '../../../src/sms/conversations/fill.ts'
import { receiveTexts } from '../../../src/sms/inbound/receive.ts'
import { openSendFixture, type SendFixture } from '../../support/database/send-fixture.ts'

// What keeps conversations, at once: without a server, so that nothing else happens.

const WORDS = { out: ['STOP'], in: ['START'] }
const AT = Date.parse('2026-11-20T07:00:00.000Z')

let fixture: SendFixture
let nodes: Awaited<ReturnType<typeof openStore>>[]
beforeAll(async () => {
  fixture = await openSendFixture(2)
  nodes = [await openStore(fixture.db), await openStore(fixture.db)]
})
afterAll(async () => {
  for (const node of nodes) await node.close()
  await fixture.stop()
})

const phone = (i: number) => ({
  id: `phone${String(i).padStart(10, '0')}`,
  user: fixture.sender.user,
  phone: '+4930123',
  enabled: true,
  lastSeen: '',
  isLimited: false,
})
const hear = (node: number, texts: readonly { from: string; body: string; at: number }[]) =>
  receiveTexts(
    nodes[node]!,
    phone(node + 1),
    texts.map(({ from, body, at }) => ({ from, body, receivedAt: AT + at, sim: 0 })),
    WORDS,
  )
const rows = async (sql: string, params: unknown[] = []) => (await fixture.db.query(sql, params)).rows
const conversation = (number: string) =>
  rows('select unread, unanswered, last_type from conversations where number = $1', [number])

test('two nodes that receive at once make one conversation, and lose no text of 50', async () => {
  const from = '+491701'
  await Promise.all(Array.from({ length: 50 }, (_, i) => hear(i % 2, [{ from, body: `Text ${i}`, at: i }])))
  expect(await conversation(from)).toEqual([[50, true, 'incoming']])
  const [[last]] = (await rows(
    `select m.body = c.last_text from conversations c join sms_messages m on m.id = c.last_message
     where c.number = $1`,
    [from],
  )) as [[boolean]]
  expect(last).toBe(true)
})

test('texts of one request count each, the newest is the last', async () => {
  const [a, b] = ['+491702', '+491703']
  await hear(0, [
    { from: a, body: 'second', at: 1002 },
    { from: b, body: 'only', at: 1000 },
    { from: a, body: 'first', at: 1001 },
    { from: '', body: 'of nobody', at: 1003 },
  ])
  expect(
    await rows(`select number, unread, last_text from conversations where number = any($1) order by number`, [
      [a, b, ''],
    ]),
  ).toEqual([
    [a, 2, 'second'],
    [b, 1, 'only'],
  ])
})

test('sends and receives of the same numbers, in any order, never fail, and all texts are counted', async () => {
  const numbers = Array.from({ length: 8 }, (_, i) => `+49171${i}`)
  const shuffled = () => numbers.toSorted(() => Math.random() - 0.5)
  const sendTo = fixture.node()
  const deadlocks = async () =>
    Number((await rows('select deadlocks from pg_stat_database where datname = current_database()'))[0]![0])
  const before = await deadlocks()
  const work = Array.from({ length: 30 }, (_, i) => [
    hear(
      i % 2,
      shuffled().map((from) => ({ from, body: i % 5 === 0 ? 'START' : 'Hello', at: 5000 + i })),
    ),
    ...shuffled().map((to) => (i % 2 ? fixture.send : sendTo)({ recipients: [to] })),
  ])
  const done = await Promise.all(work.flat())
  expect(done.filter((one) => typeof one === 'string' && one !== 'accepted')).toEqual([])
  for (const number of numbers) expect((await conversation(number))[0]![0]).toBe(30)
  expect(await deadlocks()).toBe(before)
})

test('a group of sends updates each of its conversations', async () => {
  const numbers = Array.from({ length: 5 }, (_, i) => `+49172${i}`)
  await hear(
    0,
    numbers.map((from) => ({ from, body: 'Hello', at: 9000 })),
  )
  const texts = [...numbers, numbers[0]!, '+491729']
  const outcomes = await Promise.all(
    texts.map((to, i) => fixture.send({ recipients: [to], body: `Text ${i}` })),
  )
  expect(new Set(outcomes)).toEqual(new Set(['accepted']))
  expect(
    await rows(
      `select number, last_text, unanswered from conversations where number like '+49172%' order by number`,
    ),
  ).toEqual(numbers.map((number, i) => [number, `Text ${i === 0 ? 5 : i}`, false]))
})

test('a database from before gets its conversations once', async () => {
  const { user } = fixture.sender
  await rows('delete from conversations')
  await rows('delete from sms_messages')
  await rows(
    `insert into contacts (id, "user", phone, name) values ('contact00000001', $1, '+491800', 'Zoë')`,
    [user],
  )
  const days = (n: number) => `pb_text(now() - interval '${n} days')`
  const message = (id: string, type: string, number: string, created: string, batch = '') =>
    rows(
      `insert into sms_messages (id, "user", status, message_type, "from", "to", body, device, batch_id, created)
       select $1, $2, 'received', $3::text, case $3::text when 'incoming' then $4::text else '' end,
         case $3::text when 'outgoing' then $4::text else '' end, 'Text ' || $1, 'phone0000000001', $5, ${created}`,
      [id, user, type, number, batch],
    )
  await message('in1', 'incoming', '+491800', days(9))
  await message('out1', 'outgoing', '+491800', days(8))
  await message('campaign1', 'outgoing', '+491800', days(1), 'batch')
  await message('in2', 'incoming', '+491801', days(7))
  await message('old', 'incoming', '+491802', days(400))
  await message('out2', 'outgoing', '+491803', days(1))
  for (let i = 0; i < 450; i++) await message(`many${i}`, 'incoming', `+49190${i}`, days(20))
  await fillConversations(nodes[0]!)
  const found = await rows(
    `select number, name, last_message, last_type, unread, unanswered, device from conversations
     where number not like '+49190%' order by last_at desc`,
  )
  expect(found).toEqual([
    ['+491801', '', 'in2', 'incoming', 0, true, 'phone0000000001'],
    ['+491800', 'Zoë', 'out1', 'outgoing', 0, false, 'phone0000000001'],
  ])
  expect(await rows(`select count(*) from conversations where number like '+49190%'`)).toEqual([[450]])
  await rows('delete from conversations')
  await fillConversations(nodes[1]!)
  expect(await rows('select id from conversations')).toEqual([])
})

test('a fill goes on where it was stopped', async () => {
  await rows(`delete from _params where key = 'conversations'`)
  const stop = new AbortController()
  const filling = fillConversations(nodes[0]!, stop.signal)
  stop.abort()
  await filling
  const [[made]] = (await rows('select count(*) from conversations')) as [[number]]
  expect(made).toBeLessThan(452)
  await fillConversations(nodes[0]!)
  expect(await rows('select count(*) from conversations')).toEqual([[452]])
})
