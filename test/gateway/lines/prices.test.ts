import { applyReports } from '../../../src/gateway/messages/queue/apply-reports.ts'
import {
  changeWaitingMessage,
  readChange,
} from '../../../src/gateway/messages/queue/change-waiting-message.ts'
import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import { openLineFixture } from '../../support/database/line-fixture.ts'
import { permitOf } from '../../support/database/permits.ts'

const fixture = await openLineFixture()
const { rows, set, send, claim, lines, at, store } = fixture

beforeEach(async () => {
  await fixture.reset()
  await rows('delete from line_costs')
})

/** The prices and the budget of a line. */
const price = (line: string, prices: object | null, budget = '') =>
  set(line, `prices = '${JSON.stringify(prices)}', monthly_budget = '${budget}'`)
const text = (to: string, more: object = {}) => ({ recipients: [to], ...more })
/** Texts and costs of each line this month. */
const costs = async () =>
  Object.fromEntries(
    (await rows('select line, texts, cost::text from line_costs order by month, line')).map(
      ([line, texts, cost]) => [String(line).replace(/0+$/, ''), [Number(texts), cost]],
    ),
  )
const first = async () =>
  String((await rows('select id from sms_messages order by created, id'))[0]![0])
/** A device claims the first text and reports on it. `meanwhile` happens between. */
async function report(
  device: string,
  status: 'sent' | 'failed',
  more: object = {},
  meanwhile: () => Promise<unknown> = async () => {},
) {
  const [claimed] = await claim(device, 1)
  await meanwhile()
  const known = {
    id: fixture.idOf(device),
    user: fixture.user,
    phone: '',
    enabled: true,
    lastSeen: '',
  }
  const item = { id: claimed!.id, attempt: claimed!.attempt, status, ...more }
  return applyReports(store, { ...known, isLimited: true }, [item], 600)
}

test.each([
  ['+4366012345', 'the longest prefix', '0.11'],
  ['+4312345', 'a shorter prefix', '0.1'],
  ['+4930123', 'no prefix', '0.075'],
])('a text to %s costs the price of %s', async (to, _, cost) => {
  await lines('a1')
  await price('a1', { default: '0.075', '+43': '0.1', '+43660': '0.11' })
  expect(await send(text(to))).toBe('a1')
  expect(await costs()).toEqual({ a1: [1, cost] })
})

test('a text costs the price of each of its segments', async () => {
  await lines('a1')
  await price('a1', { default: '0.075' })
  await send(text('+4930123', { body: 'x'.repeat(400) }))
  expect(await costs()).toEqual({ a1: [1, '0.225'] })
})

test('a line with prices sends only to numbers that have a price', async () => {
  await lines('a1', 'b1')
  await price('a1', { '+43': '0.1' })
  await price('b1', { '+49': '0.1' })
  for (let i = 0; i < 3; i++) expect(await send(text(`+4930123${i}`))).toBe('b1')
  expect(await send(text('+33612345678'))).toBe(null)
  await set('b1', `prices = '{"default":"0.1"}'`)
  await rows('update sms_dispatch set due_at = now()')
  await sweepQueue(store, 600)
  expect(await rows(`select line from sms_messages where "to" like '+33%'`)).toEqual([
    [fixture.idOf('b1')],
  ])
})

test('a line at its budget sends no text until the next month of the time zone', async () => {
  await lines('a1')
  await price('a1', { default: '0.07' }, '0.20')
  await at('2090-01-31T20:00:00Z')
  await fixture.liveIn('Europe/Berlin')
  expect(await fixture.sendAll({ recipients: ['+4930001', '+4930002', '+4930003'] })).toEqual([
    'a1',
    'a1',
    null,
  ])
  await at('2090-01-31T22:59:30Z')
  await sweepQueue(store, 600)
  expect(await claim('a')).toHaveLength(2)
  await at('2090-01-31T23:00:00Z')
  await sweepQueue(store, 600)
  expect(await claim('a')).toHaveLength(3)
  expect(await rows('select month, texts, cost::text from line_costs order by month')).toEqual([
    ['2090-01', 2, '0.14'],
    ['2090-02', 1, '0.07'],
  ])
})

