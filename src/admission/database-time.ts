import { badRequest } from '../errors.ts'
import { RATES } from './limits.ts'
import { Places } from './places.ts'
import { Rates } from './rates.ts'
import type { Ticket } from './ticket.ts'

/**
 * Turns of statements that a client shaped. A holder has a quarter of the places; all holders together that
 * used up their database time have another, one statement each.
 */
export class DatabaseTime {
  readonly #places: Places
  readonly #placesInDebt: Places
  readonly #time = new Rates(RATES.databaseTime)

  /** `total`: statements given to the database at a time. */
  constructor(total: number) {
    const { name } = RATES.databaseTime
    const quarter = Math.max(1, total >> 2)
    this.#places = new Places({ name, total, share: quarter })
    this.#placesInDebt = new Places({ name, total: quarter, share: 1 })
  }

  /** Statements that run and wait. */
  get use(): Readonly<Record<'running' | 'waiting', number>> {
    const { running, waiting } = this.#places.use
    return { running, waiting: waiting + this.#placesInDebt.use.waiting }
  }

  /** Runs a statement in turn. Throws RetryLater; 400 when the client has hung up meanwhile. */
  async run<T>(ticket: Ticket, statement: () => Promise<T>): Promise<T> {
    const { holder } = ticket
    const inTurn = () =>
      this.#places.run(holder, async () => {
        if (ticket.isGone()) throw badRequest()
        const startMs = performance.now()
        try {
          return await statement()
        } finally {
          this.#time.charge(holder, performance.now() - startMs)
        }
      })
    return this.#time.isInDebt(holder) ? this.#placesInDebt.run(holder, inTurn) : inTurn()
  }
}
