import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import { openLineFixture } from '../../support/database/line-fixture.ts'
import { inGroupsOf64 } from '../../support/database/send-fixture.ts'

const fixture = await openLineFixture({ SMS_MAX_RECIPIENTS: '10000' })
const { rows, set, store } = fixture

beforeEach(() => fixture.reset())

const LINES = ['a1', 'a2', 'b1', 'c1', 'c2', 'd1']
const inQueue = `join sms_dispatch d on d.message = m.id where d.state = 'assigned'`

test('lines keep their limits exactly while lines are edited and disabled and texts are canceled', async () => {
  await fixture.lines(...LINES)
  for (const line of LINES) await set(line, 'daily_limit = 20')
  const nodes = [fixture.node(), fixture.node()]
  await inGroupsOf64(200, async (i) => {
    if (i % 10 === 3) {
      const line = LINES[i % 6]!
      await set(line, 'enabled = not enabled')
      await set(line, 'enabled = true')
    }
    if (i % 10 === 7) await sweepQueue(store, 600)
    const [[id] = []] =
      i % 5 === 1
        ? await rows(
            `select message from sms_dispatch where state = 'assigned' order by random() limit 1`,
          )
        : []
    if (id) await fixture.cancel(String(id)).catch(() => {})
    await nodes[i % 2]!({ recipients: [`+49${10_000 + i}`] })
  })
  for (let i = 0; i < 3; i++) await sweepQueue(store, 600)
  const counts = await rows(
    `select u.day_texts, (select count(*) from sms_dispatch d where d.line = u.line and d.state = 'assigned') from line_use u`,
  )
  expect(counts).toHaveLength(6)
  for (const [used, queued] of counts) expect([used, queued]).toEqual([20, 20])
})

test('1,000 texts over lines with room for 100 a day leave in ten days, by priority, each once', async () => {
  await fixture.lines('a1', 'b1')
  await set('a1', 'daily_limit = 40')
  await set('b1', 'daily_limit = 60')
  const to = (from: number) => Array.from({ length: 500 }, (_, i) => `+49${10_000 + from + i}`)
  await fixture.sendAll({ recipients: to(10_000) })
  await fixture.sendAll({ recipients: to(20_000), priority: 1 })
  const days: number[] = []
  for (let day = 1; day <= 10; day++) {
    const left = await rows(
      `select m.priority, count(*) from sms_messages m ${inQueue} group by 1 order by 1`,
    )
    days.push(left.reduce((sum, [, n]) => sum + Number(n), 0))
    // the first 100 were accepted before the others
    if (day > 1 && day <= 6) expect(left).toEqual([[1, 100]])
    // what has left is no longer in the queue
    await rows(`update sms_messages set status = 'sending' where status = 'assigned'`)
    await rows(`update sms_dispatch set state = 'sending' where state = 'assigned'`)
    await rows(`delete from sms_dispatch where state = 'sending'`)
    await fixture.nextDay()
    for (let tick = 0; tick < 6; tick++) await sweepQueue(store, 600)
  }
  expect(days).toEqual(Array.from({ length: 10 }, () => 100))
  expect(await rows('select count(*) from sms_dispatch')).toEqual([[0]])
  expect(await rows('select count(distinct "to"), count(*) from sms_messages')).toEqual([
    [1_000, 1_000],
  ])
}, 240_000)
