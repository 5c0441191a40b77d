import { t } from '../../language/words.ts'
import type { Message, MessageState } from '../record-types.ts'

/** Translations of the gateway's own values of `error_message`, and of a step's `detail`. */
const REASONS: Readonly<Record<string, string>> = {
  'Recipient has opted out': t('Recipient has opted out'),
  'No proof of consent': t('No proof of consent'),
  'Recipient is on the stop list': t('Recipient is on the stop list'),
  'Destination not allowed': t('Destination not allowed'),
  'The files are too large for an MMS': t('The files are too large for an MMS'),
  'Outcome unknown: the device went silent': t('The device went silent'),
  'Outcome unknown: restored from a backup': t('Restored from a backup'),
  'Expired before sending': t('Expired before sending'),
  Canceled: t('Canceled'),
  'Canceled on the phone': t('Canceled on the phone'),
  'The device of this message was deleted': t('The device of this message was deleted'),
  'The line of this message was deleted': t('The line of this message was deleted'),
  'By RCS': t('By RCS'),
}

const WAITING: Readonly<Record<NonNullable<Message['waiting_for']>, string>> = {
  '': '',
  room: t('Waiting for room'),
  quiet_hours: t('Waiting for the end of quiet hours'),
  phone: t('The phone waits for its work hours'),
  undo: t('Sent in a few seconds'),
}

const CANCELED = ['Canceled', 'Canceled on the phone']

export const isCanceledMessage = ({
  status,
  error_message,
}: Pick<Message, 'status' | 'error_message'>): boolean =>
  status === 'failed' && CANCELED.includes(error_message)

/** True for a message that may or may not have been sent. */
export const isOutcomeUnknown = ({ error_message }: Pick<Message, 'error_message'>): boolean =>
  error_message.startsWith('Outcome unknown')

/** A message's state as shown to people. For the server, a canceled message is a failed one. */
export type ShownState = MessageState | 'canceled'
export function chooseShownState(message: Stated): ShownState {
  if (isCanceledMessage(message)) return 'canceled'
  // a due text that is still `pending` waits, but not for its time
  return message.status === 'pending' && message.waiting_for ? 'assigned' : message.status
}

export const FAILED_FILTER = `status = "failed" && ${CANCELED.map((reason) => `error_message != "${reason}"`).join(' && ')}`
export const CANCELED_FILTER = `status = "failed" && (${CANCELED.map((reason) => `error_message = "${reason}"`).join(' || ')})`
/** Due texts that are still `pending`: shown as waiting, not as scheduled. */
export const HELD_FILTER = 'status = "pending" && waiting_for != ""'

const STATE_FILTERS: Readonly<Partial<Record<ShownState, string>>> = {
  pending: 'status = "pending" && waiting_for = ""',
  assigned: `(status = "assigned" || (${HELD_FILTER}))`,
  failed: FAILED_FILTER,
  canceled: CANCELED_FILTER,
}

/** The filter that finds the messages that the console shows in `state`. */
export const writeStateFilter = (state: ShownState): string =>
  STATE_FILTERS[state] ?? `status = "${state}"`

type StateCounts = Readonly<Partial<Record<ShownState, number>>>

/** Counts by `status` as counts by shown state: `held` of the `pending` ones are shown as waiting. */
export function moveHeld<Counts extends StateCounts>(counts: Counts, held: number) {
  const { pending = 0, assigned = 0 } = counts
  const moved = Math.min(held, pending)
  return { ...counts, pending: pending - moved, assigned: assigned + moved }
}

/** Why a message failed, or why a due message still waits. '' for all others, such as canceled ones. */
export const findReason = (message: Message): string =>
  isCanceledMessage(message)
    ? ''
    : translateFailureReason(message.error_message) || findWaitingReason(message)

/** The condition that a due text waits for; '' for texts that wait for their time only. */
export function findWaitingReason({
  status,
  waiting_for,
  segments,
}: Pick<Message, 'status' | 'waiting_for' | 'segments'>): string {
  if (status === 'failed') return ''
  if (waiting_for === 'room' && segments === 0) return t('Waiting for a line that sends MMS')
  return WAITING[waiting_for ?? '']
}

/** Why a message failed, translated. A device's own words stay as they are. */
export const translateFailureReason = (message: string): string => REASONS[message] ?? message

/** The fault of a conversation's last text: `Not sent: No signal`; '' if none did. */
export function describeFailure(failure: string): string {
  const [, what = '', reason = ''] = /^(Not sent|Not delivered)?(?:: )?(.*)$/s.exec(failure) ?? []
  const fault = translateFailureReason(reason)
  if (reason.startsWith('Outcome unknown')) return t('Outcome unknown: {fault}', { fault })
  if (what === 'Not delivered') return t('Not delivered: {fault}', { fault })
  return what && fault ? t('Not sent: {fault}', { fault }) : what ? t('Not sent') : fault
}

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

export type Stated = Pick<Message, 'status' | 'error_message'> &
  Partial<Pick<Message, 'waiting_for'>>

export const readState = (message: Stated): State =>
  isOutcomeUnknown(message)
    ? ['warn', t('Outcome unknown')]
    : MESSAGE_STATES[chooseShownState(message)]
