import { REASONS } from '../../../sms/status/status.ts'

/** Twilio's statuses of a message. */
export const TWILIO_STATUSES = [
  'accepted',
  'scheduled',
  'queued',
  'sending',
  'sent',
  'delivered',
  'undelivered',
  'failed',
  'canceled',
  'received',
] as const
export type TwilioStatus = (typeof TWILIO_STATUSES)[number]

/** The columns of a message that tell its status. */
export interface StatusColumns {
  readonly status: string
  readonly scheduled_at: string
  readonly sent_at: string
  readonly error_message: string
}

/** A status, and Twilio's number of the error; null for none. */
export interface TwilioState {
  readonly status: TwilioStatus
  readonly errorCode: number | null
}

// https://www.twilio.com/docs/api/errors
const UNREACHABLE = 30003
const UNKNOWN_NUMBER = 30005
const UNKNOWN_ERROR = 30008

/** The states of messages that the gateway itself ended, by its reasons. */
const BY_REASON: Readonly<Record<string, TwilioState>> = {
  [REASONS.canceled]: { status: 'canceled', errorCode: null },
  [REASONS.optedOut]: { status: 'failed', errorCode: 21610 },
  [REASONS.expired]: { status: 'failed', errorCode: 30036 },
  [REASONS.silent]: { status: 'undelivered', errorCode: UNKNOWN_ERROR },
}

/** The status of a message in Twilio's words. `now`: a date in the stored form. */
export function twilioState(message: StatusColumns, now: string): TwilioState {
  const { status, scheduled_at, error_message } = message
  if (status === 'failed')
    return Object.hasOwn(BY_REASON, error_message) ? BY_REASON[error_message]! : failedState(message)
  if (status === 'pending') return { status: scheduled_at > now ? 'scheduled' : 'accepted', errorCode: null }
  return { status: status === 'assigned' ? 'queued' : (status as TwilioStatus), errorCode: null }
}

/** The state of a message that failed: once it was sent, only its delivery can have failed. */
function failedState({ sent_at, error_message }: StatusColumns): TwilioState {
  const status = sent_at === '' ? 'failed' : 'undelivered'
  if (/unknown|unassigned|unallocated/i.test(error_message) && /number|subscriber/i.test(error_message))
    return { status, errorCode: UNKNOWN_NUMBER }
  return { status, errorCode: sent_at === '' ? UNKNOWN_ERROR : UNREACHABLE }
}
