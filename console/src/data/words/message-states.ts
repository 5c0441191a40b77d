import { t } from '../../language/words.ts'
import type { Message } from '../record-types.ts'
import { isUnknown, type ShownState, shownState } from './failure-reasons.ts'

export type Tone = 'calm' | 'busy' | 'good' | 'bad' | 'warn'

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

export type Stated = Pick<Message, 'status' | 'error_message'>

export const stateOf = (message: Stated): readonly [tone: Tone, words: string] =>
  isUnknown(message) ? ['warn', t('Outcome unknown')] : MESSAGE_STATES[shownState(message)]
