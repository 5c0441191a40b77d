/**
 * One request that passed its own checks, as sql/functions/sms/sms_accept.sql takes it. What is null is
 * unset.
 */
export interface Offer {
  readonly user: string
  /** The credentials as they were read: `xmin` of the user's row, and of the API key's if one was used. */
  readonly version: string
  readonly key: string | null
  readonly keyVersion: string | null
  /** The device that the request named. */
  readonly device: string | null
  /** Scheduled for later: no device is chosen yet. */
  readonly later: boolean
  readonly batch: string | null
  /** The text of all messages that bring none of their own. */
  readonly body: string | null
  readonly priority: number
  readonly sim: number
  readonly scheduledAt: string | null
  readonly expiresAt: string | null
  readonly guarantee: string
  readonly clientRef: string | null
  /** One text of many: no conversation changes. */
  readonly isBulk: boolean
  readonly idempotency: { readonly key: string; readonly fingerprint: string; readonly answer: string } | null
  readonly messages: readonly OfferedMessage[]
}

/** One message of an offer; `body` null: the text of all. */
export interface OfferedMessage {
  readonly id: string
  readonly to: string
  readonly body: string | null
  readonly segments: number
}
