import { deleteRecords } from '../../../src/engine/records/cascade.ts'
import { countLinesByLimit, listLineWarnings } from '../../../src/gateway/lines/lines-near-limit.ts'
import {
  changeWaitingMessage,
  readChange,
} from '../../../src/gateway/messages/queue/change-waiting-message.ts'
import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import { collectExtensions } from '../../../src/main/features.ts'
import { openLineFixture } from '../../support/database/line-fixture.ts'
import { permitOf } from '../../support/database/permits.ts'
import { startServerWithDevices } from '../../support/server/server-with-devices.ts'

const fixture = await openLineFixture()
const { rows, set, send, sendAll, claim, lines, at, cancel } = fixture

beforeEach(() => fixture.reset())

const text = (to: string, more: object = {}) => ({ recipients: [to], ...more })
const many = (count: number) => Array.from({ length: count }, (_, i) => `+49${10_000 + i}`)
const idOf = async (to: string) =>
  String((await rows('select id from sms_messages where "to" = $1', [to]))[0]![0])
const states = () =>
  rows(`select "to", status, waiting_for, "from" from sms_messages order by created, "to"`)
const liveIn = (zone: string) => fixture.liveIn(zone, '22:00', '08:00')

test('texts that no device has claimed when quiet hours begin wait until they end', async () => {
  await lines('a1')
  await at('2090-01-11T21:59:00+01:00')
  await liveIn('Europe/Berlin')
  // the last one's contact lives where it is morning, after quiet hours
  await rows(
    `insert into contacts (id, "user", phone, time_zone) values (pb_new_id(), $1, '+4930125', 'Asia/Tokyo')`,
    [fixture.user],
  )
  const asked = await sendAll({
    recipients: ['+4930123', '+12025550123', '+4930125'],
    quiet_hours: true,
  })
  expect(asked).toEqual(['a1', 'a1', null]) // 05:59 in Tokyo
  expect(await send(text('+4930124'))).toBe('a1')
  await at('2090-01-12T00:30:00+01:00')
  const claimed = await claim('a')
  expect(claimed.map(({ to }) => to)).toEqual(['+4930124'])
  await sweepQueue(fixture.store, 600)
  expect(await states()).toEqual([
    ['+12025550123', 'pending', 'quiet_hours', ''],
    ['+4930123', 'pending', 'quiet_hours', ''],
    ['+4930124', 'sending', '', ''],
    ['+4930125', 'assigned', '', ''],
  ])
  await at('2090-01-12T08:00:00+01:00')
  await sweepQueue(fixture.store, 600)
  expect((await claim('a')).map(({ to }) => to).sort()).toEqual([
    '+12025550123',
    '+4930123',
    '+4930125',
  ])
})

test('each place freed on a line is given to a waiting text', async () => {
  await lines('a1')
  await set('a1', 'monthly_limit = 3')
  await sendAll({ recipients: many(7) })
  for (const to of many(3)) await cancel(await idOf(to))
  await sweepQueue(fixture.store, 600)
  expect(await rows(`select count(*) from sms_messages where status = 'assigned'`)).toEqual([[3]])
})

test('a waiting text that cannot use the free line does not block other texts', async () => {
  await lines('a1', 'b1')
  await set('a1', 'daily_limit = 1')
  await set('b1', 'daily_limit = 1')
  await sendAll({ recipients: ['+4911000', '+4912000'] })
  await send(text('+4913000', fixture.named({ line_id: 'b1', priority: 9 })))
  await send(text('+4914000'))
  await cancel(await idOf('+4911000'))
  await sweepQueue(fixture.store, 600)
  expect(
    await rows(`select "to", line from sms_messages where status = 'assigned' order by 1`),
  ).toEqual([
    ['+4912000', fixture.idOf('b1')],
    ['+4914000', fixture.idOf('a1')],
  ])
})

test('a text to a recipient already counted may use room that new recipients may not', async () => {
  await lines('a1')
  await set('a1', 'monthly_recipients = 1, daily_limit = 2')
  await sendAll({ recipients: ['+4911000'] })
  await send(text('+4911000', { priority: 1 }))
  await send(text('+4912000', { priority: 9 }))
  await send(text('+4911000', { priority: 2 }))
  const waiting = `select "to" from sms_messages where status = 'pending' order by "to"`
  expect(await rows(waiting)).toEqual([['+4911000'], ['+4912000']])
  const [[first]] = (await rows(`select min(id) from sms_messages where status = 'assigned'`)) as [
    [string],
  ]
  await cancel(first)
  await sweepQueue(fixture.store, 600)
  expect(await rows(waiting)).toEqual([['+4912000']])
})

