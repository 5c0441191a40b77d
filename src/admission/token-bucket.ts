import type { Rate } from './limits.ts'

/** A token bucket, full at first. It may be overdrawn, and then stays in debt until refilled. */
export class TokenBucket {
  readonly #size: Rate
  #tokens: number
  #atMs = performance.now()

  constructor(size: Rate) {
    this.#size = size
    this.#tokens = size.burst
  }

  /** Seconds until it holds this many tokens; 0 if it does now. For 0 tokens: until it is out of debt. */
  secondsUntil(tokens: number): number {
    return Math.max(0, (tokens - this.#refill()) / this.#size.perSecond)
  }

  /** Takes tokens even if it holds fewer. */
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
