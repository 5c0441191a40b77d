import { type AuthRecord, limitsOf, senderIdOf } from '../../request/request.ts'

/** A send's user, and the versions of user and key as read: acceptance compares them. */
export interface Sender {
  readonly user: string
  /** `xmin` of the user's row; null for automatic sends, which only check that the account is enabled. */
  readonly version: string | null
  readonly key?: { readonly id: string; readonly version: string }
  /** A record of `senders`. */
  readonly sentBy: string
  /** An agent of the account: a send has at most MAX_OF_AGENT recipients. */
  readonly isAgent?: boolean
}

/** The sender who signed in without an API key. */
export const senderOf = (auth: AuthRecord): Sender => ({
  user: auth.id,
  version: auth.version,
  sentBy: senderIdOf(auth),
  isAgent: limitsOf(auth) === 'agent',
})

/** An API key with its user, as read. */
interface KeyOfUser {
  readonly auth: AuthRecord
  readonly id: string
  readonly version: string
}

export const senderOfKey = ({ auth, id, version }: KeyOfUser): Sender => ({
  user: auth.id,
  version: auth.version,
  key: { id, version },
  sentBy: id,
})

/** The sender of automatic sends: a campaign, a hook, an automatic answer. `sentBy`: its id. */
export const accountSender = (user: string, sentBy: string): Sender => ({ user, version: null, sentBy })