test('a disabled line sends no text until it is enabled, not even one that names it', async () => {
  await lines('a1', 'a2')
  await send(text('+4911000', fixture.named({ line_id: 'a1' })))
  await set('a1', 'enabled = false')
  expect(await claim('a')).toEqual([])
  await sweepQueue(fixture.store, 600)
  expect(await states()).toEqual([['+4911000', 'pending', 'room', '']])
  await set('a1', 'enabled = true')
  await sweepQueue(fixture.store, 600)
  expect((await claim('a')).map(({ sim }) => sim)).toEqual([1])
})

test('a text that waits for room and is then scheduled waits for its time', async () => {
  await lines('a1')
  await set('a1', 'daily_limit = 1')
  await sendAll({ recipients: ['+4911000', '+4912000'] })
  const id = await idOf('+4912000')
  const { store, user } = fixture
  await changeWaitingMessage(
    store,
    permitOf(user, 'change'),
    id,
    readChange({ priority: 3 }, new Date()),
  )
  const stored = `select waiting_for, scheduled_at from sms_messages where id = $1`
  expect(await rows(stored, [id])).toEqual([['room', '']])
  const later = { scheduled_at: '2091-01-01T00:00:00Z' }
  await changeWaitingMessage(store, permitOf(user, 'change'), id, readChange(later, new Date()))
  await set('a1', 'daily_limit = 5')
  await sweepQueue(fixture.store, 600)
  expect(await rows(stored, [id])).toEqual([['', '2091-01-01 00:00:00.000Z']])
  expect(await rows('select status from sms_messages where id = $1', [id])).toEqual([['pending']])
})

test('deleting a text before a device claims it frees its recipient on the line', async () => {
  await rows(`select sms_count_all()`) // as a server does at its start
  await lines('a1')
  await set('a1', 'monthly_recipients = 1')
  await send(text('+4911000'))
  expect(await send(text('+4912000'))).toBe(null)
  const { db, catalog } = fixture.store
  const id = await idOf('+4911000')
  await db.transaction((tx) =>
    deleteRecords(
      { db: tx, catalog },
      collectExtensions({ webhookAllowPrivate: false }),
      catalog.find('sms_messages')!,
      [id],
    ),
  )
  expect(await rows('select * from line_recipients')).toEqual([])
  await sweepQueue(fixture.store, 600)
  expect(await states()).toEqual([['+4912000', 'assigned', '', '']])
})

test('changing the time zone and back gives a line no new day', async () => {
  await lines('a1')
  await set('a1', 'daily_limit = 2, monthly_recipients = 3')
  await at('2090-01-31T20:00:00Z')
  expect(await sendAll({ recipients: many(3) })).toEqual(['a1', 'a1', null])
  const moveTo = (zone: string) => rows('update user_settings set time_zone = $1', [zone])
  await liveIn('Pacific/Kiritimati')
  // the day after has begun, and the month: their room is used up once
  expect(await sendAll({ recipients: ['+4917000', '+4918000', '+4919000'] })).toEqual([
    'a1',
    'a1',
    null,
  ])
  for (const zone of ['Etc/GMT+12', 'Pacific/Kiritimati', 'UTC']) {
    await moveTo(zone)
    expect(await send(text(`+4920000`))).toBe(null)
  }
  await at('2090-02-01T01:00:00Z')
  expect(await send(text('+4921000'))).toBe(null)
  await at('2090-02-02T01:00:00Z')
  await rows('delete from sms_messages')
  await rows('delete from sms_dispatch')
  expect(await sendAll({ recipients: ['+4917000', '+4922000'] })).toEqual(['a1', 'a1'])
})

test('when a line is deleted, texts that name it fail and others use another line', async () => {
  await lines('a1', 'b1')
  await send(text('+4911000', { line_id: fixture.idOf('a1') }))
  await send(text('+4912000', { device_id: fixture.idOf('a') }))
  await set('a1', 'present = false')
  await rows('delete from lines where id = $1', [fixture.idOf('a1')])
  expect(await claim('a')).toEqual([])
  await sweepQueue(fixture.store, 600)
  const [named, other] = await rows('select status, error_message from sms_messages order by "to"')
  expect(named).toEqual(['failed', 'The line of this message was deleted'])
  expect(other).toEqual(['pending', ''])
})

test('a day that moves back by a change of time zone stops no text', async () => {
  await lines('a1')
  await set('a1', 'daily_limit = 5')
  await at('2090-01-11T03:00:00Z')
  await send(text('+4911000'))
  await liveIn('America/Los_Angeles')
  expect((await claim('a')).length).toBe(1)
})

test('a line that went silent with a claimed text gets no room back, since it may have sent it', async () => {
  await lines('a1', 'b1')
  await set('a1', 'daily_limit = 1')
  await set('b1', 'daily_limit = 1')
  await send(text('+4911000', { guarantee: 'at_least_once' }))
  await claim('a')
  await rows(`update sms_dispatch set lease_until = now() - interval '1 second'`)
  await sweepQueue(fixture.store, 600)
  expect(await rows('select line from sms_messages')).toEqual([[fixture.idOf('b1')]])
  expect((await fixture.use()).counts).toEqual({ a1: [1, 1], b1: [1, 1] })
})

