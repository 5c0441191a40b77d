import type { Sender } from './sender.ts'

/** A request that passed its checks, as sql/functions/sms/sms_accept.sql takes it. Null is unset. */
export interface Offer {
  readonly user: string
  /** The credentials as they were read: `xmin` of the user's row, and of the API key's if one was used. */
  readonly version: string
  readonly key: string | null
  readonly keyVersion: string | null
  /** The device that the request named. */
  readonly device: string | null
  /** The line that the request named, by its id. */
  readonly line: string | null
  /** The line that the request named, by its number. */
  readonly from: string | null
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
  /** The id by which SMSGate's client API names the send, and the message or batch that it names. */
  readonly sendId?: { readonly id: string; readonly ref: string }
  readonly messages: readonly OfferedMessage[]
  /** What a message has from Twilio's API; null for all others. */
  readonly twilio: TwilioOrigin | null
}

/** What an offer says apart from its sender and its messages when its request sets nothing. */
export const PLAIN_OFFER: Omit<Offer, 'user' | 'version' | 'messages'> = {
  key: null,
  keyVersion: null,
  device: null,
  line: null,
  from: null,
  later: false,
  batch: null,
  body: null,
  priority: 0,
  sim: 0,
  scheduledAt: null,
  expiresAt: null,
  guarantee: 'at_most_once',
  clientRef: null,
  isBulk: false,
  idempotency: null,
  twilio: null,
}

/** The credentials of an offer that a sender makes. */
export const credentialsOf = ({ user, version, key }: Sender) => ({
  user,
  version,
  key: key?.id ?? null,
  keyVersion: key?.version ?? null,
})

/** A row of twilio_messages, which is stored with its message. */
export interface TwilioOrigin {
  /** The API key whose token signs the status callbacks. */
  readonly api_key: string
  /** Where the statuses go; '' for nowhere. */
  readonly callback: string
  /** The request named the messaging service. */
  readonly service: boolean
  /** The message is a TwiML answer. */
  readonly reply: boolean
}

/** One message of an offer; `body` null: the text of all. */
export interface OfferedMessage {
  readonly id: string
  readonly to: string
  readonly body: string | null
  readonly segments: number
  /** The time zone in whose quiet hours it waits, '' for that of the account; absent: it does not. */
  readonly zone?: string
}
