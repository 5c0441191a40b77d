import { randomId } from '../../tools/random.ts'
import { zoneOfNumber } from '../../tools/time-zones.ts'
import { type Origin, PLAIN_OPTIONS, type SendOptions } from './body.ts'
import type { Sender } from './sender.ts'

/** A request that passed its checks, as `sms_accept` takes it. Null is unset; in the options, '' is. */
export interface Offer extends Omit<SendOptions, 'origin'> {
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
  readonly idempotency: { readonly key: string; readonly fingerprint: string; readonly answer: string } | null
  /** Null for a send of our own API. `ref`: its message or batch. */
  readonly origin: (Origin & { readonly ref: string }) | null
  readonly messages: readonly OfferedMessage[]
}

/** What an offer says apart from its sender and its messages when its request sets nothing. */
export const PLAIN_OFFER: Omit<Offer, 'user' | 'version' | 'messages'> = {
  ...PLAIN_OPTIONS,
  key: null,
  keyVersion: null,
  device: null,
  line: null,
  from: null,
  later: false,
  batch: null,
  body: null,
  idempotency: null,
  origin: null,
}

/** The credentials of an offer that a sender makes. */
export const credentialsOf = ({ user, version, key }: Sender) => ({
  user,
  version,
  key: key?.id ?? null,
  keyVersion: key?.version ?? null,
})

/** One message of an offer; `body` null: the text of all. */
export interface OfferedMessage {
  readonly id: string
  readonly to: string
  readonly body: string | null
  readonly segments: number
  /** The time zone in whose quiet hours it waits, '' for that of the account; absent: it does not. */
  readonly zone?: string
}

/** A new message. `isShared`: its text is the offer's; `keepsQuiet`: it waits during quiet hours. */
export const offeredMessage = (
  { to, body, segments }: { readonly to: string; readonly body: string; readonly segments: number },
  isShared: boolean,
  keepsQuiet = false,
): OfferedMessage => ({
  id: randomId(),
  to,
  body: isShared ? null : body,
  segments,
  ...(keepsQuiet && { zone: zoneOfNumber(to) }),
})
