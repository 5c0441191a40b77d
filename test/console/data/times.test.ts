import { describeUsualRuns, writeRepeatSentence } from '../../../console/src/data/repeat.ts'
import { listComingDays } from '../../../console/src/data/text/coming-days.ts'
import { findTimeFault, parseLocalTime } from '../../../console/src/data/text/local-time.ts'

const DAY_MS = 86_400_000
/** 23 to 29 November 2026, a Monday to a Sunday, in the evening. */
const days = Array.from({ length: 7 }, (_, i) => new Date(2026, 10, 23 + i, 20, 15))

test.each([
  [days[0], ['Tomorrow 24', 'On Friday 27', 'In a week 30']],
  [days[3], ['Tomorrow 27', 'Next Monday 30']],
  [days[4], ['Tomorrow 28', 'Next Monday 30', 'In a week 4']],
  [days[5], ['Tomorrow 29', 'Next Monday 30', 'On Friday 4']],
  [days[6], ['Tomorrow 30', 'On Friday 4']],
])('times to choose on %s are %j', (now, shown) => {
  expect(listComingDays(now!).map(({ words, at }) => `${words} ${at.getDate()}`)).toEqual(shown)
})

test.each(days)('times to choose on %s are in order, each at 9:00 within a week or so', (now) => {
  const times = listComingDays(now).map(({ at }) => at.getTime())
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(times.at(-1)! - now.getTime()).toBeLessThan(8 * DAY_MS)
  expect(listComingDays(now).every(({ at }) => at.getHours() === 9)).toBe(true)
})

const at = (local: string) => ({ isLater: true, at: local })

test.each([
  ['', 'Choose a day and a time.'],
  ['2020-01-01T09:00', 'This time is past.'],
])('the time %j is refused in words: %s', (local, words) => {
  expect(findTimeFault(at(local), '', days[0]!.getTime())).toEqual({ at: words })
})

test('an empty time is refused, also in a form without an earlier time', () => {
  expect(findTimeFault(at(''), '')).toEqual({ at: 'Choose a day and a time.' })
  expect(parseLocalTime('')).toBe('')
})

test('an unchanged time and a send at once are valid', () => {
  expect(findTimeFault(at('2020-01-01T09:00'), '2020-01-01T09:00')).toEqual({})
  expect(findTimeFault({ isLater: false, at: '' })).toEqual({})
})

test('a repetition without a time keeps its days', () => {
  expect(describeUsualRuns('- - * * 1-5')).toMatchObject({ days: '* * 1-5', time: '' })
  expect(describeUsualRuns('5 9 * * *')).toMatchObject({ days: '* * *', time: '09:05' })
})

test.each([
  ['0 9 * * 1', 'Every Monday at 09:00 (Asia/Tokyo), no end'],
  ['0 9 2 * *', '0 9 2 * * (Asia/Tokyo), no end'],
])('the runs %s of another time zone name it: %s', (cron, sentence) => {
  expect(writeRepeatSentence({ cron, time_zone: 'Asia/Tokyo' })).toBe(sentence)
})
