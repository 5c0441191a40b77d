import {
  formatDayAndHour,
  formatRelativeTime,
  makeShortDate,
} from '../../../console/src/data/text/relative-time.ts'

/** Monday, in local time. */
const NOW = new Date(2026, 10, 23, 8).getTime()

test.each([
  ['some seconds ago', new Date(2026, 10, 23, 7, 59, 30), 'just now'],
  ['some seconds ahead', new Date(2026, 10, 23, 8, 0, 30), 'in a moment'],
  ['a minute ago', new Date(2026, 10, 23, 7, 59), '1 min. ago'],
  ['three hours ahead', new Date(2026, 10, 23, 11), 'in 3 hr.'],
  ['less than a day ago', new Date(2026, 10, 22, 9), '23 hr. ago'],
  ['yesterday', new Date(2026, 10, 22, 7), 'yesterday'],
  ['47 hours ago, two days by the calendar', new Date(2026, 10, 21, 9), '2 days ago'],
  ['tomorrow', new Date(2026, 10, 24, 23), 'tomorrow'],
  ['41 hours ahead, two days by the calendar', new Date(2026, 10, 25, 1), 'in 2 days'],
  ['more than a week ago', new Date(2026, 10, 15), 'Nov 15, 2026'],
])('a time %s is written as "$2"', (_, at, words) => {
  expect(formatRelativeTime(at.getTime(), NOW)).toBe(words)
})

test.each([
  ['today', new Date(2026, 10, 23, 17), 'today 5:00 PM'],
  ['tomorrow', new Date(2026, 10, 24, 9), 'tomorrow 9:00 AM'],
  ['within a week', new Date(2026, 10, 27, 9), 'Friday 9:00 AM'],
  ['on the same weekday', new Date(2026, 10, 30, 9), 'Nov 30, 2026, 9:00 AM'],
  ['some days ago', new Date(2026, 10, 20, 9), 'Nov 20, 2026, 9:00 AM'],
])('a day and hour %s is written as "$2"', (_, at, words) => {
  expect(formatDayAndHour(at.getTime(), NOW).replaceAll('\u202f', ' ')).toBe(words)
})

test('a short date has its year only if the present one is another', () => {
  const format = makeShortDate({ month: 'short', day: 'numeric' })
  const days = [new Date(2026, 0, 5), new Date(2027, 0, 5)].map((day) => format(day.getTime(), NOW))
  expect(days).toEqual(['Jan 5', 'Jan 5, 2027'])
})
