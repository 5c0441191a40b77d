import { setTimeout as sleep } from 'node:timers/promises'
import { type Holder, overLimit } from './holder.ts'
import { MAX_WAIT_MS, type Rate } from './limits.ts'

/** Maximum buckets. The one charged longest ago is dropped, as it is full again. */
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

  /** Charges units. Throws RetryLater (429), and charges nothing, when fewer are left. */
  take(holder: H, units: number): void {
    const seconds = this.#bucketOf(holder).secondsUntil(Math.min(units, this.#rate.burst))
    if (seconds > 0) throw overLimit(this.#rate.name, true, seconds)
    this.charge(holder, units)
  }

  /** Waits until the holder is out of debt, then charges. Throws RetryLater (429) if that takes too long. */
  async pay(holder: H, units: number): Promise<void> {
    const seconds = this.#bucketOf(holder).secondsUntil(0)
    if (seconds * 1000 > MAX_WAIT_MS) throw overLimit(this.#rate.name, true, seconds)
    this.charge(holder, units)
    if (seconds > 0) await sleep(seconds * 1000)
  }

  #bucketOf(holder: H): TokenBucket {
    return this.#buckets.get(holder) ?? new TokenBucket(this.#rate)
  }
}

/** A token bucket, full at first. It may be overdrawn, and then stays in debt until refilled. */
class TokenBucket {
  readonly #size: Rate
  #tokens: number
  #atMs = performance.now()

  constructor(size: Rate) {
    this.#size = size
    this.#tokens = size.burst
  }

  /** Seconds until it holds this many tokens; with 0 tokens, until it is out of debt. */
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
