import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import { openLineFixture } from '../../support/database/line-fixture.ts'
import { inGroupsOf64 } from '../../support/database/send-fixture.ts'

const fixture = await openLineFixture()

beforeEach(async () => {
  await fixture.reset()
  await fixture.liveIn('Europe/Berlin')
})

const LINES = ['a1', 'a2', 'b1', 'c1', 'c2', 'd1']
/** The last seconds of two days and the first of the next ones, in Berlin: the second is that of a month. */
const INSTANTS = [
  '2090-01-30T23:59:58+01:00',
  '2090-01-31T00:00:01+01:00',
  '2090-01-31T23:59:58+01:00',
  '2090-02-01T00:00:01+01:00',
]
const SENDS = 400

/**
 * The instant of a send: a quarter of them for each. Before a turn the clock jumps to and fro, as it does
 * where two nodes have two clocks.
 */
const instantOf = (i: number) => {
  const isLate = i % 10 === 9
  return INSTANTS[
    Math.min(INSTANTS.length - 1, Math.floor((i * INSTANTS.length) / SENDS) + (isLate ? 1 : 0))
  ]!
}

/** What each line was charged with, as the queue says: no message has left it. */
const charged = (period: 10 | 7) =>
  fixture.rows(
    `select d.line, left(d.charged, ${period}), count(*), count(distinct m."to")
    from sms_dispatch d join sms_messages m on m.id = d.message
    where d.charged > '-' and d.state in ('assigned', 'sending') group by 1, 2`,
  ) as Promise<[string, string, number, number][]>

/** What is charged is what was counted. */
async function expectCounted() {
  const wrong = await fixture.rows(
    `select u.* from line_use u where u.day_texts <> (
      select count(*) from sms_dispatch d where d.line = u.line and d.charged = u.day)
    or u.month_texts <> (
      select count(*) from sms_dispatch d where d.line = u.line and left(d.charged, 7) = u.month)
    or u.recipients <> (
      select count(*) from line_recipients r where r.line = u.line and r.month = u.month)
    and exists (select from lines l where l.id = u.line and l.monthly_recipients > 0)`,
  )
  expect(wrong).toEqual([])
}

test("64 senders on two nodes keep each line's limits exactly when a day and a month end", async () => {
  await fixture.lines(...LINES)
  const daily = { a1: 10, a2: 25, b1: 15, c1: 12, c2: 30, d1: 20 }
  const monthly = { b1: 22, c2: 37 }
  const people = { a2: 7, d1: 9 }
  for (const [line, limit] of Object.entries(daily))
    await fixture.set(line, `daily_limit = ${limit}`)
  for (const [line, limit] of Object.entries(monthly))
    await fixture.set(line, `monthly_limit = ${limit}`)
  for (const [line, limit] of Object.entries(people))
    await fixture.set(line, `monthly_recipients = ${limit}`)
  const nodes = [fixture.node(), fixture.sendAll]
  let now = ''
  // one after the other, as one owner works; senders go on meanwhile
  let edited = Promise.resolve()
  const edit = (line: string, columns: string) => {
    edited = edited.then(() => fixture.set(line, columns))
  }
  await inGroupsOf64(SENDS, async (i) => {
    const instant = instantOf(i)
    if (instant !== now) {
      now = instant
      await fixture.at(instant)
    }
    const line = LINES[i % LINES.length]!
    if (i % 20 === 3) edit(line, 'enabled = false')
    if (i % 20 === 5) edit(line, 'present = false')
    if (i % 20 === 11) edit(line, 'label = label')
    if (i % 20 === 13) for (const each of LINES) edit(each, 'enabled = true, present = true')
    if (i % 25 === 7) await sweepQueue(fixture.store, 600, true, 30)
    if (i % 50 === 20) await fixture.claim('abcd'[i % 4]!, 5)
    await nodes[i % 2]!({ recipients: [`+49${10_000 + (i % 60)}`] }).catch((error) => {
      if (error.body?.error !== 'no_devices') throw error
    })
  })
  await edited
  for (const line of LINES) await fixture.set(line, 'enabled = true, present = true')
  await fixture.at(INSTANTS.at(-1)!)
  for (let i = 0; i < 4; i++) await sweepQueue(fixture.store, 600, true, 30)
  const limitOf = (limits: Record<string, number>, line: string) =>
    limits[line.replace(/0+$/, '')] ?? Number.POSITIVE_INFINITY
  const days = await charged(10)
  const months = await charged(7)
  for (const [line, day, texts] of days)
    expect([line, day, texts <= limitOf(daily, line)]).toEqual([line, day, true])
  for (const [line, month, texts, numbers] of months)
    expect([
      line,
      month,
      texts <= limitOf(monthly, line),
      numbers <= limitOf(people, line),
    ]).toEqual([line, month, true, true])
  // the last day is full: more wanted to leave than could
  const last = new Map(
    days.filter(([, day]) => day === '2090-02-01').map(([line, , texts]) => [line, texts]),
  )
  for (const line of ['a1', 'b1', 'c1', 'c2'] as const)
    expect([line, last.get(fixture.idOf(line))]).toEqual([line, daily[line]])
  await expectCounted()
}, 240_000)

