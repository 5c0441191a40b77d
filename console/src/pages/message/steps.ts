import { nameDevice } from '../../data/device/lines.ts'
import type { Message, MessageEvent, MessageState } from '../../data/record-types.ts'
import {
  findReason,
  isCanceledMessage,
  MESSAGE_STATES,
  readState,
  translateFailureReason,
} from '../../data/words/message-states.ts'
import { t } from '../../language/words.ts'
import type { Step } from '../../parts/time-line-step.ts'

interface StateStep extends Step {
  readonly state: MessageState
}

const CHANGED = 'Changed: '

const WORDS: Readonly<Record<MessageState, (device: string) => string>> = {
  pending: () => t('Changed#message'),
  assigned: (device) => (device ? t('Given to {device}', { device }) : t('Waits for a device')),
  sending: (device) => (device ? t('{device} has it', { device }) : t('A device has it')),
  sent: (device) => (device ? t('Sent by {device}', { device }) : t('Sent')),
  delivered: () => t('Arrived'),
  failed: () => t('Failed'),
  received: (device) => (device ? t('Came in on {device}', { device }) : t('Came in')),
}

/**
 * The steps of a message, oldest first: its acceptance, its events, and its present state if no event shows
 * it. An incoming message has only its events.
 */
export const makeSteps = (message: Message, events: readonly MessageEvent[]): Step[] =>
  makeStates(message, events).map((step) => ({ tone: MESSAGE_STATES[step.state][0], ...step }))

function makeStates(message: Message, events: readonly MessageEvent[]): StateStep[] {
  const steps = events.map((event) => makeStep(event))
  if (message.message_type === 'incoming') return steps
  const { id, created } = message
  const accepted = { id, state: 'pending' as const, words: t('Accepted'), at: created, detail: '' }
  // an event does not say that the message waits: a `pending` one says that it was changed
  const isTold =
    message.status !== 'pending' && !message.waiting_for && events.at(-1)?.status === message.status
  return [accepted, ...steps, ...(isTold ? [] : makePresent(message))]
}

/** The present step of a message, if its events do not show it. */
function makePresent(message: Message): StateStep[] {
  const { id, status, updated, scheduled_at, error_message, waiting_for, expand } = message
  const step = { id: `${id}-now`, state: status, detail: '' }
  if (isCanceledMessage(message))
    return [
      { ...step, state: 'pending', words: translateFailureReason(error_message), at: updated },
    ]
  if (status === 'failed')
    return [
      {
        ...step,
        ...makeFailedStep(error_message),
        at: updated,
        detail: translateFailureReason(error_message),
      },
    ]
  if (['pending', 'sending'].includes(status) && waiting_for)
    return [{ ...step, words: findReason(message), at: '' }]
  if (status === 'pending') return [{ ...step, words: t('Waits for its time'), at: scheduled_at }]
  if (status !== 'assigned') return []
  return [
    {
      ...step,
      words: expand?.device?.name
        ? t('Waits for {device}', { device: nameDevice(expand.device) })
        : t('Waits for a device'),
      at: '',
    },
  ]
}

/** The words and the tone of a failure, whose outcome may be unknown. */
function makeFailedStep(error_message: string) {
  const [tone, words] = readState({ status: 'failed', error_message })
  return { tone, words }
}

function makeStep({ id, status, created, attempt, detail, expand }: MessageEvent): StateStep {
  if (isCanceledMessage({ status, error_message: detail }))
    return { id, state: 'pending', words: translateFailureReason(detail), at: created, detail: '' }
  const tried = attempt > 1 && status === 'sending' ? t('Try {attempt}', { attempt }) : ''
  const more = [tried, translateFailureReason(detail.replace(CHANGED, ''))]
    .filter((part) => part !== '')
    .join('. ')
  const words = WORDS[status](nameDevice(expand?.device))
  return {
    id,
    state: status,
    words,
    ...(status === 'failed' && makeFailedStep(detail)),
    at: created,
    detail: more,
  }
}
