import { findCronFault, parseCron } from '../../../src/engine/settings/cron.ts'

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
  ['a letter', '* * L * *'],
  ['an empty part', '1, * * * *'],
])('a cron expression with %s is refused: %j', (_, expression) =>
  expect(findCronFault(expression)).toMatch(/^invalid cron expression - /),
)

test.each(['UTC', 'Europe/Berlin'])(
  'L is the last day of each month in %s, and 31 skips months',
  (zone) => {
    const after = new Date('2027-01-31T12:00:00Z')
    const days = (cron: string) =>
      parseCron(cron, zone, true)
        .nextRuns(4, after)
        .map((at) => at.toISOString().slice(0, 10))
    expect(days('30 8 L * *')).toEqual(['2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31'])
    expect(days('30 8 31 * *')).toEqual(['2027-03-31', '2027-05-31', '2027-07-31', '2027-08-31'])
  },
)

test('settings take no L, as in PocketBase, and repetitions take it as the day alone', () => {
  expect(() => parseCron('0 8 L * *')).toThrow('invalid cron expression')
  for (const cron of [
    'L 8 1 * *',
    '0 L 1 * *',
    '0 8 1 L *',
    '0 8 1 * L',
    '0 8 L-3 * *',
    '0 8 LL * *',
  ])
    expect(() => parseCron(cron, 'UTC', true), cron).toThrow('invalid cron expression')
})
