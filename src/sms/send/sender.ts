import { StaleAuth } from '../../records/fresh-auth.ts'
import { type AuthRecord, senderIdOf } from '../../request/request.ts'

/** A send's user, and the versions of user and key as read: acceptance compares them. */
export interface Sender {
  readonly user: string
  readonly version: string
  readonly key: { readonly id: string; readonly version: string } | null
  /** A record of `senders`. */
  readonly sentBy: string
}

/** Tries of a send whose sender changes each time between the read and the commit. */
const MAX_TRIES = 5

/** Repeats a job's send while it throws StaleAuth, up to 5 times; from the second try uncached. */
export async function retryStale<T>(work: (tries: number) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work(tries)
    } catch (error) {
      if (tries === MAX_TRIES || !(error instanceof StaleAuth)) throw error
    }
  }
}

/** The sender who signed in without an API key. */
export const senderOf = (auth: AuthRecord): Sender => ({
  user: auth.id,
  version: auth.version,
  key: null,
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
