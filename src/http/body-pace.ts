import { setTimeout as sleep } from 'node:timers/promises'
import { TooMany } from '../errors.ts'
import { isGuest } from './holder.ts'

/** Bytes of bodies that may be worked on at once and a second, of one account and of one guest address. */
const ACCOUNT = { burst: 4 << 20, perSecond: 2 << 20 }
const GUEST = { burst: 2 << 20, perSecond: 1 << 20 }
/** A body waits this long for its client's share at most. */
const PATIENCE_MS = 30_000
/** Work that took less needs no rest after it. */
const SHORT_MS = 4
/** The event loop is left to others for as long as the last work took, but not longer. */
const MAX_REST_MS = 100
/** Clients whose share is whole again are forgotten when there are this many. */
const MAX_KNOWN = 1_000

/**
 * Shares the event loop between work on large bodies and everything else. Each client has a share of bytes a second; bodies beyond it
 * wait. Of all clients one piece of work runs at a time, with a rest after it.
 */
export class BodyPace {
  /** When the share of a client is used up to, in milliseconds of `performance.now`. */
  readonly #usedUntil = new Map<string, number>()
  #last: Promise<void> = Promise.resolve()

  /**
   * Takes so many bytes of a client's share, and waits until those taken before are earned. Throws 429 when that takes too long.
   * Without a `holder`, as for superusers, nothing is counted.
   */
  async share(holder: string | undefined, bytes: number): Promise<void> {
    if (holder === undefined) return
    const { burst, perSecond } = isGuest(holder) ? GUEST : ACCOUNT
    const now = performance.now()
    const begin = Math.max(this.#usedUntil.get(holder) ?? 0, now - (burst / perSecond) * 1_000)
    const waitMs = begin - now
    if (waitMs > PATIENCE_MS) throw new TooMany(429, Math.ceil((waitMs - PATIENCE_MS) / 1_000))
    this.#usedUntil.set(holder, begin + (bytes / perSecond) * 1_000)
    if (this.#usedUntil.size > MAX_KNOWN) this.#forget(now)
    if (waitMs > 0) await sleep(waitMs)
  }

  /** Resolves when the event loop may be used for a while, in the order of calls. The work must follow at once. */
  async turn(): Promise<void> {
    const before = this.#last
    let done = () => {}
    this.#last = new Promise((resolve) => {
      done = resolve
    })
    await before
    const beganAt = performance.now()
    setImmediate(() => {
      const tookMs = performance.now() - beganAt
      if (tookMs < SHORT_MS) done()
      else setTimeout(done, Math.min(tookMs, MAX_REST_MS))
    })
  }

  #forget(now: number): void {
    for (const [holder, until] of this.#usedUntil)
      if (until < now - PATIENCE_MS) this.#usedUntil.delete(holder)
  }
}

/** That of this process. */
export const bodyPace = new BodyPace()
