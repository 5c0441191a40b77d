import { formatDate } from '../../../src/engine/fields/parse-date.ts'
import {
  computeReminderExpiry,
  findDateWindow,
  findNextLook,
  findOccurrence,
  findTimeFault,
  openCalendar,
  writeLocalDate,
} from '../../../src/gateway/campaigns/reminder-times.ts'

const at = (iso: string) => Date.parse(iso)
const iso = (ms: number | undefined) => (ms === undefined ? 'none' : new Date(ms).toISOString())
const days = (count: number, time = '') => ({ offset: { days: count, at: time } })
const hours = (count: number) => ({ offset: { hours: count } })
const [TIMED, WHOLE] = [
  { yearly: false, has_time: true },
  { yearly: false, has_time: false },
]
const YEARLY = { yearly: true, has_time: false }

// In Berlin, clocks are put forward on 28 March 2027 at 02:00 and back on 31 October at 03:00.
test.each([
  [
    '1 day before at 18:00',
    'Europe/Berlin',
    { ...days(1, '18:00'), ...TIMED },
    '2027-03-29 08:00:00.000Z',
    '2027-03-28T16:00:00.000Z',
  ],
  [
    '1 day before at 18:00 over the night',
    'Europe/Berlin',
    { ...days(1, '18:00'), ...TIMED },
    '2027-03-28 08:00:00.000Z',
    '2027-03-27T17:00:00.000Z',
  ],
  [
    '1 day before in winter again',
    'Europe/Berlin',
    { ...days(1, '18:00'), ...TIMED },
    '2027-10-31 09:00:00.000Z',
    '2027-10-30T16:00:00.000Z',
  ],
  [
    '1 day before at the same time',
    'Europe/Berlin',
    { ...days(1), ...TIMED },
    '2027-03-28 08:00:00.000Z',
    '2027-03-27T09:00:00.000Z',
  ],
  [
    '24 hours before',
    'Europe/Berlin',
    { ...hours(24), ...TIMED },
    '2027-03-28 08:00:00.000Z',
    '2027-03-27T08:00:00.000Z',
  ],
  [
    '2 hours before',
    'Europe/Berlin',
    { ...hours(2), ...TIMED },
    '2027-03-28 02:30:00.000Z',
    '2027-03-28T00:30:00.000Z',
  ],
  [
    'a time that clocks leave out',
    'Europe/Berlin',
    { ...days(1, '02:30'), ...TIMED },
    '2027-03-29 08:00:00.000Z',
    '2027-03-28T01:00:00.000Z',
  ],
  [
    'the first of a time that comes twice',
    'Europe/Berlin',
    { ...days(0, '02:30'), ...TIMED },
    '2027-10-31 09:00:00.000Z',
    '2027-10-31T00:30:00.000Z',
  ],
  [
    'a year that ends',
    'Europe/Berlin',
    { ...days(1, '18:00'), ...TIMED },
    '2027-01-01 09:00:00.000Z',
    '2026-12-31T17:00:00.000Z',
  ],
  [
    'a date late in the evening abroad',
    'America/New_York',
    { ...days(1, '18:00'), ...TIMED },
    '2027-01-06 01:00:00.000Z',
    '2027-01-04T23:00:00.000Z',
  ],
  [
    'a date at midnight in UTC that is 19:00 abroad',
    'America/New_York',
    { ...hours(2), ...TIMED },
    '2027-01-06 00:00:00.000Z',
    '2027-01-05T22:00:00.000Z',
  ],
  [
    'a date at midnight in UTC',
    'Europe/Berlin',
    { ...hours(2), ...TIMED },
    '2027-01-06 00:00:00.000Z',
    '2027-01-05T22:00:00.000Z',
  ],
  [
    'a day abroad',
    'America/New_York',
    { ...days(1, '18:00'), ...WHOLE },
    '2027-01-06 00:00:00.000Z',
    '2027-01-05T23:00:00.000Z',
  ],
  [
    'a day of a contact',
    'Pacific/Auckland',
    { ...days(2, '09:00'), ...WHOLE },
    '2027-01-06',
    '2027-01-03T20:00:00.000Z',
  ],
  [
    'the day after one that Samoa left out',
    'Pacific/Apia',
    { ...days(1, '09:00'), ...WHOLE },
    '2011-12-31',
    '2011-12-30T19:00:00.000Z',
  ],
])('a reminder is due at the right instant: %s', (_, zone, rule, date, expected) => {
  expect(iso(findOccurrence(rule, openCalendar(zone), date, 0)!.due)).toBe(expected)
})

test.each([
  ['1990-05-03', '2027-05-01T12:00Z', '2027-05-03', '2027-05-03'],
  ['1990-05-03', '2027-05-04T12:00Z', '2028-05-03', '2028-05-03'],
  ['1990-12-31', '2027-01-01T12:00Z', '2027-12-31', '2027-12-31'],
  ['1990-01-01', '2026-12-31T12:00Z', '2027-01-01', '2027-01-01'],
  ['1992-02-29', '2027-01-01T12:00Z', '2027-02-28', '2027-02-29'],
  ['1992-02-29', '2027-03-01T12:00Z', '2028-02-29', '2028-02-29'],
  ['1992-02-29', '2100-01-01T12:00Z', '2100-02-28', '2100-02-29'],
  ['2030-05-03', '2027-01-01T12:00Z', '2030-05-03', '2030-05-03'],
])('the day %s, seen from %s, comes again on %s', (date, since, day, key) => {
  const rule = { ...days(0, '09:00'), ...YEARLY }
  const found = findOccurrence(rule, openCalendar('UTC'), date, at(since))!
  expect([iso(found.due), found.key]).toEqual([`${day}T09:00:00.000Z`, key])
})

