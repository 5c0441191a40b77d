import { locale } from '../../language/language.ts'
import { t } from '../../language/words.ts'
import type { Message } from '../record-types.ts'
import { isCanceledMessage } from '../words/message-states.ts'
import { parseDate } from './local-time.ts'
import { readNowMs } from './now.ts'
import { makeShortDate } from './relative-time.ts'

type Timed = Pick<Message, 'message_type' | 'status' | 'created' | 'delivered_at' | 'scheduled_at'>

/**
 * The time of a text in its conversation: when the phone received it or, if outgoing, when it was created or
 * is due. A text that was canceled, or failed before it was due, keeps its creation time. Lists are sorted by
 * `created` and show that.
 */
export function readTime(message: Timed & Pick<Message, 'error_message'>): string {
  const { message_type, status, created, delivered_at, scheduled_at } = message
  if (message_type === 'incoming') return delivered_at || created
  const isOff =
    isCanceledMessage(message) || (status === 'failed' && parseDate(scheduled_at) > readNowMs())
  return scheduled_at > created && !isOff ? scheduled_at : created
}

const formatDue = makeShortDate({
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
})
const MINUTE_MS = 60_000
/** Incoming texts that reach the server this long after the phone are late. */
const LATE_MS = 10 * MINUTE_MS
const UNITS = [
  ['day', 1_440],
  ['hour', 60],
  ['minute', 1],
] as const

/** Beside `created`: when a text that waits is due, or how late an incoming one arrived; '' for others. */
export function describeTime(timed: Timed): string {
  if (timed.message_type === 'incoming') return describeDelay(timed.delivered_at, timed.created)
  return isDueLater(timed)
    ? t('due {time}', { time: formatDue(parseDate(timed.scheduled_at), readNowMs()) })
    : ''
}

export const isDueLater = ({ status, scheduled_at }: Timed): boolean =>
  status === 'pending' && parseDate(scheduled_at) > readNowMs()

/** How long after the phone the server got a text: `arrived 2 hr late`; '' if it was not late. */
export function describeDelay(received: string, created: string): string {
  const ms = parseDate(created) - parseDate(received)
  if (!(ms >= LATE_MS)) return ''
  const [unit, minutes] = UNITS.find(([, least]) => ms >= least * MINUTE_MS)!
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' })
  return t('arrived {time} late', { time: format.format(Math.floor(ms / minutes / MINUTE_MS)) })
}
