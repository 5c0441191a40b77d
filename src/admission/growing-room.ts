import type { Share } from './budget.ts'

/** Room for bytes that come in: for all that were declared at once, else for twice as many each time. */
export class GrowingRoom {
  readonly #share: Share
  readonly #declared: number
  #asked = 0
  #taken = 0

  constructor(share: Share, declared = 0) {
    this.#share = share
    this.#declared = declared
  }

  /** Waits until there is room for this many bytes in all. Throws RetryLater. */
  async growTo(bytes: number): Promise<void> {
    if (bytes <= this.#asked) return
    const more = Math.max(bytes, this.#declared, 2 * this.#asked) - this.#asked
    this.#asked += more
    await this.#share.take(more)
    this.#taken += more
  }

  leave(): void {
    this.#share.giveBack(this.#taken)
    this.#taken = 0
  }
}
