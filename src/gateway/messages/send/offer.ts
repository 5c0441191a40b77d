import type { GivenFiles, Media } from '../../base/message-files.ts'
import type { Permit } from '../../base/permissions.ts'
import type { Idempotency } from './idempotency.ts'
import type { SendOptions, SendOrigin } from './send-options.ts'

/** A send that has passed its checks, as `sms_accept` takes and judges it. In options, '' means unset. */
export interface Offer extends Omit<SendOptions, 'origin'> {
  readonly permit: Permit
  readonly device?: string | undefined
  readonly line?: string | undefined
  readonly from?: string | undefined
  /** The send is scheduled for later: no device is chosen yet. */
  readonly later?: boolean
  readonly batch?: string | undefined
  readonly body?: string | undefined
  /** The encrypted text that devices send instead of `body`. */
  readonly sealed?: string | undefined
  readonly idempotency?: Idempotency | undefined
  /** The answer to the request, JSON of ACCEPTED. It is kept for the idempotency key. */
  readonly answer?: string
  /** Data that the SMSGate or Twilio API keeps about the send, or SEALED. */
  readonly origin?: SendOrigin | undefined
  /** The template and the groups of the send: either may require consent. */
  readonly template?: string | undefined
  readonly groups?: readonly string[] | undefined
  /** The send answers a text that asks for help. */
  readonly isHelp?: boolean
  /** The files and the subject of each message of an MMS. */
  readonly media?: Media | undefined
  readonly given?: GivenFiles | undefined
  readonly messages: readonly OfferedMessage[]
}

export interface OfferedMessage {
  readonly id: string
  readonly to: string
  readonly body?: string
  /** 0 for an MMS. */
  readonly segments: number
  /** The time zone by which the message waits in quiet hours; '' for the account's; absent: no waiting. */
  readonly zone?: string
}
