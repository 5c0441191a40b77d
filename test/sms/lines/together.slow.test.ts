import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sweep } from '../../../src/sms/sweep/sweep.ts'
import { type LineFixture, openLineFixture } from '../../support/database/line-fixture.ts'
import { inGroupsOf64 } from '../../support/database/send-fixture.ts'

let fixture: LineFixture
beforeAll(async () => {
  fixture = await openLineFixture({ SMS_MAX_RECIPIENTS: '10000' })
})
afterAll(() => fixture.stop())
beforeEach(() => fixture.reset())

const LINES = ['a1', 'a2', 'b1', 'c1', 'c2', 'd1']
const spread = (numbers: readonly number[]) => Math.max(...numbers) - Math.min(...numbers)
const inQueue = `join sms_dispatch d on d.message = m.id where d.state = 'assigned'`

test('64 senders on two nodes: each limit is exact, and nothing is lost', async () => {
  await fixture.lines(...LINES)
  const limits = { a1: 10, a2: 25, b1: 40, c1: 15, c2: 30, d1: 20 }
  for (const [line, limit] of Object.entries(limits)) await fixture.set(line, `daily_limit = ${limit}`)
  await fixture.set('a2', 'monthly_recipients = 7')
  await fixture.set('d1', 'monthly_recipients = 3')
  const nodes = [fixture.node(), fixture.node()]
  await inGroupsOf64(300, async (i) => {
    await nodes[i % 2]!({ recipients: [`+49${1_000 + (i % 40)}`] })
  })
  const used = new Map(
    (await fixture.rows(
      `select m.line, count(*), count(distinct m."to") from sms_messages m ${inQueue} group by 1`,
    )) as unknown as [string, number, number][] as never,
  ) as unknown as Map<string, number>
  for (const [line, limit] of Object.entries(limits))
    if (line !== 'a2' && line !== 'd1') expect([line, used.get(fixture.idOf(line))]).toEqual([line, limit])
  const people = await fixture.rows(
    `select m.line, count(distinct m."to") from sms_messages m ${inQueue} and m.line = any($1) group by 1 order by 1`,
    [[fixture.idOf('a2'), fixture.idOf('d1')]],
  )
  expect(people).toEqual([
    [fixture.idOf('a2'), 7],
    [fixture.idOf('d1'), 3],
  ])
  expect(await fixture.rows('select count(*) from sms_messages')).toEqual([[300]])
  expect(
    await fixture.rows(
      `select count(*) from line_use u where u.day_texts <> (select count(*) from sms_dispatch d where d.line = u.line and d.charged <> '')`,
    ),
  ).toEqual([[0]])
})

test('64 senders on two nodes: turns within one, conversations keep their lines', async () => {
  await fixture.lines(...LINES)
  await fixture.receive('b', '+4977')
  const nodes = [fixture.node(), fixture.node()]
  const sticky = new Set<string | null>()
  await inGroupsOf64(240, async (i) => {
    const isSticky = i % 4 === 0
    const [line] = await nodes[i % 2]!({ recipients: [isSticky ? '+4977' : `+49${1_000 + i}`] })
    if (isSticky) sticky.add(line!)
  })
  expect([...sticky]).toEqual(['b1'])
  const turns = await fixture.rows(
    `select count(*) from sms_messages where "to" <> '+4977' and message_type = 'outgoing' group by line`,
  )
  expect(turns).toHaveLength(6)
  expect(spread(turns.map(([n]) => Number(n)))).toBeLessThanOrEqual(1)
})

test('lines are edited, disabled and canceled meanwhile: never one text over', async () => {
  await fixture.lines(...LINES)
  for (const line of LINES) await fixture.set(line, 'daily_limit = 20')
  const nodes = [fixture.node(), fixture.node()]
  await inGroupsOf64(200, async (i) => {
    if (i % 10 === 3) {
      const line = LINES[i % 6]!
      await fixture.set(line, 'enabled = not enabled')
      await fixture.set(line, 'enabled = true')
    }
    if (i % 10 === 7) await sweep(fixture.store, 600)
    const [[id] = []] =
      i % 5 === 1
        ? await fixture.rows(
            `select message from sms_dispatch where state = 'assigned' order by random() limit 1`,
          )
        : []
    if (id) await fixture.cancel(String(id)).catch(() => {})
    await nodes[i % 2]!({ recipients: [`+49${1_000 + i}`] })
  })
  for (let i = 0; i < 3; i++) await sweep(fixture.store, 600)
  const counts = await fixture.rows(
    `select u.day_texts, (select count(*) from sms_dispatch d where d.line = u.line and d.state = 'assigned') from line_use u`,
  )
  expect(counts).toHaveLength(6)
  for (const [used, queued] of counts) expect([used, queued]).toEqual([20, 20])
})

test('10,000 texts over lines with room for 1,000 a day leave in ten days, by priority, each once', async () => {
  await fixture.lines('a1', 'b1')
  await fixture.set('a1', 'daily_limit = 400')
  await fixture.set('b1', 'daily_limit = 600')
  const to = (from: number) => Array.from({ length: 5_000 }, (_, i) => `+49${from + i}`)
  await fixture.sendAll({ recipients: to(10_000) })
  await fixture.sendAll({ recipients: to(20_000), priority: 1 })
  const days: number[] = []
  for (let day = 1; day <= 10; day++) {
    const left = await fixture.rows(
      `select m.priority, count(*) from sms_messages m ${inQueue} group by 1 order by 1`,
    )
    days.push(left.reduce((sum, [, n]) => sum + Number(n), 0))
    // the first thousand was accepted before the others
    if (day > 1 && day <= 6) expect(left).toEqual([[1, 1_000]])
    // what has left is no longer in the queue
    await fixture.rows(`update sms_messages set status = 'sending' where status = 'assigned'`)
    await fixture.rows(`update sms_dispatch set state = 'sending' where state = 'assigned'`)
    await fixture.rows(`delete from sms_dispatch where state = 'sending'`)
    await fixture.nextDay()
    for (let tick = 0; tick < 12; tick++) await sweep(fixture.store, 600)
  }
  expect(days).toEqual(Array.from({ length: 10 }, () => 1_000))
  expect(await fixture.rows('select count(*) from sms_dispatch')).toEqual([[0]])
  expect(await fixture.rows('select count(distinct "to"), count(*) from sms_messages')).toEqual([
    [10_000, 10_000],
  ])
}, 240_000)
