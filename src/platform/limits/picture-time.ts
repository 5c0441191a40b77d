import { LIMITS, RATES, type Rate } from './admission-limits.ts'
import type { Holder } from './limit-holder.ts'
import { Rates } from './rates.ts'
import { Places } from './waiting-places.ts'

/**
 * How fast the time that a holder has used is forgotten. It is slow, so that an account's first picture is
 * decoded before those of a crowd of accounts that each decode one every half a minute.
 */
const LATELY: Rate = { name: RATES.pictureTime.name, burst: 3_600_000, perSecond: 5 }

/**
 * Turns to decode pictures. Of the holders that wait, the one that has used the least time lately is next:
 * a holder with many pictures waits behind all with few.
 */
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

  /**
   * Runs `work` in the holder's turn. Throws RetryLater if it has to wait too long, or if the holder has
   * used up its time for longer than calls may wait.
   */
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
