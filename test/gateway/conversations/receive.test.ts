import {
  type ReceivedText,
  receiveTexts,
} from '../../../src/gateway/conversations/store-received-texts.ts'
import { readOptWord } from '../../../src/portable/read-opt-word.ts'
import { openCatalogStore } from '../../support/database/open.ts'
import { makeDevice, makeUser, testStore } from '../../support/database/queue.ts'
import { openSendFixture } from '../../support/database/send-fixture.ts'

const WORDS = { out: ['STOP', 'UNSUBSCRIBE'], in: ['START'] }
const AT = Date.parse('2026-11-20T07:00:00.000Z')

const store = await testStore()

const makePhone = async () => makeDevice(store, await makeUser(store))
const text = (changes: Partial<ReceivedText> = {}): ReceivedText => ({
  from: '+4915112345678',
  body: 'Hello',
  receivedAt: AT,
  sim: 0,
  ...changes,
})
const rowsOf = async (sql: string, params: unknown[]) => (await store.db.query(sql, params)).rows

describe('an incoming text is identified by device, sender, time and text', () => {
  test.each([
    ['an equal text is the same message', {}, 1],
    ['a text a millisecond later is another message', { receivedAt: AT + 1 }, 2],
    ['a text from another sender is another message', { from: 'BANK' }, 2],
    ['a text with another body is another message', { body: 'Hello!' }, 2],
  ] as const)('%s', async (_, changes, records) => {
    const phone = await makePhone()
    const ids = [
      ...(await receiveTexts(store, phone, [text()], WORDS)),
      ...(await receiveTexts(store, phone, [text(changes), text(changes)], WORDS)),
    ]
    expect(new Set(ids).size).toBe(records)
    expect(await rowsOf('select id from sms_messages where device = $1', [phone.id])).toHaveLength(
      records,
    )
  })

  test('20 concurrent reports of one text store one message', async () => {
    const phone = await makePhone()
    const told = Array.from({ length: 20 }, () => receiveTexts(store, phone, [text()], WORDS))
    expect(new Set((await Promise.all(told)).flat()).size).toBe(1)
    expect(await rowsOf('select id from sms_messages where device = $1', [phone.id])).toHaveLength(
      1,
    )
  })

  test('two devices may receive the same text', async () => {
    const [a, b] = [await makePhone(), await makePhone()]
    const [one] = await receiveTexts(store, a, [text()], WORDS)
    const [other] = await receiveTexts(store, b, [text()], WORDS)
    expect(one).not.toBe(other)
  })
})

test('a device clock that is ahead does not date a text into the future', async () => {
  const phone = await makePhone()
  const [id] = await receiveTexts(
    store,
    phone,
    [text({ receivedAt: Date.now() + 86_400_000 })],
    WORDS,
  )
  const [[at]] = (await rowsOf('select delivered_at from sms_messages where id = $1', [id])) as [
    [string],
  ]
  expect(Date.parse(at)).toBeLessThanOrEqual(Date.now() + 60_000)
})

test('texts of one second in one request keep their order', async () => {
  const phone = await makePhone()
  const bodies = ['one', 'two', 'three', 'four', 'five']
  const late = { body: 'before', receivedAt: AT - 1000 }
  await receiveTexts(store, phone, [...bodies.map((body) => text({ body })), text(late)], WORDS)
  const rows = await rowsOf(
    'select body from sms_messages where device = $1 order by delivered_at',
    [phone.id],
  )
  expect(rows.flat()).toEqual(['before', ...bodies])
  const last = await rowsOf('select last_text from conversations where "user" = $1', [phone.user])
  expect(last).toEqual([['five']])
})

