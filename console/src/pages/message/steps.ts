import type { Message, MessageEvent, MessageState } from '../../data/records.ts'

/** One step of a message's life, for people. */
export interface Step {
  readonly id: string
  readonly state: MessageState
  readonly words: string
  readonly at: string
  /** Why, or what else there is to say. */
  readonly detail: string
}

const WORDS: Readonly<Record<MessageState, (device: string) => string>> = {
  pending: () => 'Waits for its time',
  assigned: (device) => (device ? `Given to ${device}` : 'Waits for a device'),
  sending: (device) => (device ? `${device} has it` : 'A device has it'),
  sent: (device) => (device ? `Sent by ${device}` : 'Sent'),
  delivered: () => 'Arrived',
  failed: () => 'Failed',
  received: (device) => (device ? `Came in on ${device}` : 'Came in'),
}

/**
 * The life of a message, oldest first: its acceptance, which is no event, the events, and an end that has none, as of a message that
 * was refused at once.
 */
export function stepsOf(message: Message, events: readonly MessageEvent[]): Step[] {
  const steps = events.map((event) => stepOf(event))
  if (message.message_type === 'incoming') return steps
  const { id, created, updated, status, error_message: detail } = message
  const accepted = { id, state: 'pending' as const, words: 'Accepted', at: created, detail: '' }
  const isTold = status !== 'failed' || events.some((event) => event.status === 'failed')
  const end = { id: `${id}-end`, state: status, words: WORDS[status](''), at: updated, detail }
  return [accepted, ...steps, ...(isTold ? [] : [end])]
}

function stepOf({ id, status, created, attempt, detail, expand }: MessageEvent): Step {
  const tried = attempt > 1 && status === 'sending' ? `Try ${attempt}` : ''
  const more = [tried, detail].filter((part) => part !== '').join('. ')
  return { id, state: status, words: WORDS[status](expand?.device?.name ?? ''), at: created, detail: more }
}
