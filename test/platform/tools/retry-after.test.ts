import { readRetryAfter } from '../../../src/platform/tools/retry-after.ts'

const NOW = new Date('2026-11-20T07:00:00Z')

test.each<[what: string, header: string | undefined, seconds: number]>([
  ['seconds', '120', 120],
  ['seconds between blanks', ' 5 ', 5],
  // Discord: https://github.com/discord/discord-api-docs/issues/2163
  ['a fraction of a second', '0.65', 0.65],
  ['a date', 'Fri, 20 Nov 2026 07:01:00 GMT', 60],
  ['a date of RFC 850', 'Friday, 20-Nov-26 07:01:00 GMT', 60],
  ['a date of asctime', 'Fri Nov 20 07:01:00 2026', 60],
  ['an ISO date', '2026-11-20T07:01:00Z', 60],
  ['a past date', 'Fri, 20 Nov 2026 06:00:00 GMT', 0],
  ['a negative number', '-5', 0],
  ['a word', 'soon', 0],
  ['nothing', '', 0],
  ['no header', undefined, 0],
])('%s in Retry-After asks for as many seconds: %s, %i', (_, header, seconds) => {
  expect(readRetryAfter({ 'retry-after': header }, NOW)).toBe(seconds)
})

test('a date in Retry-After counts by the clock of the server that answered', () => {
  const headers = {
    'retry-after': 'Fri, 20 Nov 2026 09:01:00 GMT',
    date: 'Fri, 20 Nov 2026 09:00:00 GMT',
  }
  expect(readRetryAfter(headers, NOW)).toBe(60)
})
