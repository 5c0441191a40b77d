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

/** How the detail of a change begins. */
const CHANGED = 'Changed: '

const WORDS: Readonly<Record<MessageState, (device: string) => string>> = {
  pending: () => 'Changed',
  assigned: (device) => (device ? `Given to ${device}` : 'Waits for a device'),
  sending: (device) => (device ? `${device} has it` : 'A device has it'),
  sent: (device) => (device ? `Sent by ${device}` : 'Sent'),
  delivered: () => 'Arrived',
  failed: () => 'Failed',
  received: (device) => (device ? `Came in on ${device}` : 'Came in'),
}

/**
 * The life of a message, oldest first: its acceptance, which is no event, the events, and what it waits for
 * now, or an end that has no event, as of a message that was refused at once.
 */
export function stepsOf(message: Message, events: readonly MessageEvent[]): Step[] {
  const steps = events.map((event) => stepOf(event))
  if (message.message_type === 'incoming') return steps
  const { id, created } = message
  const accepted = { id, state: 'pending' as const, words: 'Accepted', at: created, detail: '' }
  // an event of what waits for its time says that it was changed, not that it waits
  const isTold = message.status !== 'pending' && events.at(-1)?.status === message.status
  return [accepted, ...steps, ...(isTold ? [] : presentOf(message))]
}

/** Where a message stands of which no event tells. */
function presentOf({ id, status, updated, scheduled_at, error_message, expand }: Message): Step[] {
  const step = { id: `${id}-now`, state: status, detail: '' }
  if (status === 'failed') return [{ ...step, words: 'Failed', at: updated, detail: error_message }]
  if (status === 'pending') return [{ ...step, words: 'Waits for its time', at: scheduled_at }]
  if (status !== 'assigned') return []
  return [{ ...step, words: `Waits for ${expand?.device?.name || 'a device'}`, at: '' }]
}

function stepOf({ id, status, created, attempt, detail, expand }: MessageEvent): Step {
  const tried = attempt > 1 && status === 'sending' ? `Try ${attempt}` : ''
  const more = [tried, detail.replace(CHANGED, '')].filter((part) => part !== '').join('. ')
  return { id, state: status, words: WORDS[status](expand?.device?.name ?? ''), at: created, detail: more }
}
