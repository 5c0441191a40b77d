import type { ComponentChildren } from 'preact'
import { isSimulated } from '../data/device/simulated.ts'
import type { Device, Message } from '../data/records.ts'
import { type ShownState, shownState } from '../data/words/failure-reasons.ts'
import { t } from '../language/words.ts'

export type Tone = 'calm' | 'busy' | 'good' | 'bad' | 'warn'

/** A coloured word. The word alone carries the meaning. */
export const Badge = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
)

/** Marks a device that sends nothing anywhere; nothing for others. */
export const SimulatedBadge = ({ device }: { device: Device | undefined }) =>
  isSimulated(device) ? <Badge tone="warn">{t('Simulated')}</Badge> : null

/** The label and colour of each message state. */
export const MESSAGE_STATES: Readonly<Record<ShownState, readonly [tone: Tone, words: string]>> = {
  pending: ['calm', t('Scheduled')],
  assigned: ['busy', t('Waiting')],
  sending: ['busy', t('Sending')],
  sent: ['good', t('Sent')],
  delivered: ['good', t('Delivered')],
  failed: ['bad', t('Failed')],
  canceled: ['calm', t('Canceled')],
  received: ['calm', t('Received')],
}

type Stated = Pick<Message, 'status' | 'error_message'>

/** The label and colour of a message's state. A canceled message is not shown as failed. */
export const stateOf = (message: Stated): readonly [tone: Tone, words: string] =>
  MESSAGE_STATES[shownState(message)]

/** The state of a message. */
export const MessageStatus = ({ message }: { message: Stated }) => {
  const [tone, words] = stateOf(message)
  return <Badge tone={tone}>{words}</Badge>
}
