import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Unique work of Android's work manager: begins after a while. Work that is replaced is told to stop, and
 * nobody waits until it has: what it cannot break off goes on beside its successor.
 */
export class UniqueWork {
  #current: AbortController | undefined
  readonly #latencyMs: () => number
  readonly #work: (stop: AbortSignal) => Promise<void>

  constructor(latencyMs: () => number, work: (stop: AbortSignal) => Promise<void>) {
    this.#latencyMs = latencyMs
    this.#work = work
  }

  /** `replace`: in place of work that waits or runs; `keep`: only if there is none. */
  async start(policy: 'replace' | 'keep'): Promise<void> {
    if (policy === 'keep' && this.#current) return
    this.stop()
    const mine = new AbortController()
    this.#current = mine
    try {
      await sleep(this.#latencyMs())
      if (!mine.signal.aborted) await this.#work(mine.signal)
    } finally {
      if (this.#current === mine) this.#current = undefined
    }
  }

  get isBusy(): boolean {
    return this.#current !== undefined
  }

  stop(): void {
    this.#current?.abort()
    this.#current = undefined
  }
}
