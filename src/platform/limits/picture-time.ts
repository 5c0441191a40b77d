import { LIMITS, RATES, type Rate } from './admission-limits.ts'
import type { Holder } from './limit-holder.ts'
import { Rates } from './rates.ts'
import { Places } from './waiting-places.ts'

/** Slow: an account's first picture precedes those of a crowd that decodes one every half a minute each. */
const LATELY: Rate = { name: RATES.pictureTime.name, burst: 3_600_000, perSecond: 5 }

/** Next is the holder with the least time lately: one with many pictures waits behind all with few. */
export class PictureTime {
  readonly #time: Rates
  readonly #lately = new Rates(LATELY)
  readonly #places = new Places<Holder>(LIMITS.pictures, {
    rank: (holder) => this.#lately.usedBy(holder),
  })

  constructor(time = new Rates(RATES.pictureTime)) {
    this.#time = time
  }

  get use(): Readonly<Record<'running' | 'waiting', number>> {
    return this.#places.use
  }

  /** Waits for the holder's turn. Throws RetryLater after too long a wait, or with too little time left. */
  async run<T>(holder: Holder, work: () => Promise<T>): Promise<T> {
    await this.#time.pay(holder, 0)
    return this.#places.run(holder, async () => {
      const startMs = performance.now()
      try {
        return await work()
      } finally {
        const ms = performance.now() - startMs
        this.#time.charge(holder, ms)
        this.#lately.charge(holder, ms)
      }
    })
  }
}