test.each(['', 'soon', '2027-02-30', '2027-13-01 08:00:00.000Z'])(
  'a text that is no date has no reminder: "%s"',
  (date) => {
    expect(findOccurrence({ ...days(1, '18:00'), ...WHOLE }, openCalendar('UTC'), date, 0)).toBe(
      undefined,
    )
  },
)

const DATE = '2027-01-06 10:00:00.000Z'
test.each([
  ['2027-01-05T10:00:00Z', ''],
  ['2027-01-06T09:59:59Z', ''],
  ['2027-01-06T10:00:00Z', 'The date has passed'],
])('a reminder of 24 hours leaves at %s only before the date: "%s"', (now, fault) => {
  const found = findOccurrence({ ...hours(24), ...TIMED }, openCalendar('UTC'), DATE, 0)!
  expect(findTimeFault(found, at(now), 0)).toBe(fault)
})

test('a reminder that is 24 hours late does not leave, and its text expires then', () => {
  const found = findOccurrence({ ...hours(72), ...TIMED }, openCalendar('UTC'), DATE, 0)!
  expect(findTimeFault(found, at('2027-01-04T09:59:59Z'), 0)).toBe('')
  expect(findTimeFault(found, at('2027-01-04T10:00:00Z'), 0)).toBe('More than 24 hours late')
  expect(iso(computeReminderExpiry(found))).toBe('2027-01-04T10:00:00.000Z')
  const near = findOccurrence({ ...hours(2), ...TIMED }, openCalendar('UTC'), DATE, 0)!
  expect(iso(computeReminderExpiry(near))).toBe('2027-01-06T10:00:00.000Z')
})

test('a text that was due before a restore has an unknown outcome', () => {
  const found = findOccurrence({ ...hours(24), ...TIMED }, openCalendar('UTC'), DATE, 0)!
  const [now, restored] = [at('2027-01-05T12:00Z'), at('2027-01-05T11:00Z')]
  expect(findTimeFault(found, now, restored)).toBe('Outcome unknown: restored from a backup')
  expect(findTimeFault(found, now, at('2027-01-05T09:00Z'))).toBe('')
  expect(findTimeFault(found, at('2027-02-01T12:00Z'), restored)).toMatch('unknown')
})

test('a day lasts until its end', () => {
  const found = findOccurrence(
    { ...days(0, '09:00'), ...WHOLE },
    openCalendar('Europe/Berlin'),
    '2027-03-28',
    0,
  )!
  expect(iso(found.ends)).toBe('2027-03-28T22:00:00.000Z')
})

// Every rule finds by its window all that is due, also around the change of clocks and of the year.
const RULES = [
  { ...days(1, '18:00'), ...TIMED },
  { ...days(0, '00:30'), ...WHOLE },
  { ...days(3), ...TIMED },
  { ...hours(2), ...TIMED },
  { ...days(1, '23:45'), ...YEARLY },
  { ...days(30, '02:30'), yearly: true, has_time: true },
]
const ZONES = ['Europe/Berlin', 'America/New_York', 'Pacific/Auckland', 'Asia/Kolkata', 'UTC']
test.each(ZONES)('no date that is due is outside the window of a look in %s', (zone) => {
  const calendar = openCalendar(zone)
  for (const start of ['2027-03-27T00:00Z', '2026-12-30T00:00Z', '2028-02-27T00:00Z'])
    for (const rule of RULES)
      for (let half = 0; half < 96; half += 7) {
        const now = at(start) + half * 1_800_000
        const since = now - 2 * 86_400_000
        const { from, to, days: list } = findDateWindow(rule, calendar, since, now)
        for (let hour = -24; hour < 40 * 24; hour += 11) {
          const moment = formatDate(new Date(now + hour * 3_600_000))
          const date = rule.has_time ? moment : moment.slice(0, 10)
          const found = findOccurrence(rule, calendar, date, since)!
          if (found.due === undefined || found.due > now || found.ends < since) continue
          const isIn = rule.yearly ? list.includes(date.slice(5, 10)) : date >= from && date < to
          if (!isIn) throw new Error(`${zone} ${JSON.stringify(rule)} ${date} at ${iso(now)}`)
        }
      }
})

test('a reminder looks again at its time of day, over the change of clocks', () => {
  const calendar = openCalendar('Europe/Berlin')
  const rule = { ...days(1, '18:00'), ...WHOLE }
  const next = (now: string) => iso(findNextLook(rule, calendar, at(now), 86_400_000))
  expect(next('2027-03-27T16:59:59Z')).toBe('2027-03-27T17:00:00.000Z')
  expect(next('2027-03-27T17:00:00Z')).toBe('2027-03-28T16:00:00.000Z')
  expect(iso(findNextLook(rule, calendar, at('2027-03-27T10:00Z'), 600_000))).toBe(
    '2027-03-27T10:10:00.000Z',
  )
})

test.each([
  ['2027-03-28 08:00:00.000Z', true, '2027-03-28 10:00'],
  ['2027-03-28 00:00:00.000Z', true, '2027-03-28 01:00'],
  ['2027-03-28 00:00:00.000Z', false, '2027-03-28'],
  ['2026-12-31 23:30:00.000Z', true, '2027-01-01 00:30'],
])('the date %s is written for a text as the clocks show it', (value, hasTime, expected) => {
  expect(writeLocalDate(openCalendar('Europe/Berlin'), value, hasTime)).toBe(expected)
})
