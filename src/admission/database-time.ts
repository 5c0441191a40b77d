import { badRequest } from '../errors.ts'
import type { Holder, Ticket } from './holder.ts'
import { FIRST_ROWS, RATES } from './limits.ts'
import { Places } from './places.ts'
import { Rates } from './rates.ts'

/**
 * Turns of client-shaped statements: half of the places for a single holder, a quarter beside others. A
 * holder in debt of database time gets one, and waits for holders with smaller debts.
 */
export class DatabaseTime {
  readonly #places: Places<Holder>
  readonly #time = new Rates(RATES.databaseTime)
  readonly #quarter: number
  #running = 0
  #sharedMs = 0
  #atMs = 0

  constructor(total: number) {
    this.#quarter = Math.max(1, total >> 2)
    const limit = { name: RATES.databaseTime.name, total, share: Math.max(1, total >> 1) }
    this.#places = new Places<Holder>(limit, (holder, taken) => this.#mayEnter(holder, taken))
  }

  get use(): Readonly<Record<'running' | 'waiting', number>> {
    return this.#places.use
  }

  /** Runs a statement in its holder's turn. Throws RetryLater; 400 if the client has hung up meanwhile. */
  run<T>(ticket: Ticket, statement: () => Promise<T>): Promise<T> {
    const { holder } = ticket
    return this.#places.run(holder, async () => {
      if (ticket.isGone()) throw badRequest()
      const start = this.#clock()
      this.#running++
      try {
        return await statement()
      } finally {
        this.#time.charge(holder, this.#clock() - start)
        this.#running--
      }
    })
  }

  /** A clock in milliseconds. While n statements run, it advances by 1/n of the real time. */
  #clock(): number {
    const nowMs = performance.now()
    this.#sharedMs += (nowMs - this.#atMs) / Math.max(1, this.#running)
    this.#atMs = nowMs
    return this.#sharedMs
  }

  #mayEnter(holder: Holder, taken: number): boolean {
    if (this.#places.isAlone(holder)) return true
    const debt = this.#time.debtOf(holder)
    if (debt === 0) return taken < this.#quarter
    const debts = [...this.#places.holders].map((other) => this.#time.debtOf(other))
    return taken === 0 && debts.filter((other) => other > 0 && other <= debt).length < this.#quarter
  }
}

interface Size {
  readonly ofServer: number
  readonly ofClients: number
}

export const databasePlaces = (size?: Size) => ({
  time: size && new DatabaseTime(size.ofClients),
  connections: new Places({
    name: RATES.databaseTime.name,
    total: size?.ofServer ?? Infinity,
    share: Infinity,
  }),
  firstRows: new Places(FIRST_ROWS),
})
