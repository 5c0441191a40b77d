import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import { openLineFixture } from '../../support/database/line-fixture.ts'

const fixture = await openLineFixture()

beforeEach(() => fixture.reset())

const text = (to: string, more: object = {}) => ({ recipients: [to], ...more })
const many = (count: number) => Array.from({ length: count }, (_, i) => `+49${10_000 + i}`)

test('lines take strict turns, across requests and within one', async () => {
  await fixture.lines('a1', 'a2', 'b1')
  const one = []
  for (let i = 0; i < 4; i++) one.push(await fixture.send(text('+4911000')))
  expect(one).toEqual(['a1', 'a2', 'b1', 'a1'])
  expect(await fixture.sendAll({ recipients: many(4) })).toEqual(['a2', 'b1', 'a1', 'a2'])
})

test('texts are counted only for lines with limits', async () => {
  await fixture.lines('a1', 'b1')
  const counted = () => fixture.rows(`select line from line_use where day_texts > 0`)
  await fixture.sendAll({ recipients: many(4) })
  expect(await counted()).toEqual([])
  await fixture.set('a1', 'daily_limit = 100')
  await fixture.sendAll({ recipients: many(4) })
  expect(await counted()).toEqual([[fixture.idOf('a1')]])
})

test('a message gets the number and SIM slot of its line', async () => {
  await fixture.lines('a1', 'a2')
  await fixture.set('a2', `number = '+4922200'`)
  await fixture.send(text('+4911000', { from: '+4922200' }))
  expect(await fixture.rows(`select "from", sim from sms_messages`)).toEqual([['+4922200', 0]])
  const [claimed] = await fixture.claim('a')
  expect(claimed!.sim).toBe(2)
})

test.each([
  [{ sim: 2 }, ['a2', 'b2', 'a2']],
  [{ device_id: 'a' }, ['a1', 'a2', 'a1']],
  [{ line_id: 'b2' }, ['b2', 'b2', 'b2']],
  [{ from: '+4900010' }, ['a1', 'a1', 'a1']],
  [{ from: '+4900010', sim: 1 }, ['a1', 'a1', 'a1']],
  [{ line_id: 'a1', device_id: 'a' }, ['a1', 'a1', 'a1']],
] as const)('three sends with %j go by the lines %j', async (named, expected) => {
  await fixture.lines('a1', 'a2', 'b2')
  await fixture.set('a1', `number = '+4900010'`)
  const got = []
  for (let i = 0; i < 3; i++) got.push(await fixture.send(text('+4911000', fixture.named(named))))
  expect(got).toEqual(expected)
})

test.each([
  [{}, ['a1', 'b1', 'a1']],
  [{ device_id: 'a' }, ['a1', 'a1', 'a1']],
  [{ from: 'Acme' }, ['a2', 'a2', 'a2']],
  [{ sim: 2 }, ['a2', 'a2', 'a2']],
] as const)(
  'three sends with %j go by %j if the number of the line a2 is a sender name',
  async (named, expected) => {
    await fixture.lines('a1', 'a2', 'b1')
    await fixture.set('a1', `number = '+4900010'`)
    await fixture.set('a2', `number = 'Acme'`)
    const send = () => fixture.send(text('+4911000', fixture.named(named)))
    expect([await send(), await send(), await send()]).toEqual(expected)
    await fixture.set('a1', 'daily_limit = 100')
    expect(new Set([await send(), await send(), await send()])).toEqual(new Set(expected))
    for (const line of ['a1', 'b1']) await fixture.set(line, 'enabled = false')
    expect(await send()).toBe('a2')
  },
)

test.each([
  ['an unknown line', { line_id: 'nosuchline00000' }, 'line_not_found'],
  ["another's line", { line_id: 'theirs' }, 'line_not_found'],
  ['an unknown number', { from: '+4999900' }, 'line_not_found'],
  ['a line of another device', { line_id: 'a1', device_id: 'b' }, 'line_not_found'],
  ['a number of two lines', { from: '+4910000' }, 'line_ambiguous'],
  ['a line that is disabled', { line_id: 'a2' }, 'no_devices'],
] as const)('a send by %s is refused as $2 and stores nothing', async (_, named, error) => {
  await fixture.lines('a1', 'a2', 'b1')
  await fixture.set('a1', `number = '+4910000'`)
  await fixture.set('b1', `number = '+4910000'`)
  await fixture.set('a2', 'enabled = false')
  expect(await fixture.send(text('+4911000', fixture.named(named)))).toBe(error)
  expect(await fixture.rows('select count(*) from sms_messages')).toEqual([[0]])
})

