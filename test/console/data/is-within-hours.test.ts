import { isWithinHours } from '../../../console/src/data/notifications/is-within-hours.ts'

/** In Berlin it is 09:30. */
const NOW = new Date('2026-11-29T08:30:00Z')

test.each([
  ['no hours', '', '', true],
  ['hours of the day', '09:00', '18:00', true],
  ['hours that begin now', '09:30', '10:00', true],
  ['hours that end now', '08:00', '09:30', false],
  ['hours of the evening', '18:00', '22:00', false],
  ['hours over midnight', '22:00', '10:00', true],
  ['hours over midnight that are over', '22:00', '06:00', false],
])('with %s a person is notified at half past nine, or is not', (_, from, to, expected) => {
  expect(isWithinHours(from, to, 'Europe/Berlin', NOW)).toBe(expected)
})
