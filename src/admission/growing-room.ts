import type { Share } from './budget.ts'

/** Reserves bytes of a share for incoming data: all declared bytes first, then twice as many each time. */
export class GrowingRoom {
  readonly #share: Share
  readonly #declared: number
  #asked = 0
  #taken = 0

  constructor(share: Share, declared = 0) {
    this.#share = share
    this.#declared = declared
  }

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
