/** A token bucket: holds `burst` tokens at most, gains `perSecond`. It may be overdrawn once, and is then in debt. */
export class TokenBucket {
  readonly #burst: number
  readonly #perSecond: number
  #tokens: number
  #at = performance.now()

  constructor(burst: number, perSecond: number) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#tokens = burst
  }

  get isFull(): boolean {
    return this.#refill() >= this.#burst
  }

  /** Seconds until the bucket is out of debt; 0 if it is not in debt. */
  get debtSeconds(): number {
    return Math.max(0, Math.ceil(-this.#refill() / this.#perSecond))
  }

  take(tokens: number): void {
    this.#tokens = this.#refill() - tokens
  }

  #refill(): number {
    const now = performance.now()
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) / 1000) * this.#perSecond)
    this.#at = now
    return this.#tokens
  }
}