test.each([
  ['absent', `update lines set present = false where id = $1`],
  ['disabled', `update lines set enabled = false where id = $1`],
  [
    'of a disabled device',
    `update devices set enabled = false where id = (select device from lines where id = $1)`,
  ],
])(
  'a number that belongs to two lines means the other line when the first is %s',
  async (_, change) => {
    await fixture.lines('a1', 'b1')
    await fixture.set('a1', `number = '+4910000'`)
    await fixture.set('b1', `number = '+4910000'`)
    await fixture.rows(change, [fixture.idOf('a1')])
    expect(await fixture.send(text('+4911000', { from: '+4910000' }))).toBe('b1')
  },
)

test.each([
  ['+4312345', 'b1'],
  ['+4366400', 'c1'],
  ['+4917000', 'a1'],
])('a text to %s goes by %s, the line with the longest matching prefix', async (to, line) => {
  await fixture.lines('a1', 'b1', 'c1')
  await fixture.set('b1', `prefixes = '+43,+44'`)
  await fixture.set('c1', `prefixes = '+43664'`)
  for (let i = 0; i < 3; i++) expect(await fixture.send(text(to))).toBe(line)
})

test('a line with other prefixes is used only when no other line can send', async () => {
  await fixture.lines('a1', 'b1')
  await fixture.set('b1', `prefixes = '+43'`)
  expect(await fixture.send(text('+4917000'))).toBe('a1')
  await fixture.set('a1', 'enabled = false')
  expect(await fixture.send(text('+4917000'))).toBe('b1')
})

test("a text in a conversation goes by the conversation's line and takes no turn", async () => {
  await fixture.lines('a1', 'b1', 'c1')
  await fixture.receive('b', '+4977000')
  const got = []
  for (const to of ['+4911000', '+4977000', '+4912000', '+4977000', '+4913000', '+4977000'])
    got.push(await fixture.send(text(to)))
  expect(got).toEqual(['a1', 'b1', 'b1', 'b1', 'c1', 'b1'])
  // in a group with others, too
  expect(await fixture.sendAll({ recipients: ['+4914000', '+4977000', '+4915000'] })).toEqual([
    'a1',
    'b1',
    'b1',
  ])
  // one that is named is the next one of the conversation
  await fixture.send(text('+4977000', fixture.named({ line_id: 'c1' })))
  expect(await fixture.send(text('+4977000'))).toBe('c1')
  await fixture.rows(`update conversations set last_at = pb_text(now() - interval '31 days')`)
  expect(await fixture.send(text('+4977000'))).toBe('c1') // its turn
  expect(await fixture.send(text('+4978000'))).toBe('a1')
})

test('above the daily limit a text waits and leaves on the next day', async () => {
  await fixture.lines('a1', 'b1')
  await fixture.set('a1', 'daily_limit = 2')
  await fixture.set('b1', 'daily_limit = 1')
  expect(await fixture.sendAll({ recipients: many(5) })).toEqual(['a1', 'b1', 'a1', null, null])
  expect(await fixture.send(text('+4919000'))).toBe(null)
  expect(
    await fixture.rows(
      `select status, waiting_for, count(*) from sms_messages group by 1, 2 order by 1`,
    ),
  ).toEqual([
    ['assigned', '', 3],
    ['pending', 'room', 3],
  ])
  // nothing is looked at before there is room
  expect(
    await fixture.rows(
      `select count(*) from sms_dispatch where state = 'pending' and due_at <= now()`,
    ),
  ).toEqual([[0]])
  await fixture.nextDay()
  await sweepQueue(fixture.store, 600)
  const { counts, waiting } = await fixture.use()
  expect(waiting).toBe(3) // those of yesterday were not claimed, and go first
  expect(counts).toEqual({ a1: [2, 2], b1: [1, 1] })
})

test('a recipient counts once a month against monthly_recipients', async () => {
  await fixture.lines('a1')
  await fixture.set('a1', 'monthly_recipients = 2')
  const got = []
  for (const to of ['+4911000', '+4911000', '+4912000', '+4913000', '+4911000', '+4912000'])
    got.push(await fixture.send(text(to)))
  expect(got).toEqual(['a1', 'a1', 'a1', null, 'a1', 'a1'])
})

