import { setTimeout as sleep } from 'node:timers/promises'
import { TokenBucket } from '../../admission/token-bucket.ts'
import { RetryLater } from '../../errors.ts'
import { EventLoopSlices } from '../../tools/event-loop-slices.ts'
import { isGuest } from '../server/holder.ts'

/** Bytes of bodies that may be worked on at once and a second, of one account and of one guest address. */
const ACCOUNT = { burst: 4 << 20, perSecond: 2 << 20 }
const GUEST = { burst: 2 << 20, perSecond: 1 << 20 }
/** A body waits this long for its client's share at most. */
const PATIENCE_SECONDS = 30
/** The event loop is left to others for as long as the last work took, but not longer. */
const MAX_REST_MS = 100
/** Clients whose share is whole again are forgotten when there are this many. */
const MAX_KNOWN = 1_000

/**
 * Shares the event loop between work on large bodies and everything else. Each client has a share of bytes a
 * second; bodies beyond it wait. Of all clients one piece of work runs at a time, with a rest after it.
 */
export class BodyPace {
  /** The share of each client, in bytes. */
  readonly #shares = new Map<string, TokenBucket>()
  readonly #slices = new EventLoopSlices(MAX_REST_MS)

  /**
   * Takes so many bytes of a client's share, and waits until those taken before are earned. Throws 429 when
   * that takes too long. Without a `holder`, as for superusers, nothing is counted.
   */
  async share(holder: string | undefined, bytes: number): Promise<void> {
    if (holder === undefined) return
    const share = this.#shares.get(holder) ?? new TokenBucket(isGuest(holder) ? GUEST : ACCOUNT)
    const seconds = share.secondsUntil(0)
    if (seconds > PATIENCE_SECONDS) throw new RetryLater(429, Math.ceil(seconds - PATIENCE_SECONDS))
    share.take(bytes)
    this.#shares.set(holder, share)
    if (this.#shares.size > MAX_KNOWN) this.#forget()
    if (seconds > 0) await sleep(seconds * 1000)
  }

  /**
   * Fulfilled when the event loop may be used for a while, in the order of calls. The work must follow at
   * once.
   */
  nextSlice(): Promise<void> {
    return this.#slices.next()
  }

  #forget(): void {
    for (const [holder, share] of this.#shares) if (share.isFull) this.#shares.delete(holder)
  }
}

/** That of this process. */
export const bodyPace = new BodyPace()
