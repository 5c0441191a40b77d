import type { Message, MessageEvent } from '../../console/src/data/records.ts'
import { stepsOf } from '../../console/src/pages/message/steps.ts'

const device = { name: 'desk phone' }
const message = (values: object) =>
  ({
    id: 'm1',
    message_type: 'outgoing',
    created: '1',
    updated: '9',
    scheduled_at: '',
    error_message: '',
    ...values,
  }) as Message
const event = (status: string, more: object = {}) =>
  ({
    id: status,
    status,
    created: '2',
    attempt: 1,
    detail: '',
    expand: { device },
    ...more,
  }) as unknown as MessageEvent

test.each([
  [
    'waits for its time',
    { status: 'pending', scheduled_at: '5' },
    [],
    ['Accepted 1', 'Waits for its time 5'],
  ],
  [
    'waits for room',
    { status: 'pending', scheduled_at: '', waiting_for: 'room' },
    [],
    ['Accepted 1', 'Waiting for room '],
  ],
  [
    'is due and waits for quiet hours to end',
    { status: 'pending', scheduled_at: '5', waiting_for: 'quiet_hours' },
    [],
    ['Accepted 1', 'Waiting for the end of quiet hours '],
  ],
  [
    'changed while it waits for its time',
    { status: 'pending', scheduled_at: '5' },
    [event('pending', { attempt: 0, detail: 'Changed: time, text' })],
    ['Accepted 1', 'Changed 2 time, text', 'Waits for its time 5'],
  ],
  [
    'waits for a device',
    { status: 'assigned', expand: { device } },
    [],
    ['Accepted 1', 'Waits for desk phone '],
  ],
  ['under way', { status: 'sending' }, [event('sending')], ['Accepted 1', 'desk phone has it 2']],
  [
    'refused at once',
    { status: 'failed', error_message: 'Recipient has opted out' },
    [],
    ['Accepted 1', 'Failed 9 Recipient has opted out'],
  ],
  [
    'failed',
    { status: 'failed', error_message: 'No' },
    [event('failed', { detail: 'No' })],
    ['Accepted 1', 'Failed 2 No'],
  ],
  [
    'again',
    { status: 'sending' },
    [event('sending', { attempt: 2 })],
    ['Accepted 1', 'desk phone has it 2 Try 2'],
  ],
  [
    'come in',
    { status: 'received', message_type: 'incoming' },
    [event('received')],
    ['Came in on desk phone 2'],
  ],
])("a message's history shows its steps: %s", (_, values, events, told) => {
  const steps = stepsOf(message(values), events)
  expect(steps.map(({ words, at, detail }) => `${words} ${at}${detail && ` ${detail}`}`)).toEqual(told)
})
