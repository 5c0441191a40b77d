import { receiveTexts } from '../../../src/sms/conversations/receive.ts'
import { openStore } from '../../support/database/open.ts'
import { openSendFixture } from '../../support/database/send-fixture.ts'

// What keeps conversations, at once: without a server, so that nothing else happens.

const WORDS = { out: ['STOP'], in: ['START'] }
const AT = Date.parse('2026-11-20T07:00:00.000Z')

const fixture = await openSendFixture(2)
const nodes = [await openStore(fixture.db), await openStore(fixture.db)]

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
