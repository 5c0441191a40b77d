import { TooMany } from '../errors.ts'

/** After so long it is worth trying again. */
const RETRY_SECONDS = 5

interface Waiting {
  readonly enter: () => void
  readonly refuse: (error: TooMany) => void
}

/**
 * A line before work that few may do at once: so many at work, so many waiting. Holders (accounts, addresses) take
 * turns, so that nobody waits for the many of somebody else. When the line is full, the holder with the most in it
 * loses its last place.
 */
export class Line {
  #free: number
  readonly #maxWaiting: number
  /** By holder, in the order of their turns. None is empty. */
  readonly #waiting = new Map<string, Waiting[]>()
  #count = 0

  constructor(places: number, maxWaiting: number) {
    this.#free = places
    this.#maxWaiting = maxWaiting
  }

  /** Does `work` when its turn has come; of one holder first come, first served. Throws 503 when too many wait. */
  async run<T>(work: () => Promise<T>, holder = ''): Promise<T> {
    await this.#enter(holder)
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  async #enter(holder: string): Promise<void> {
    if (this.#free > 0) {
      this.#free--
      return
    }
    if (this.#count >= this.#maxWaiting) this.#refuseLast(holder)
    await new Promise<void>((enter, refuse) => {
      const own = this.#waiting.get(holder)
      if (own) own.push({ enter, refuse })
      else this.#waiting.set(holder, [{ enter, refuse }])
      this.#count++
    })
  }

  /** Makes a place for a holder by refusing the last of the one with the most; throws where that is the holder. */
  #refuseLast(holder: string): void {
    const error = new TooMany(
      503,
      RETRY_SECONDS,
      'Too many passwords are being checked. Try again in a moment.',
    )
    const own = this.#waiting.get(holder)?.length ?? 0
    const [, most] = [...this.#waiting].reduce((a, b) => (b[1].length > a[1].length ? b : a), ['', []])
    if (most.length <= own + 1) throw error
    most.pop()!.refuse(error)
    this.#count--
  }

  /** The place goes straight to the next holder, which then is the last to have its turn again. */
  #leave(): void {
    const [first] = this.#waiting
    if (!first) {
      this.#free++
      return
    }
    const [holder, own] = first
    const next = own.shift()!
    this.#waiting.delete(holder)
    if (own.length > 0) this.#waiting.set(holder, own)
    this.#count--
    next.enter()
  }
}