test('texts use another line when a line is at its budget', async () => {
  await lines('a1', 'b1')
  await price('a1', { default: '0.07' }, '0.07')
  const used = await fixture.sendAll({
    recipients: ['+4930001', '+4930002', '+4930003', '+4930004'],
  })
  expect(used.toSorted()).toEqual(['a1', 'b1', 'b1', 'b1'])
})

test('an unclaimed text counts in the month in which it leaves', async () => {
  await lines('a1')
  await price('a1', { default: '0.07' }, '0.07')
  await at('2090-01-31T12:00:00Z')
  await send(text('+4930001'))
  await at('2090-02-01T12:00:00Z')
  expect(await claim('a')).toEqual([])
  await sweepQueue(store, 600)
  await sweepQueue(store, 600)
  expect(await claim('a')).toHaveLength(1)
  expect(await rows('select month, cost::text from line_costs order by month')).toEqual([
    ['2090-01', '0.00'],
    ['2090-02', '0.07'],
  ])
})

test.each<[what: string, end: () => Promise<unknown>]>([
  ['was canceled', async () => fixture.cancel(await first())],
  ['was deleted before a device had it', async () => rows('delete from sms_messages')],
  ['was refused by the carrier', () => report('a', 'failed')],
  [
    'was returned unsent after an opt-out',
    async () => {
      await report('a', 'failed', { not_sent: true }, () =>
        rows(
          `insert into contacts (id, "user", phone, opted_out) values (pb_new_id(), $1, '+4930001', true)`,
          [fixture.user],
        ),
      )
      // the next claim refuses it, and the sweep ends it
      await claim('a')
      await sweepQueue(store, 600)
    },
  ],
])('a text that %s costs nothing, and another text may leave', async (_, end) => {
  await lines('a1')
  await price('a1', { default: '0.07' }, '0.07')
  expect(await send(text('+4930001'))).toBe('a1')
  await end()
  expect(await costs()).toEqual({ a1: [0, '0.00'] })
  expect(await send(text('+4930002'))).toBe('a1')
})

test.each<[what: string, end: () => Promise<unknown>]>([
  [
    'whose delivery failed',
    async () => {
      const [result] = await report('a', 'sent')
      const known = {
        id: fixture.idOf('a'),
        user: fixture.user,
        phone: '',
        enabled: true,
        lastSeen: '',
      }
      const failed = { id: await first(), attempt: result!.attempt, status: 'failed' as const }
      await applyReports(store, { ...known, isLimited: true }, [failed], 600)
    },
  ],
  [
    'whose outcome is unknown',
    async () => {
      await claim('a')
      await rows(`update sms_dispatch set lease_until = now() - interval '1 second'`)
      await sweepQueue(store, 600)
    },
  ],
])('a text %s still costs its price', async (_, end) => {
  await lines('a1')
  await price('a1', { default: '0.07' }, '0.07')
  await send(text('+4930001'))
  await end()
  expect(await rows('select status from sms_messages')).toEqual([['failed']])
  expect(await costs()).toEqual({ a1: [1, '0.07'] })
})

test('a text that goes out twice by the same line costs twice, within the budget', async () => {
  await lines('a1')
  await price('a1', { default: '0.07' }, '0.15')
  await send(text('+4930001', { guarantee: 'at_least_once' }))
  for (const attempts of [1, 2]) {
    expect(await claim('a')).toMatchObject([{ attempt: attempts }])
    await rows(`update sms_dispatch set lease_until = now() - interval '1 second'`)
    for (let i = 0; i < 2; i++) await sweepQueue(store, 600)
    await rows('update sms_dispatch set due_at = least(due_at, now())')
  }
  expect(await claim('a')).toEqual([])
  expect(await costs()).toEqual({ a1: [2, '0.14'] })
  expect(await rows('select status, waiting_for from sms_messages')).toEqual([['pending', 'room']])
})

test('unclaimed texts are charged again by new prices', async () => {
  await lines('a1')
  await send(text('+4930001'))
  await price('a1', { default: '0.07' }, '0.30')
  expect(await claim('a')).toEqual([])
  await sweepQueue(store, 600)
  expect(await costs()).toEqual({ a1: [1, '0.07'] })
  await send(text('+4930002', { line_id: fixture.idOf('a1') }))
  await price('a1', { default: '0.2' }, '0.30')
  await sweepQueue(store, 600)
  expect(await costs()).toEqual({ a1: [1, '0.20'] })
  await price('a1', { default: '0.2' }, '0.40')
  for (let i = 0; i < 2; i++) await sweepQueue(store, 600)
  expect(await costs()).toEqual({ a1: [2, '0.40'] })
  expect(await claim('a')).toHaveLength(2)
})

