import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const TICK_MS = 20

/** The event streams that are open, each with the function that ends it. */
export class OpenStreams {
  readonly #ends = new Set<() => void>()
  #isEnding = false

  /** Adds a stream until its answer closes. A stream that opens while the others end, ends at once. */
  add(outgoing: ServerResponse, end: () => void): void {
    if (outgoing.closed) return
    if (this.#isEnding) end()
    else {
      this.#ends.add(end)
      outgoing.once('close', () => this.#ends.delete(end))
    }
  }

  /** Ends all streams one after the other within `ms`, so that clients reconnect one after the other. */
  async endInTurn(ms: number): Promise<void> {
    this.#isEnding = true
    const ticks = Math.ceil(ms / TICK_MS)
    const each = Math.ceil(this.#ends.size / ticks)
    for (let left = ticks; left > 0 && this.#ends.size > 0; left--) {
      for (const end of [...this.#ends].slice(0, each)) this.#end(end)
      await sleep(TICK_MS)
    }
  }

  endAll(): void {
    this.#isEnding = true
    for (const end of this.#ends) this.#end(end)
  }

  #end(end: () => void): void {
    this.#ends.delete(end)
    end()
  }
}
