import { REASONS } from '../../gateway/base/message-status.ts'
import type { TableRow } from '../../platform/db/execute-statement.ts'

type StatusColumns = Pick<
  TableRow<'sms_messages'>,
  'status' | 'scheduled_at' | 'sent_at' | 'error_message'
>

/** A status in Twilio's words, and Twilio's error code; null for no error. */
interface TwilioState {
  readonly status: string
  readonly errorCode: number | null
}

// Twilio's error codes: https://www.twilio.com/docs/api/errors
const UNREACHABLE = 30003
const UNKNOWN_NUMBER = 30005
const UNKNOWN_ERROR = 30008

/** Twilio's states of messages that this server ended, by `error_message`. */
const BY_REASON: Readonly<Record<string, TwilioState>> = {
  [REASONS.canceled]: { status: 'canceled', errorCode: null },
  [REASONS.optedOut]: { status: 'failed', errorCode: 21610 },
  [REASONS.stopped]: { status: 'failed', errorCode: 21610 },
  [REASONS.noConsent]: { status: 'failed', errorCode: 21610 },
  [REASONS.notAllowed]: { status: 'failed', errorCode: 21408 },
  [REASONS.filesTooLarge]: { status: 'failed', errorCode: 11751 },
  [REASONS.expired]: { status: 'failed', errorCode: 30036 },
  [REASONS.silent]: { status: 'undelivered', errorCode: UNKNOWN_ERROR },
}

/** The status of a message in Twilio's words. `now`: a date in the stored form. */
export function toTwilioState(message: StatusColumns, now: string): TwilioState {
  const { status, scheduled_at, error_message } = message
  if (status === 'failed')
    return Object.hasOwn(BY_REASON, error_message)
      ? BY_REASON[error_message]!
      : toFailedState(message)
  if (status === 'pending')
    return { status: scheduled_at > now ? 'scheduled' : 'accepted', errorCode: null }
  return { status: status === 'assigned' ? 'queued' : status, errorCode: null }
}

/** The state of a failed message. If it was sent before, only its delivery failed: `undelivered`. */
function toFailedState({ sent_at, error_message }: StatusColumns): TwilioState {
  const status = sent_at === '' ? 'failed' : 'undelivered'
  if (
    /unknown|unassigned|unallocated/i.test(error_message) &&
    /number|subscriber/i.test(error_message)
  )
    return { status, errorCode: UNKNOWN_NUMBER }
  return { status, errorCode: sent_at === '' ? UNKNOWN_ERROR : UNREACHABLE }
}