test('a canceled text frees its place on the line, and a waiting text gets it', async () => {
  await fixture.lines('a1')
  await fixture.set('a1', 'monthly_recipients = 1, monthly_limit = 2')
  expect(await fixture.send(text('+4911000'))).toBe('a1')
  expect(await fixture.send(text('+4912000'))).toBe(null)
  const [[id]] = (await fixture.rows(`select id from sms_messages where "to" = '+4911000'`)) as [
    [string],
  ]
  await fixture.cancel(id)
  await sweepQueue(fixture.store, 600)
  expect(
    await fixture.rows(
      `select "to", status, waiting_for from sms_messages where status <> 'failed'`,
    ),
  ).toEqual([['+4912000', 'assigned', '']])
})

test('a limit counts messages sent before it was set', async () => {
  await fixture.lines('a1')
  for (let i = 0; i < 3; i++) await fixture.send(text(`+491${i}1000`))
  await fixture.set('a1', 'daily_limit = 4, monthly_recipients = 4')
  expect(await fixture.sendAll({ recipients: many(3) })).toEqual(['a1', null, null])
})

test('a limit counts messages sent this month even if they were accepted long before', async () => {
  await fixture.lines('a1')
  for (let i = 0; i < 3; i++) await fixture.send(text(`+491${i}1000`))
  await fixture.claim('a')
  const sent = `update sms_messages set status = 'sent', sent_at = pb_text(now()), created = pb_text(now() - interval '50 days')`
  await fixture.rows(sent)
  await fixture.rows('delete from sms_dispatch')
  await fixture.rows(`insert into sms_events (id, "user", message, status, created)
    select pb_new_id(), "user", id, 'sent', pb_text(now()) from sms_messages`)
  await fixture.set('a1', 'monthly_limit = 4')
  expect(await fixture.sendAll({ recipients: many(3) })).toEqual(['a1', null, null])
})

test('when a limit is raised, higher priority leaves first, also before a new text', async () => {
  await fixture.lines('a1')
  await fixture.set('a1', 'daily_limit = 1')
  await fixture.send(text('+4911000'))
  await fixture.send(text('+4912000', { priority: 1 }))
  await fixture.send(text('+4913000', { priority: 5 }))
  await fixture.set('a1', 'daily_limit = 2')
  // by a server whose clock is behind
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 1_000 })
  expect(await fixture.send(text('+4914000', { priority: 3 }))).toBe(null)
  await sweepQueue(fixture.store, 600)
  expect(
    await fixture.rows(`select "to" from sms_messages where status = 'assigned' order by "to"`),
  ).toEqual([['+4911000'], ['+4913000']])
})

test('a disabled line loses its texts to another line and gets no new ones', async () => {
  await fixture.lines('a1', 'b1')
  await fixture.set('a1', 'daily_limit = 10')
  expect(await fixture.sendAll({ recipients: many(4) })).toEqual(['a1', 'b1', 'a1', 'b1'])
  await fixture.set('a1', 'enabled = false')
  expect(await fixture.claim('a')).toEqual([])
  await sweepQueue(fixture.store, 600)
  expect(await fixture.rows('select line, count(*) from sms_messages group by 1')).toEqual([
    [fixture.idOf('b1'), 4],
  ])
  expect((await fixture.use()).counts.a1).toEqual([0, 0])
})

test("a text waits when the device's own daily limit is reached", async () => {
  await fixture.lines('a1')
  await fixture.rows('update devices set daily_limit = 1')
  expect(await fixture.send(text('+4911000'))).toBe('a1')
  await fixture.claim('a')
  expect(await fixture.send(text('+4912000'))).toBe(null)
})

test("a line is given at most `per_minute` texts a minute, while the device's other lines continue", async () => {
  await fixture.lines('a1', 'a2')
  await fixture.set('a1', 'per_minute = 3')
  await fixture.sendAll({ recipients: many(20) })
  const claims = await Promise.all(Array.from({ length: 8 }, () => fixture.claim('a', 4)))
  const ids = new Set(claims.flat().map(({ id }) => id))
  await fixture.claim('a')
  const taken = await fixture.rows(
    `select line, count(*) from sms_messages where status = 'sending' group by 1 order by 1`,
  )
  expect(taken).toEqual([
    [fixture.idOf('a1'), 3],
    [fixture.idOf('a2'), 10],
  ])
  expect(ids.size).toBeGreaterThan(0)
  await fixture.rows(`update device_handouts set at = at - interval '1 minute'`)
  expect((await fixture.claim('a')).length).toBe(16)
})
