import { setTimeout as sleep } from 'node:timers/promises'
import { badRequest } from '../api-errors.ts'
import { FIRST_ROWS, MAX_WAIT_MS, RATES, type Rate } from './admission-limits.ts'
import { type Holder, makeOverLimit, type Ticket } from './limit-holder.ts'
import { Places } from './waiting-places.ts'

/** Maximum token buckets in memory. Beyond it, the one charged longest ago (most likely full) is dropped. */
const MAX_HOLDERS = 10_000

export class Rates<H extends string = Holder> {
  readonly #rate: Rate
  readonly #buckets = new Map<H, TokenBucket>()

  constructor(rate: Rate) {
    this.#rate = rate
  }

  /** Charges units, even more than are left: the holder is then in debt. */
  charge(holder: H, units: number): void {
    const bucket = this.#bucketOf(holder)
    bucket.take(units)
    this.#buckets.delete(holder)
    this.#buckets.set(holder, bucket)
    if (this.#buckets.size > MAX_HOLDERS) this.#buckets.delete(this.#buckets.keys().next().value!)
  }

  debtOf(holder: H): number {
    return this.#buckets.get(holder)?.secondsUntil(0) ?? 0
  }

  /** Seconds until all units of the holder are there again: how much it has used lately. */
  usedBy(holder: H): number {
    return this.#buckets.get(holder)?.secondsUntil(this.#rate.burst) ?? 0
  }

  /** Charges units. Throws RetryLater (429), and charges nothing, when fewer are left. */
  take(holder: H, units: number): void {
    const seconds = this.#bucketOf(holder).secondsUntil(Math.min(units, this.#rate.burst))
    if (seconds > 0) throw makeOverLimit(this.#rate.name, true, seconds)
    this.charge(holder, units)
  }

  /**
   * Charges units, then waits until an earlier debt is paid off. If that takes over MAX_WAIT_MS, charges
   * nothing and throws RetryLater (429).
   */
  async pay(holder: H, units: number): Promise<void> {
    const seconds = this.#bucketOf(holder).secondsUntil(0)
    if (seconds * 1000 > MAX_WAIT_MS) throw makeOverLimit(this.#rate.name, true, seconds)
    this.charge(holder, units)
    if (seconds > 0) await sleep(seconds * 1000)
  }

  #bucketOf(holder: H): TokenBucket {
    return this.#buckets.get(holder) ?? new TokenBucket(this.#rate)
  }
}

/** A token bucket, full at first. It may be overdrawn; then it is in debt until time refills it. */
class TokenBucket {
  readonly #size: Rate
  #tokens: number
  #atMs = performance.now()

  constructor(size: Rate) {
    this.#size = size
    this.#tokens = size.burst
  }

  /** Seconds until the bucket has this many tokens. For 0 tokens: until it is out of debt. */
  secondsUntil(tokens: number): number {
    return Math.max(0, (tokens - this.#refill()) / this.#size.perSecond)
  }

  take(tokens: number): void {
    this.#tokens = this.#refill() - tokens
  }

  #refill(): number {
    const nowMs = performance.now()
    const gained = ((nowMs - this.#atMs) / 1000) * this.#size.perSecond
    this.#tokens = Math.min(this.#size.burst, this.#tokens + gained)
    this.#atMs = nowMs
    return this.#tokens
  }
}

/**
 * Runs statements with clients' filters in turn. A holder may run half of `total` at once while it is alone,
 * else a quarter. A holder that has used up its database time runs one at once, after holders with less debt.
 * Holders in debt together run at most half of `total`: the other places are for holders with time left.
 */
export class DatabaseTime {
  readonly #places: Places<Holder>
  readonly #time = new Rates(RATES.databaseTime)
  readonly #half: number
  readonly #quarter: number
  #running = 0
  #sharedMs = 0
  #atMs = 0

  constructor(total: number) {
    this.#half = Math.max(1, total >> 1)
    this.#quarter = Math.max(1, total >> 2)
    const limit = { name: RATES.databaseTime.name, total, share: this.#half }
    this.#places = new Places<Holder>(limit, {
      mayEnter: (holder, taken) => this.#mayEnter(holder, taken),
    })
  }

  get use(): Readonly<Record<'running' | 'waiting', number>> {
    return this.#places.use
  }

  /**
   * Runs a statement in its holder's turn. Throws RetryLater if it has to wait too long, 400
   * if the client has hung up meanwhile.
   */
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
    return taken === 0 && debts.filter((other) => other > 0 && other <= debt).length < this.#half
  }
}

interface Size {
  readonly ofServer: number
  readonly ofClients: number
}

export const makeDatabasePlaces = (size?: Size) => ({
  time: size && new DatabaseTime(size.ofClients),
  connections: new Places({
    name: RATES.databaseTime.name,
    total: size?.ofServer ?? Infinity,
    share: Infinity,
  }),
  firstRows: new Places(FIRST_ROWS),
})