test('a changed waiting message costs the price of the text that leaves', async () => {
  await lines('a1')
  await price('a1', { default: '0.07' })
  await send(text('+4930001', { scheduled_at: '2099-01-01T00:00:00Z' }))
  const change = readChange({ body: 'x'.repeat(200), scheduled_at: '' }, new Date())
  await changeWaitingMessage(store, permitOf(fixture.user, 'change'), await first(), change)
  await sweepQueue(store, 600)
  expect(await costs()).toEqual({ a1: [1, '0.14'] })
})

test('the owner gets one mail a month when a budget is used up, and another after it was raised', async () => {
  await lines('a1')
  await fixture.liveIn('Europe/Berlin')
  await rows(`update user_settings set currency = 'EUR'`)
  await set('a1', `label = 'Twilio'`)
  await price('a1', { default: '0.07' }, '0.07')
  const mails = () => rows(`select holder, payload::text from _jobs where kind = 'alarm_mail'`)
  await send(text('+4930001'))
  expect(await mails()).toEqual([])
  await send(text('+4930002'))
  await send(text('+4930003'))
  const [[holder, payload], ...more] = (await mails()) as [unknown[], ...unknown[][]]
  expect([holder, JSON.parse(String(payload)), more]).toEqual([
    fixture.user,
    [{ name: 'Twilio', budget: '0.07 EUR', waiting: 0 }],
    [],
  ])
  await price('a1', { default: '0.07' }, '0.14')
  for (let i = 0; i < 2; i++) await sweepQueue(store, 600)
  expect(await mails()).toHaveLength(2)
})

test('two servers never exceed a budget by a cent while texts are canceled, refused and sent', async () => {
  await lines('a1', 'b1')
  await price('a1', { default: '0.07', '+43': '0.11' }, '5.00')
  await price('b1', { default: '0.03', '+43': '0.05' }, '2.50')
  const nodes = [fixture.sendAll, fixture.node()]
  const overspent = `select c.line from line_costs c join lines l on l.id = c.line where c.cost > l.monthly_budget::numeric`
  const work = async (i: number) => {
    const body = 'x'.repeat(1 + (i % 3) * 160)
    await nodes[i % 2]!({ recipients: [`+${i % 4 ? '49' : '43'}${10_000 + i}`], body })
    if (i % 9 === 4) await report(i % 2 ? 'a' : 'b', i % 2 ? 'failed' : 'sent').catch(() => {})
    if (i % 7 === 3) {
      const found = `select message from sms_dispatch where state = 'assigned' order by random() limit 1`
      for (const [id] of await rows(found)) await fixture.cancel(String(id)).catch(() => {})
    }
    if (i % 10 === 5) await sweepQueue(fixture.stores[i % 4 ? 0 : 1], 600)
    expect(await rows(overspent)).toEqual([])
  }
  for (let i = 0; i < 160; i += 8)
    await Promise.all(Array.from({ length: 8 }, (_, n) => work(i + n)))
  for (let i = 0; i < 3; i++) await sweepQueue(store, 600)
  // the rest is too small for another text, and the counters are the sum of the texts that left or wait
  const sums = await rows(
    `select c.line, c.texts, c.cost::float8, count(m.id), sum(sms_price(l.prices, m."to", m.segments::numeric))::float8
    from line_costs c join lines l on l.id = c.line
    left join sms_messages m on m.line = c.line and m.status in ('assigned', 'sending', 'sent')
    group by 1, 2, 3 order by 1`,
  )
  expect(sums).toHaveLength(2)
  for (const [, texts, cost, messages, sum] of sums) expect([texts, cost]).toEqual([messages, sum])
  expect(Number(sums[0]![2])).toBeGreaterThan(5 - 0.33)
  expect(Number(sums[1]![2])).toBeGreaterThan(2.5 - 0.15)
})
