import { findCronFault } from '../../../src/engine/settings/cron.ts'

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