test('64 senders on two nodes keep turns even and conversations on their lines when a month ends', async () => {
  await fixture.at(INSTANTS[2]!)
  await fixture.lines(...LINES)
  for (const line of LINES) await fixture.set(line, 'daily_limit = 1000, monthly_recipients = 1000')
  await fixture.receive('b', '+4977000')
  const nodes = [fixture.node(), fixture.sendAll]
  const sticky = new Set<string | null>()
  await inGroupsOf64(240, async (i) => {
    if (i === 120) await fixture.at(INSTANTS[3]!)
    const isSticky = i % 4 === 0
    const [line] = await nodes[i % 2]!({ recipients: [isSticky ? '+4977000' : `+49${10_000 + i}`] })
    if (isSticky) sticky.add(line!)
  })
  expect([...sticky]).toEqual(['b1'])
  const turns = await fixture.rows(
    `select count(*) from sms_messages where "to" <> '+4977000' and message_type = 'outgoing' group by line`,
  )
  expect(turns).toEqual(Array.from({ length: 6 }, () => [30]))
  expect(new Set((await charged(7)).map(([, month]) => month))).toEqual(
    new Set(['2090-01', '2090-02']),
  )
}, 120_000)

test.each([
  ['daily_limit = 2', INSTANTS[0]!, INSTANTS[1]!],
  ['monthly_limit = 2', INSTANTS[2]!, INSTANTS[3]!],
  ['monthly_recipients = 2', INSTANTS[2]!, INSTANTS[3]!],
])(
  'with %s a node whose clock is behind does not restart the counters',
  async (limit, before, after) => {
    await fixture.lines('a1')
    await fixture.set('a1', limit)
    const lines = []
    for (const [i, instant] of [after, before, after].entries()) {
      await fixture.at(instant)
      lines.push(await fixture.send({ recipients: [`+4910000${i}`] }))
    }
    expect(lines).toEqual(['a1', 'a1', null])
  },
)

test("a full day and a full month end at midnight in the account's time zone", async () => {
  await fixture.lines('a1', 'b1')
  await fixture.set('a1', 'daily_limit = 1')
  await fixture.set('b1', 'monthly_limit = 1')
  await fixture.at('2090-01-30T12:00:00+01:00')
  const recipients = ['+4910010', '+4910020', '+4910030', '+4910040']
  expect(await fixture.sendAll({ recipients })).toEqual(['a1', 'b1', null, null])
  await fixture.claim('a')
  await fixture.claim('b')
  const waiting = async (instant: string) => {
    await fixture.at(instant)
    await sweepQueue(fixture.store, 600)
    const rows = await fixture.rows(
      `select line from sms_messages where status = 'assigned' order by line`,
    )
    for (const device of ['a', 'b']) await fixture.claim(device)
    return rows.map(([line]) => String(line).replace(/0+$/, ''))
  }
  expect(await waiting('2090-01-30T23:59:59.999+01:00')).toEqual([])
  expect(await waiting('2090-01-31T00:00:00+01:00')).toEqual(['a1'])
  expect(await waiting('2090-01-31T23:59:59.999+01:00')).toEqual([])
  expect((await waiting('2090-02-01T00:00:00+01:00')).length).toBe(1)
})
