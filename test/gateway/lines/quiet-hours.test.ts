import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import { findTimeZone } from '../../../src/gateway/messages/send/prepare-offer.ts'
import { openLineFixture } from '../../support/database/line-fixture.ts'

const fixture = await openLineFixture()

beforeEach(() => fixture.reset())

async function quietUntil(
  from: string,
  to: string,
  days: readonly string[],
  zone: string,
  at: string,
) {
  const sql = 'select pb_text(sms_quiet_until($1, $2, $3, $4, $5))'
  const [row] = await fixture.rows(sql, [from, to, days, zone, at])
  return row?.[0]
}

// 2026-06-10 is a Wednesday
test.each<[from: string, to: string, days: string[], zone: string, at: string, until: string]>([
  ['22:00', '08:00', [], 'Europe/Berlin', '2026-06-10T20:00:00Z', '2026-06-11 06:00:00.000Z'],
  ['22:00', '08:00', [], 'Europe/Berlin', '2026-06-11T05:59:59Z', '2026-06-11 06:00:00.000Z'],
  ['22:00', '08:00', ['wed'], 'Europe/Berlin', '2026-06-11T05:00:00Z', '2026-06-11 06:00:00.000Z'],
  ['12:00', '14:00', [], 'Asia/Tokyo', '2026-06-10T04:30:00Z', '2026-06-10 05:00:00.000Z'],
  ['00:00', '09:00', [], 'UTC', '2026-06-10T00:00:00Z', '2026-06-10 09:00:00.000Z'],
  // the night of the change to winter time has an hour more
  ['22:00', '08:00', [], 'Europe/Berlin', '2026-10-25T06:30:00Z', '2026-10-25 07:00:00.000Z'],
])(
  'quiet hours %s to %s on %j in %s are active at %s and end at %s',
  async (from, to, days, zone, at, until) => {
    expect(await quietUntil(from, to, days, zone, at)).toBe(until)
  },
)

test.each([
  ['22:00', '08:00', [], 'Europe/Berlin', '2026-06-10T19:59:59Z'],
  ['22:00', '08:00', [], 'Europe/Berlin', '2026-06-11T06:00:00Z'],
  ['22:00', '08:00', ['thu'], 'Europe/Berlin', '2026-06-11T05:00:00Z'],
  ['08:00', '08:00', [], 'UTC', '2026-06-10T08:00:00Z'],
  ['', '08:00', [], 'UTC', '2026-06-10T07:00:00Z'],
] as const)(
  'quiet hours "%s" to "%s" on %j in %s are not active at %s',
  async (from, to, days, zone, at) => {
    expect(await quietUntil(from, to, days, zone, at)).toBeNull()
  },
)

test.each([
  ['+4930123', 'Europe/Berlin'],
  ['+4366410', 'Europe/Vienna'],
  ['+35312345', 'Europe/Dublin'],
  ['+12025550123', ''],
  ['+61212345', ''],
])('the time zone of %s is "%s"', (number, zone) => {
  expect(findTimeZone(number)).toBe(zone)
})

/** It is this time in Berlin, on a day in winter, where quiet hours are from ten to eight. */
async function beQuiet(time = '23:59:59.999') {
  await fixture.at(`2090-01-11T${time}+01:00`)
  await fixture.liveIn('Europe/Berlin', '22:00', '08:00')
}

/** The line of a text to a contact with this time zone, null if it waits. */
async function lineOfContact(to: string, zone: string) {
  await fixture.rows(
    `insert into contacts (id, "user", phone, time_zone) values (pb_new_id(), $1, $2, $3)`,
    [fixture.user, to, zone],
  )
  return fixture.send({ recipients: [to], quiet_hours: true })
}

test.each([
  ['of the contact', '+12025550123', 'Asia/Tokyo', '14:00'], // 22:00 there
  ['of the number if the contact has none', '+4930123', '', '23:00'],
  ['of the account if contact and number have none', '+12025550123', '', '23:00'],
  ["of the account if the contact's is unknown", '+12025550123', 'Nowhere/Land', '23:00'],
])('a text waits for quiet hours in the time zone %s', async (_, to, zone, time) => {
  await fixture.lines('a1')
  await beQuiet(time)
  expect(await lineOfContact(to, zone)).toBeNull()
})

test('a text leaves outside quiet hours in the time zone of the contact, not of the number', async () => {
  await fixture.lines('a1')
  await beQuiet('23:00')
  // 07:00 in Tokyo
  await fixture.rows(`update user_settings set quiet_to = '06:00'`)
  expect(await lineOfContact('+4930123', 'Asia/Tokyo')).toBe('a1')
})

test('during quiet hours a text with quiet_hours waits and a text without leaves', async () => {
  await fixture.lines('a1')
  await beQuiet()
  expect(await fixture.send({ recipients: ['+4930123'], quiet_hours: true })).toBe(null)
  expect(await fixture.send({ recipients: ['+4930123'] })).toBe('a1')
  expect(
    await fixture.rows(`select status, waiting_for from sms_messages order by status`),
  ).toEqual([
    ['assigned', ''],
    ['pending', 'quiet_hours'],
  ])
  await sweepQueue(fixture.store, 600)
  expect(await fixture.rows(`select count(*) from sms_messages where status = 'pending'`)).toEqual([
    [1],
  ])
  await fixture.at('2090-01-12T08:00:00+01:00')
  await sweepQueue(fixture.store, 600)
  expect(await fixture.rows(`select count(*) from sms_messages where status = 'assigned'`)).toEqual(
    [[2]],
  )
})

test('a scheduled text that becomes due in quiet hours waits', async () => {
  await fixture.lines('a1')
  await beQuiet()
  const scheduled_at = new Date(Date.now() + 60_000).toISOString()
  await fixture.sendAll({ recipients: ['+4930123', '+4930124'], quiet_hours: true, scheduled_at })
  await fixture.at('2090-01-12T00:01:00+01:00')
  await sweepQueue(fixture.store, 600)
  expect(await fixture.rows('select distinct status, waiting_for from sms_messages')).toEqual([
    ['pending', 'quiet_hours'],
  ])
  expect(await fixture.rows('select count(*) from sms_dispatch where due_at <= now()')).toEqual([
    [0],
  ])
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
  [
    'a line that is not of the named device',
    { a1: '', b1: '' },
    { line_id: 'a1', device_id: 'b' },
    1,
    '',
  ],
] as const)(
  'the estimate of when the last of $3 texts leaves, with %s, is "$4"',
  async (_, lines, named, texts, expected) => {
    await fixture.lines(...Object.keys(lines))
    for (const [line, limits] of Object.entries(lines)) if (limits) await fixture.set(line, limits)
    const ask = `select coalesce(pb_text(sms_last_leaves_at($1, '2026-06-10T10:00:00Z', $2, $3, $4)), '')`
    const days = { '': '', now: '2026-06-10 10:00:00.000Z', 9: '2026-06-19 00:00:00.000Z' }
    const all = { ...days, 'next month': '2026-07-01 00:00:00.000Z' }
    const { device_id = '', line_id = '' } = fixture.named(named) as Record<string, string>
    expect(await fixture.rows(ask, [fixture.user, texts, device_id, line_id])).toEqual([
      [all[expected]],
    ])
  },
)
