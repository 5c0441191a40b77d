import { sweep } from '../../../src/sms/queue/sweep.ts'
import { zoneOfNumber } from '../../../src/sms/send/send.ts'
import { openLineFixture } from '../../support/database/line-fixture.ts'

const fixture = await openLineFixture()

beforeEach(() => fixture.reset())

// 2026-06-10 is a Wednesday
test.each([
  ['22:00', '08:00', [], 'Europe/Berlin', '2026-06-10T19:59:59Z', null],
  ['22:00', '08:00', [], 'Europe/Berlin', '2026-06-10T20:00:00Z', '2026-06-11 06:00:00.000Z'],
  ['22:00', '08:00', [], 'Europe/Berlin', '2026-06-11T05:59:59Z', '2026-06-11 06:00:00.000Z'],
  ['22:00', '08:00', [], 'Europe/Berlin', '2026-06-11T06:00:00Z', null],
  ['22:00', '08:00', ['wed'], 'Europe/Berlin', '2026-06-11T05:00:00Z', '2026-06-11 06:00:00.000Z'],
  ['22:00', '08:00', ['thu'], 'Europe/Berlin', '2026-06-11T05:00:00Z', null],
  ['12:00', '14:00', [], 'Asia/Tokyo', '2026-06-10T04:30:00Z', '2026-06-10 05:00:00.000Z'],
  ['00:00', '09:00', [], 'UTC', '2026-06-10T00:00:00Z', '2026-06-10 09:00:00.000Z'],
  // the night of the change to winter time has an hour more
  ['22:00', '08:00', [], 'Europe/Berlin', '2026-10-25T06:30:00Z', '2026-10-25 07:00:00.000Z'],
  ['08:00', '08:00', [], 'UTC', '2026-06-10T08:00:00Z', null],
  ['', '08:00', [], 'UTC', '2026-06-10T07:00:00Z', null],
])(
  'quiet hours %s to %s on %j in %s at %s end at the expected time',
  async (from, to, days, zone, at, until) => {
    const sql = 'select pb_text(sms_quiet_until($1, $2, $3, $4, $5))'
    expect(await fixture.rows(sql, [from, to, days, zone, at])).toEqual([[until]])
  },
)

test.each([
  ['+4930123', 'Europe/Berlin'],
  ['+4366410', 'Europe/Vienna'],
  ['+35312345', 'Europe/Dublin'],
  ['+12025550123', ''],
  ['+61212345', ''],
])('the time zone of %s is derived from its country', (number, zone) => {
  expect(zoneOfNumber(number)).toBe(zone)
})

/** It is this time in Berlin, on a day in winter, where quiet hours are from ten to eight. */
async function beQuiet(time = '23:59:59.999') {
  await fixture.at(`2090-01-11T${time}+01:00`)
  await fixture.liveIn('Europe/Berlin', '22:00', '08:00')
}

test.each([
  ["the contact's", '+12025550123', 'Asia/Tokyo', '14:00', null], // 22:00 there
  // 07:00 there, after quiet hours
  ["the contact's, not the number's", '+4930123', 'Asia/Tokyo', '23:00', 'a1'],
  ["the number's, of a contact without", '+4930123', '', '23:00', null],
  ["the account's, of a number without", '+12025550123', '', '23:00', null],
  ["of the account if the contact's is unknown", '+12025550123', 'Nowhere/Land', '23:00', null],
])('quiet hours use the time zone %s', async (_, to, zone, time, line) => {
  await fixture.lines('a1')
  await beQuiet(time)
  if (zone === 'Asia/Tokyo' && line) await fixture.rows(`update user_settings set quiet_to = '06:00'`)
  await fixture.rows(`insert into contacts (id, "user", phone, time_zone) values (pb_new_id(), $1, $2, $3)`, [
    fixture.user,
    to,
    zone,
  ])
  expect(await fixture.send({ recipients: [to], quiet_hours: true })).toBe(line)
})

test('during quiet hours a text with quiet_hours waits and a text without leaves', async () => {
  await fixture.lines('a1')
  await beQuiet()
  expect(await fixture.send({ recipients: ['+4930123'], quiet_hours: true })).toBe(null)
  expect(await fixture.send({ recipients: ['+4930123'] })).toBe('a1')
  expect(await fixture.rows(`select status, waiting_for from sms_messages order by status`)).toEqual([
    ['assigned', ''],
    ['pending', 'quiet_hours'],
  ])
  await sweep(fixture.store, 600)
  expect(await fixture.rows(`select count(*) from sms_messages where status = 'pending'`)).toEqual([[1]])
  await fixture.at('2090-01-12T08:00:00+01:00')
  await sweep(fixture.store, 600)
  expect(await fixture.rows(`select count(*) from sms_messages where status = 'assigned'`)).toEqual([[2]])
})

test('a scheduled text that becomes due in quiet hours waits', async () => {
  await fixture.lines('a1')
  await beQuiet()
  const scheduled_at = new Date(Date.now() + 60_000).toISOString()
  await fixture.sendAll({ recipients: ['+4930123', '+4930124'], quiet_hours: true, scheduled_at })
  await fixture.at('2090-01-12T00:01:00+01:00')
  await sweep(fixture.store, 600)
  expect(await fixture.rows('select distinct status, waiting_for from sms_messages')).toEqual([
    ['pending', 'quiet_hours'],
  ])
  expect(await fixture.rows('select count(*) from sms_dispatch where due_at <= now()')).toEqual([[0]])
})

test('an answer in a conversation never waits for quiet hours', async () => {
  await fixture.lines('a1')
  await beQuiet()
  await fixture.receive('a', '+4930123')
  expect(await fixture.send({ recipients: ['+4930123'], quiet_hours: true })).toBe('a1')
  // it is answered: the next one waits
  expect(await fixture.send({ recipients: ['+4930123'], quiet_hours: true })).toBe(null)
})

test.each([
  ['no line', {}, {}, 5, ''],
  ['no limit', { a1: '' }, {}, 5_000, 'now'],
  ['room today', { a1: 'daily_limit = 5' }, {}, 5, 'now'],
  ['ten days', { a1: 'daily_limit = 400', b1: 'daily_limit = 600' }, {}, 10_000, 9],
  ['people', { a1: 'monthly_recipients = 100' }, {}, 101, 'next month'],
  ['a named line', { a1: 'daily_limit = 10', b1: '' }, { line_id: 'a1' }, 100, 9],
  ['a named device', { a1: 'daily_limit = 10', b1: '' }, { device_id: 'a' }, 100, 9],
  ['a line that is not of the named device', { a1: '', b1: '' }, { line_id: 'a1', device_id: 'b' }, 1, ''],
] as const)(
  'the estimate of when the last text leaves, with %s',
  async (_, lines, named, texts, expected) => {
    await fixture.lines(...Object.keys(lines))
    for (const [line, limits] of Object.entries(lines)) if (limits) await fixture.set(line, limits)
    const ask = `select coalesce(pb_text(sms_last_leaves_at($1, '2026-06-10T10:00:00Z', $2, $3, $4)), '')`
    const days = { '': '', now: '2026-06-10 10:00:00.000Z', 9: '2026-06-19 00:00:00.000Z' }
    const all = { ...days, 'next month': '2026-07-01 00:00:00.000Z' }
    const { device_id = '', line_id = '' } = fixture.named(named) as Record<string, string>
    expect(await fixture.rows(ask, [fixture.user, texts, device_id, line_id])).toEqual([[all[expected]]])
  },
)
