import { type AuthRecord, senderIdOf } from '../../request/request.ts'

/** A send's user, and the versions of user and key as read: acceptance compares them. */
export interface Sender {
  readonly user: string
  /** `xmin` of the user's row; null for work that the account has ordered, unless it is disabled. */
  readonly version: string | null
  readonly key?: { readonly id: string; readonly version: string }
  /** A record of `senders`. */
  readonly sentBy: string
}

/** The sender who signed in without an API key. */
export const senderOf = (auth: AuthRecord): Sender => ({
  user: auth.id,
  version: auth.version,
  sentBy: senderIdOf(auth),
})

/** An API key as it was read, with its user. */
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

/** Who sends what an account has ordered: a campaign, a hook, an answer. `sentBy`: its id. */
export const accountSender = (user: string, sentBy: string): Sender => ({ user, version: null, sentBy })
