import {
  fillWeeks,
  findFirstDay,
  findMonth,
  findWeek,
  isDay,
  mergeEntries,
} from '../../console/src/pages/scheduled/periods.ts'

test.each([
  ['2028-02-29', true],
  ['2026-02-29', false],
  ['2026-13-45', false],
  ['9999-12-31', false],
  ['tomorrow', false],
])('an address with the day %s is taken: %j', (text, isTaken) => {
  expect(isDay(text)).toBe(isTaken)
})

test.each([
  ['Monday', '2026-11-30', '2026-11-30', '2026-12-06'],
  ['Sunday', '2026-11-29', '2026-11-23', '2026-11-29'],
  ['a day at the turn of the year', '2027-01-01', '2026-12-28', '2027-01-03'],
])('the week of %s begins on a Monday', (_, day, from, until) => {
  expect(findWeek(day, 1)).toEqual({ from, until })
})

test.each([
  ['2026-11-29', '2026-11-01', '2026-11-30'],
  ['2028-02-10', '2028-02-01', '2028-02-29'],
  ['2026-12-31', '2026-12-01', '2026-12-31'],
])('the month of %s ends on its last day', (day, from, until) => {
  expect(findMonth(day)).toEqual({ from, until })
})

test.each([
  ['2026-11-15', '2026-10-26', '2026-12-06'],
  ['2027-02-10', '2027-02-01', '2027-02-28'],
])('the calendar of the month of %s shows whole weeks, from %s until %s', (day, from, until) => {
  expect(fillWeeks(findMonth(day), 1)).toEqual({ from, until })
})

const entry = (at: string) => ({ at })

test('campaigns and reminders after the last send that was read wait until more sends are read', () => {
  const sends = [entry('2026-11-30'), entry('2026-12-02')]
  const others = [entry('2026-12-01'), entry('2026-12-03')]
  const days = (isWhole: boolean) => mergeEntries(sends, others, isWhole).map(({ at }) => at)
  expect(days(false)).toEqual(['2026-11-30', '2026-12-01', '2026-12-02'])
  expect(days(true)).toEqual(['2026-11-30', '2026-12-01', '2026-12-02', '2026-12-03'])
})

test.each([
  ['en-US', 7],
  ['pt-BR', 7],
  ['en-GB', 1],
  ['de-DE', 1],
  ['ar-EG', 6],
  ['en', 1],
  ['de', 1],
])('weeks of %s begin on day %i', (locale, first) => {
  expect(findFirstDay(locale)).toBe(first)
})

test.each([
  ['2026-11-30', 7, '2026-11-29', '2026-12-05'],
  ['2026-11-29', 7, '2026-11-29', '2026-12-05'],
  ['2026-11-29', 1, '2026-11-23', '2026-11-29'],
  ['2026-11-27', 6, '2026-11-21', '2026-11-27'],
  ['2026-11-28', 6, '2026-11-28', '2026-12-04'],
])('the week of %s, where weeks begin on day %i, is from %s to %s', (day, first, from, until) => {
  expect(findWeek(day, first)).toEqual({ from, until })
})
