import { TooMany } from '../errors.ts'

/** After so long it is worth trying again. */
const RETRY_SECONDS = 5

/** A line before work that few may do at once: so many at work, so many waiting, whoever comes then is sent away. */
export class Line {
  #free: number
  readonly #maxWaiting: number
  readonly #waiting: (() => void)[] = []

  constructor(places: number, maxWaiting: number) {
    this.#free = places
    this.#maxWaiting = maxWaiting
  }

  /** Does `work` when its turn has come, first come first served. Throws 503 when too many wait already. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter()
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  async #enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free--
      return
    }
    if (this.#waiting.length >= this.#maxWaiting)
      throw new TooMany(503, RETRY_SECONDS, 'Too many passwords are being checked. Try again in a moment.')
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** The place goes straight to the next one. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }
}
