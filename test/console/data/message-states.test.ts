import {
  chooseShownState,
  moveHeld,
  readState,
  writeStateFilter,
} from '../../../console/src/data/words/message-states.ts'

const makeText = (waiting_for: 'room' | 'quiet_hours' | 'undo' | '') => ({
  status: 'pending' as const,
  error_message: '',
  waiting_for,
})

test.each([
  ['waits for its time', '', 'pending', 'Scheduled'],
  ['waits for room on a line', 'room', 'assigned', 'Waiting'],
  ['waits for the end of quiet hours', 'quiet_hours', 'assigned', 'Waiting'],
  ['can still be undone', 'undo', 'assigned', 'Waiting'],
] as const)('a text that %s is shown as such', (_, reason, state, words) => {
  const text = makeText(reason)
  expect([chooseShownState(text), readState(text)[1]]).toEqual([state, words])
})

test('the filters of scheduled and waiting texts part all pending texts by their reason', () => {
  expect(writeStateFilter('pending')).toBe('status = "pending" && waiting_for = ""')
  expect(writeStateFilter('assigned')).toBe(
    '(status = "assigned" || (status = "pending" && waiting_for != ""))',
  )
})

test.each([
  [
    'texts that wait with some',
    { pending: 5, assigned: 1, sent: 2 },
    3,
    { pending: 2, assigned: 4, sent: 2 },
  ],
  ['no more texts than are pending', { pending: 1 }, 3, { pending: 0, assigned: 1 }],
])('counts by status move %s to the waiting ones', (_, counts, held, shown) => {
  expect(moveHeld(counts, held)).toEqual(shown)
})
