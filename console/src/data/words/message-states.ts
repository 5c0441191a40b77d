import { t } from '../../language/words.ts'
import type { Message } from '../record-types.ts'
import { isUnknown, type ShownState, shownState } from './failure-reasons.ts'

export type Tone = 'calm' | 'busy' | 'good' | 'bad' | 'warn'

/** A state as a badge shows it. */
export type State = readonly [tone: Tone, words: string]

export const MESSAGE_STATES: Readonly<Record<ShownState, State>> = {
  pending: ['calm', t('Scheduled')],
  assigned: ['busy', t('Waiting')],
  sending: ['busy', t('Sending')],
  sent: ['good', t('Sent')],
  delivered: ['good', t('Delivered')],
  failed: ['bad', t('Failed')],
  canceled: ['calm', t('Canceled')],
  received: ['calm', t('Received')],
}

export type Stated = Pick<Message, 'status' | 'error_message'>

export const readState = (message: Stated): State =>
  isUnknown(message) ? ['warn', t('Outcome unknown')] : MESSAGE_STATES[shownState(message)]
