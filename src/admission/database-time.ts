import { badRequest } from '../errors.ts'
import { RATES } from './limits.ts'
import { Places } from './places.ts'
import { Rates } from './rates.ts'
import type { Ticket } from './ticket.ts'

/**
 * Turns of statements that a client shaped. A holder has at most half of the places. While others have or
 * want places, a holder that used up its database time has one, and all such holders a quarter.
 */
export class DatabaseTime {
  readonly #places: Places
  readonly #time = new Rates(RATES.databaseTime)
  readonly #quarter: number

  /** `total`: statements given to the database at a time. */
  constructor(total: number) {
    this.#quarter = Math.max(1, total >> 2)
    const limit = { name: RATES.databaseTime.name, total, share: Math.max(1, total >> 1) }
    this.#places = new Places(limit, (holder, taken) => this.#mayEnter(holder, taken))
  }

  /** Statements that run and wait. */
  get use(): Readonly<Record<'running' | 'waiting', number>> {
    return this.#places.use
  }

  /** Runs a statement in turn. Throws RetryLater; 400 when the client has hung up meanwhile. */
  run<T>(ticket: Ticket, statement: () => Promise<T>): Promise<T> {
    const { holder } = ticket
    return this.#places.run(holder, async () => {
      if (ticket.isGone()) throw badRequest()
      const startMs = performance.now()
      try {
        return await statement()
      } finally {
        this.#time.charge(holder, performance.now() - startMs)
      }
    })
  }

  #mayEnter(holder: string, taken: number): boolean {
    if (!this.#time.isInDebt(holder) || this.#places.isAlone(holder)) return true
    const inDebt = [...this.#places.holders].filter((other) => this.#time.isInDebt(other))
    return taken === 0 && inDebt.length < this.#quarter
  }
}