// that of the other user
await rows(`update devices set enabled = false`)

/** Sets a limit and what was used of it, today and this month unless `when` says otherwise. */
async function use(line: string, limit: string, used: string, when = 'now()') {
  await set(line, `${limit} = 100`)
  await rows(
    `insert into line_use (line, day, month, day_texts, month_texts, recipients)
    values ($1, to_char((${when}) at time zone 'UTC', 'YYYY-MM-DD'), to_char((${when}) at time zone 'UTC', 'YYYY-MM'), 0, 0, 0)
    on conflict (line) do update set day = excluded.day, month = excluded.month`,
    [fixture.idOf(line)],
  )
  await rows(`update line_use set ${used} where line = $1`, [fixture.idOf(line)])
}

test.each([
  ['no limit', '', '', 'free'],
  ['89 of 100 a day', 'daily_limit', 'day_texts = 89', 'free'],
  ['90 of 100 a day', 'daily_limit', 'day_texts = 90', 'near'],
  ['100 of 100 a day', 'daily_limit', 'day_texts = 100', 'full'],
  ['99 of 100 a month', 'monthly_limit', 'month_texts = 99', 'near'],
  ['more than the limit, which was lowered', 'monthly_limit', 'month_texts = 150', 'full'],
  ['95 recipients of 100', 'monthly_recipients', 'recipients = 95', 'near'],
  ['100 recipients of 100', 'monthly_recipients', 'recipients = 100', 'full'],
] as const)('the metric of lines counts a line with %s as "$3"', async (_, limit, used, state) => {
  await lines('a1')
  if (limit) await use('a1', limit, used)
  expect(await countLinesByLimit(fixture.store)).toEqual({ free: 0, near: 0, full: 0, [state]: 1 })
})

test.each([
  ['daily_limit', 'day_texts = 100', `now() - interval '1 day'`],
  ['monthly_limit', 'month_texts = 100', `now() - interval '32 days'`],
  ['monthly_recipients', 'recipients = 100', `now() - interval '32 days'`],
])('%s use of an earlier day or month is not counted', async (limit, used, when) => {
  await lines('a1')
  await use('a1', limit, used, when)
  expect(await countLinesByLimit(fixture.store)).toEqual({ free: 1, near: 0, full: 0 })
})

test('lines that cannot send are not counted', async () => {
  await lines('a1', 'a2', 'b1')
  for (const line of ['a1', 'a2', 'b1']) await use(line, 'daily_limit', 'day_texts = 100')
  await set('a1', 'enabled = false')
  await set('a2', 'present = false')
  await rows(`update devices set enabled = false where id like 'b0%'`)
  expect(await countLinesByLimit(fixture.store)).toEqual({ free: 0, near: 0, full: 0 })
  expect(await listLineWarnings(fixture.store)).toEqual({})
})

test('warnings name accounts and lines, and shorten a long list', async () => {
  await lines('a1', 'a2', ...'bcdefghijklm'.split('').map((device) => `${device}1`))
  await use('a1', 'daily_limit', 'day_texts = 100')
  await set('a1', `label = 'Shop'`)
  await rows(`update devices set name = left(id, 1) where "user" = $1`, [fixture.user])
  for (const device of 'bcdefghijklm') await use(`${device}1`, 'monthly_limit', 'month_texts = 95')
  expect(await listLineWarnings(fixture.store)).toEqual({
    full: 'Lines that have reached a limit, so that texts may wait (1): line@example.com (Shop).',
    near: 'Lines that have used 90 % of a limit (12): line@example.com (b SIM 1, c SIM 1, d SIM 1, e SIM 1, f SIM 1, g SIM 1, h SIM 1, i SIM 1, j SIM 1, k SIM 1 and 2 more).',
  })
})

test('superusers read full lines at /api/warnings, and Prometheus counts them', async () => {
  const server = await startServerWithDevices()
  const user = await server.makeUser()
  await server.pair(user, { sims: [{ slot: 1 }, { slot: 2 }] })
  await server.server.services.store.db.script(`
    update lines set daily_limit = 100 where slot = 1;
    update line_use set day_texts = 100`)
  const { body } = await server.superuser.call('GET', '/api/warnings')
  expect(body.map(({ code }: { code: string }) => code)).toContain('lines_full')
  expect((await user.call('GET', '/api/warnings')).status).toBe(403)
  const metrics = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${server.superuser.token}` },
  })
  const counts = (await metrics.text()).matchAll(/^pocketsms_lines\{state="(\w+)"\} (\d+)/gm)
  expect(Object.fromEntries([...counts].map(([, state, count]) => [state, Number(count)]))).toEqual(
    {
      free: 1,
      near: 0,
      full: 1,
    },
  )
})
