import type { Message, MessageEvent } from '../../console/src/data/record-types.ts'
import { makeSteps } from '../../console/src/pages/message/steps.ts'

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
    'that waits for its time ends with the step "Waits for its time"',
    { status: 'pending', scheduled_at: '5' },
    [],
    ['Accepted 1', 'Waits for its time 5'],
  ],
  [
    'that waits for room ends with the step "Waiting for room"',
    { status: 'pending', scheduled_at: '', waiting_for: 'room' },
    [],
    ['Accepted 1', 'Waiting for room '],
  ],
  [
    'with files that waits for room says that it needs a line for MMS',
    { status: 'pending', scheduled_at: '', waiting_for: 'room', segments: 0 },
    [],
    ['Accepted 1', 'Waiting for a line that sends MMS '],
  ],
  [
    'that is due in quiet hours ends with the step "Waiting for the end of quiet hours"',
    { status: 'pending', scheduled_at: '5', waiting_for: 'quiet_hours' },
    [],
    ['Accepted 1', 'Waiting for the end of quiet hours '],
  ],
  [
    'that was changed while it waits has a step with the changed fields',
    { status: 'pending', scheduled_at: '5' },
    [event('pending', { attempt: 0, detail: 'Changed: time, text' })],
    ['Accepted 1', 'Changed 2 time, text', 'Waits for its time 5'],
  ],
  [
    'that is assigned to a device ends with the step "Waits for" and its name',
    { status: 'assigned', expand: { device } },
    [],
    ['Accepted 1', 'Waits for desk phone '],
  ],
  [
    'that a device sends ends with the step "has it" of the device',
    { status: 'sending' },
    [event('sending')],
    ['Accepted 1', 'desk phone has it 2'],
  ],
  [
    'that its phone holds ends with the step "The phone waits for its work hours"',
    { status: 'sending', waiting_for: 'phone' },
    [event('sending')],
    ['Accepted 1', 'desk phone has it 2', 'The phone waits for its work hours '],
  ],
  [
    'that was refused at once ends with the step "Failed", the reason and the time of the last update',
    { status: 'failed', error_message: 'Recipient has opted out' },
    [],
    ['Accepted 1', 'Failed 9 Recipient has opted out'],
  ],
  [
    'that failed later ends with the step "Failed", the reason and the time of the event',
    { status: 'failed', error_message: 'No' },
    [event('failed', { detail: 'No' })],
    ['Accepted 1', 'Failed 2 No'],
  ],
  [
    'that is sent again ends with the number of the try',
    { status: 'sending' },
    [event('sending', { attempt: 2 })],
    ['Accepted 1', 'desk phone has it 2 Try 2'],
  ],
  [
    'that was received has only the step "Came in on" and the device',
    { status: 'received', message_type: 'incoming' },
    [event('received')],
    ['Came in on desk phone 2'],
  ],
])('the history of a message %s', (_, values, events, told) => {
  const steps = makeSteps(message(values), events)
  expect(steps.map(({ words, at, detail }) => `${words} ${at}${detail && ` ${detail}`}`)).toEqual(
    told,
  )
})
