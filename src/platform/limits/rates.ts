import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_WAIT_MS, type Rate } from './admission-limits.ts'
import { type Holder, makeOverLimit } from './limit-holder.ts'

/** Maximum token buckets in memory. Beyond it, the one charged longest ago (most likely full) is dropped. */
const MAX_HOLDERS = 10_000

export class Rates<H extends string = Holder> {
  readonly #rate: Rate
  readonly #buckets = new Map<H, TokenBucket>()

  constructor(rate: Rate) {
    this.#rate = rate
  }

  /** Charges units, even more than are left: the holder is then in debt. */
  charge(holder: H, units: number): void {
    const bucket = this.#bucketOf(holder)
    bucket.take(units)
    this.#buckets.delete(holder)
    this.#buckets.set(holder, bucket)
    if (this.#buckets.size > MAX_HOLDERS) this.#buckets.delete(this.#buckets.keys().next().value!)
  }

  debtOf(holder: H): number {
    return this.#buckets.get(holder)?.secondsUntil(0) ?? 0
  }

  /** Seconds until all units of the holder are there again: how much it has used lately. */
  usedBy(holder: H): number {
    return this.#buckets.get(holder)?.secondsUntil(this.#rate.burst) ?? 0
  }

  /** Charges units. Throws RetryLater (429), and charges nothing, when fewer are left. */
  take(holder: H, units: number): void {
    const seconds = this.#bucketOf(holder).secondsUntil(Math.min(units, this.#rate.burst))
    if (seconds > 0) throw makeOverLimit(this.#rate.name, true, seconds)
    this.charge(holder, units)
  }

  /**
   * Charges units, then waits until an earlier debt is paid off. If that takes over MAX_WAIT_MS, charges
   * nothing and throws RetryLater (429).
   */
  async pay(holder: H, units: number): Promise<void> {
    const seconds = this.#bucketOf(holder).secondsUntil(0)
    if (seconds * 1000 > MAX_WAIT_MS) throw makeOverLimit(this.#rate.name, true, seconds)
    this.charge(holder, units)
    if (seconds > 0) await sleep(seconds * 1000)
  }

  #bucketOf(holder: H): TokenBucket {
    return this.#buckets.get(holder) ?? new TokenBucket(this.#rate)
  }
}

/** A token bucket, full at first. It may be overdrawn; then it is in debt until time refills it. */
class TokenBucket {
  readonly #size: Rate
  #tokens: number
  #atMs = performance.now()

  constructor(size: Rate) {
    this.#size = size
    this.#tokens = size.burst
  }

  /** Seconds until the bucket has this many tokens. For 0 tokens: until it is out of debt. */
  secondsUntil(tokens: number): number {
    return Math.max(0, (tokens - this.#refill()) / this.#size.perSecond)
  }

  take(tokens: number): void {
    this.#tokens = this.#refill() - tokens
  }

  #refill(): number {
    const nowMs = performance.now()
    const gained = ((nowMs - this.#atMs) / 1000) * this.#size.perSecond
    this.#tokens = Math.min(this.#size.burst, this.#tokens + gained)
    this.#atMs = nowMs
    return this.#tokens
  }
}