describe('opt-out and opt-in words', () => {
  test.each([
    ['STOP', true],
    [' stop. ', true],
    ['Unsubscribe!', true],
    ['start', false],
  ])('%j sets opted_out to %s', (body, meaning) =>
    expect(readOptWord({ body }, WORDS)).toBe(meaning),
  )

  test.each(['please stop', ''])('%j does not change opted_out', (body) =>
    expect(readOptWord({ body }, WORDS)).toBeUndefined(),
  )

  const optedOut = async (user: string) =>
    (await rowsOf('select opted_out from contacts where "user" = $1', [user])).flat()

  test('opt-out and opt-in words create a contact and change its opted_out', async () => {
    const phone = await makePhone()
    await receiveTexts(store, phone, [text({ body: 'START' })], WORDS)
    expect(await optedOut(phone.user)).toEqual([])
    await receiveTexts(store, phone, [text({ body: 'STOP', receivedAt: AT + 1 })], WORDS)
    expect(await optedOut(phone.user)).toEqual([true])
    await receiveTexts(store, phone, [text({ body: 'START', receivedAt: AT + 2 })], WORDS)
    expect(await optedOut(phone.user)).toEqual([false])
  })

  test('opt-out and opt-in words count once, also if a phone reports an old word again', async () => {
    const phone = await makePhone()
    const stop = text({ body: 'STOP' })
    await receiveTexts(store, phone, [stop], WORDS)
    await receiveTexts(store, phone, [text({ body: 'START', receivedAt: AT + 1 })], WORDS)
    await receiveTexts(store, phone, [stop], WORDS)
    expect(await optedOut(phone.user)).toEqual([false])
  })

  test('opt-out and opt-in words in one request count in the order in which they were received', async () => {
    const phone = await makePhone()
    const texts = [
      text({ body: 'STOP', receivedAt: AT + 5 }),
      text({ body: 'START', receivedAt: AT }),
    ]
    await receiveTexts(store, phone, texts, WORDS)
    expect(await optedOut(phone.user)).toEqual([true])
  })

  test.each([
    ['a START that reaches us after a later STOP does not count', ['STOP', 5, 'START', 0], true],
    ['a START sent after the STOP opts in', ['STOP', 5, 'START', 6], false],
    ['a STOP opts out whenever it arrives', ['START', 5, 'STOP', 0], true],
  ] as const)('%s', async (_, [first, firstAt, second, secondAt], expected) => {
    const phone = await makePhone()
    await receiveTexts(store, phone, [text({ body: 'STOP', receivedAt: AT - 10 })], WORDS)
    await receiveTexts(store, phone, [text({ body: first, receivedAt: AT + firstAt })], WORDS)
    await receiveTexts(store, phone, [text({ body: second, receivedAt: AT + secondAt })], WORDS)
    expect(await optedOut(phone.user)).toEqual([expected])
  })

  test('opt-out and opt-in words are ignored from a sender without a number', async () => {
    const phone = await makePhone()
    await receiveTexts(store, phone, [text({ body: 'STOP', from: 'BANK' })], WORDS)
    expect(await optedOut(phone.user)).toEqual([])
  })
})

// What keeps conversations, at once: without a server, so that nothing else happens.

const fixture = await openSendFixture(2)
const nodes = [await openCatalogStore(fixture.db), await openCatalogStore(fixture.db)]

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
const rows = async (sql: string, params: unknown[] = []) =>
  (await fixture.db.query(sql, params)).rows
const conversation = (number: string) =>
  rows('select unread, unanswered, last_type from conversations where number = $1', [number])

test('two nodes that receive 50 texts at once make one conversation and count every text', async () => {
  const from = '+4917010'
  await Promise.all(
    Array.from({ length: 50 }, (_, i) => hear(i % 2, [{ from, body: `Text ${i}`, at: i }])),
  )
  expect(await conversation(from)).toEqual([[50, true, 'incoming']])
  const [[last]] = (await rows(
    `select m.body = c.last_text from conversations c join sms_messages m on m.id = c.last_message
     where c.number = $1`,
    [from],
  )) as [[boolean]]
  expect(last).toBe(true)
})

test('each text of a request counts, and the newest becomes the last text', async () => {
  const [a, b] = ['+4917020', '+4917030']
  await hear(0, [
    { from: a, body: 'second', at: 1002 },
    { from: b, body: 'only', at: 1000 },
    { from: a, body: 'first', at: 1001 },
    { from: '', body: 'of nobody', at: 1003 },
  ])
  expect(
    await rows(
      `select number, unread, last_text from conversations where number = any($1) order by number`,
      [[a, b, '']],
    ),
  ).toEqual([
    [a, 2, 'second'],
    [b, 1, 'only'],
  ])
})

test('concurrent sends and receives of the same numbers never deadlock, and all texts are counted', async () => {
  const numbers = Array.from({ length: 8 }, (_, i) => `+4917100${i}`)
  const shuffled = () => numbers.toSorted(() => Math.random() - 0.5)
  const sendTo = fixture.node()
  const deadlocks = async () =>
    Number(
      (
        await rows('select deadlocks from pg_stat_database where datname = current_database()')
      )[0]![0],
    )
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

test('sends accepted as a group update each of their conversations', async () => {
  const numbers = Array.from({ length: 5 }, (_, i) => `+4917200${i}`)
  await hear(
    0,
    numbers.map((from) => ({ from, body: 'Hello', at: 9000 })),
  )
  const texts = [...numbers, numbers[0]!, '+491720099']
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
