import type { Limit, Rate } from './admission-limits.ts'
import type { Holder } from './limit-holder.ts'
import { Rates } from './rates.ts'
import { Places } from './waiting-places.ts'

/** Places for long work. Of the holders that wait, the one that has used the least time lately is next. */
export class TimedPlaces {
  readonly #time: Rates
  readonly #places: Places<Holder>

  /** `rate`: how much of the used time, in milliseconds, is forgotten each second. */
  constructor(limit: Limit, rate: Rate) {
    this.#time = new Rates(rate)
    this.#places = new Places<Holder>(limit, (holder) => this.#time.usedBy(holder))
  }

  get use(): Readonly<Record<'running' | 'waiting', number>> {
    return this.#places.use
  }

  /** Runs `work` in the holder's turn. Throws RetryLater if it has to wait too long. */
  run<T>(holder: Holder, work: () => Promise<T>): Promise<T> {
    return this.#places.run(holder, async () => {
      const startMs = performance.now()
      try {
        return await work()
      } finally {
        this.#time.charge(holder, performance.now() - startMs)
      }
    })
  }
}
