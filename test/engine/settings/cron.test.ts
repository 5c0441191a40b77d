import { findCronFault, listSkippedMonths, parseCron } from '../../../src/engine/settings/cron.ts'

test.each([
  '* * * * *',
  '0 3 * * *',
  '*/15 0-6/2 1,15 1-12 0-6',
  '+5 * * * *',
  '5/1 0 * * *',
  '*/1 * * * *',
  '@daily',
])('%j is accepted as a cron expression', (expression) =>
  expect(findCronFault(expression)).toBeUndefined(),
)

test.each([
  ['no segments', ''],
  ['four segments', '* * * *'],
  ['six segments', '* * * * * *'],
  ['two spaces', '*  * * * *'],
  ['an unknown macro', '@reboot'],
  ['a minute that is too large', '61 * * * *'],
  ['a step that is too large', '*/60 * * * *'],
  ['no step', '*/0 * * * *'],
  ['a step after a single number', '5/2 * * * *'],
  ['a range that ends before it begins', '* 5-1 * * *'],
  ['a month 0', '* * * 0 *'],
  ['Sunday as 7', '* * * * 7'],
  ['a name', '* * * JAN *'],
  ['a letter', '* L * * *'],
  ['an empty part', '1, * * * *'],
])('a cron expression with %s is refused: %j', (_, expression) =>
  expect(findCronFault(expression)).toMatch(/^invalid cron expression - /),
)

test.each(['UTC', 'Europe/Berlin', 'Pacific/Kiritimati', 'America/St_Johns'])(
  'L is the last day of each month in %s, and 31 skips months',
  (zone) => {
    const after = new Date('2028-01-31T12:00:00Z')
    const days = (cron: string) =>
      parseCron(cron, zone)
        .nextRuns(4, after)
        .map((at) => at.toLocaleDateString('sv', { timeZone: zone }))
    expect(days('30 8 L * *')).toEqual(['2028-02-29', '2028-03-31', '2028-04-30', '2028-05-31'])
    expect(days('30 8 31 * *')).toEqual(['2028-03-31', '2028-05-31', '2028-07-31', '2028-08-31'])
    expect(days('30 8 15,L * *')).toEqual(['2028-02-15', '2028-02-29', '2028-03-15', '2028-03-31'])
    expect(days('30 8 L 2 *')).toEqual(['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28'])
    expect(days('0 */6 L 3 *')).toEqual(['2028-03-31', '2028-03-31', '2028-03-31', '2028-03-31'])
    // the last day, if it is a Friday
    expect(days('30 8 L * 5')).toEqual(['2028-03-31', '2028-06-30', '2029-08-31', '2029-11-30'])
  },
)

test.each([
  'L 8 1 * *',
  '0 L 1 * *',
  '0 8 1 L *',
  '0 8 1 * L',
  '0 8 1 * 5L',
  '0 8 L-3 * *',
  '0 8 1-L * *',
  '0 8 L/2 * *',
  '0 8 LL * *',
  '0 8 LW * *',
  '0 8 L, * *',
])('L is taken as a day alone: %s is refused', (cron) =>
  expect(findCronFault(cron)).toMatch(/^invalid cron expression - /),
)

const SHORT = [2, 4, 6, 9, 11]
test.each([
  ['0 8 31 * *', SHORT],
  ['0 8 31 * 1', SHORT],
  ['*/30 * +31 * *', SHORT],
  ['0 8 30 * *', [2]],
  ['0 8 30,31 * *', [2]],
  ['0 8 29-31 * *', [2]],
  ['0 8 29 * *', [2]],
  ['0 8 31 1-4 *', [2, 4]],
  ['0 8 31 1,7 *', []],
  ['0 8 28 * *', []],
  ['0 8 15,31 * *', []],
  ['0 8 31,L * *', []],
  ['0 8 L * *', []],
  ['0 8 */10 * *', []],
  ['0 8 * * *', []],
  ['@monthly', []],
])('%s skips the months %j, which are too short', (cron, months) =>
  expect(listSkippedMonths(cron)).toEqual(months),
)
