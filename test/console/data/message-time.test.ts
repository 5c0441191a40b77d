import { describeTime, isDueLater, readTime } from '../../../console/src/data/text/message-time.ts'

const CREATED = '2026-11-23 08:00:00.000Z'
const PAST = '2026-11-24 08:00:00.000Z'
const FUTURE = '2999-11-24 08:00:00.000Z'
const text = {
  message_type: 'outgoing',
  status: 'pending',
  error_message: '',
  created: CREATED,
  delivered_at: '',
  scheduled_at: FUTURE,
} as const

test.each([
  ['waits', {}, FUTURE, true],
  ['was canceled', { status: 'failed', error_message: 'Canceled' }, CREATED, false],
  ['failed before it was due', { status: 'failed', error_message: 'Gone' }, CREATED, false],
  [
    'failed when it was due',
    { status: 'failed', error_message: 'Gone', scheduled_at: PAST },
    PAST,
    false,
  ],
  ['was sent', { status: 'sent', scheduled_at: PAST }, PAST, false],
] as const)('a scheduled text that %s stands at its time', (_, values, time, isLater) => {
  const message = { ...text, ...values }
  expect([readTime(message), isDueLater(message)]).toEqual([time, isLater])
})

test('the time at which a text of another year is due has its year', () => {
  expect(describeTime(text)).toContain('2999')
})
