import { RetryLater } from '../../errors.ts'
import { Lru } from '../../tools/lru.ts'

/** A refusal is repeated this long without a statement. */
const REPEAT_MS = 1_000
const MAX_KEPT = 10_000

interface Refusal {
  readonly atMs: number
  readonly waitSeconds: number
}

/** Recent refusals by key. A client that retries at once costs no statement. */
export class RecentRefusals {
  readonly #kept = new Lru<string, Refusal>(MAX_KEPT)

  /** Remembers a refusal of `key` and returns the 429. */
  add(key: string, waitSeconds: number): RetryLater {
    this.#kept.set(key, { atMs: performance.now(), waitSeconds })
    return new RetryLater(429, waitSeconds)
  }

  /** Throws 429 if `key` was refused within the last second. */
  check(key: string): void {
    const known = this.#kept.get(key)
    if (known && performance.now() - known.atMs < Math.min(REPEAT_MS, known.waitSeconds * 1_000))
      throw new RetryLater(429, known.waitSeconds)
  }
}
