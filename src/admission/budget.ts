import { overLimit } from './holder.ts'
import type { ByteLimit } from './limits.ts'
import { waitForTurn } from './places.ts'

const RETRY_SECONDS = 10

/**
 * Bytes shared between holders. A holder may have as many as are left free, so one has half of all at most,
 * ten have an eleventh each, and there is always room for another (dynamic thresholds: Choudhury and Hahne,
 * 1998). A larger request is served while no other request has any.
 */
export class Budget {
  readonly #limit: ByteLimit
  readonly #taken = new Map<string, number>()
  /** Requests that wait. Each call enters if there is room. */
  readonly #waiting = new Set<() => void>()
  #free: number

  constructor(limit: ByteLimit) {
    this.#limit = limit
    this.#free = limit.total
  }

  get taken(): number {
    return this.#limit.total - this.#free
  }

  open(holder: string): Share {
    return new Share(this, holder)
  }

  /** Used by Share alone. With `isForced` there need not be room. */
  tryAdd(share: Share, bytes: number, isForced = false): boolean {
    const taken = this.#taken.get(share.holder) ?? 0
    const isAlone = this.taken === share.bytes
    if (bytes > 0 && !isForced && !isAlone && taken + bytes > this.#free - bytes) return false
    this.#free -= bytes
    if (taken + bytes > 0) this.#taken.set(share.holder, taken + bytes)
    else this.#taken.delete(share.holder)
    if (bytes < 0) this.#admit()
    return true
  }

  /** Used by Share alone. Throws RetryLater. */
  wait(share: Share, bytes: number): Promise<void> {
    return waitForTurn<void>(
      (enter) => {
        const tryEnter = () => {
          if (!share.tryTake(bytes)) return
          this.#waiting.delete(tryEnter)
          enter()
        }
        this.#waiting.add(tryEnter)
        return () => this.#waiting.delete(tryEnter)
      },
      () => this.refusal(share),
    )
  }

  /** 429 for a holder with more than an equal part, else 503. */
  refusal({ holder }: Share): Error {
    const isOwn = (this.#taken.get(holder) ?? 0) * (this.#taken.size + 1) >= this.taken
    return overLimit(this.#limit.name, isOwn, RETRY_SECONDS)
  }

  #admit(): void {
    for (const tryEnter of this.#waiting) tryEnter()
  }
}

export class Share {
  readonly #budget: Budget
  readonly holder: string
  #bytes = 0
  #isClosed = false

  constructor(budget: Budget, holder: string) {
    this.#budget = budget
    this.holder = holder
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Takes more bytes if there is room now. A closed share takes nothing and has room for all. */
  tryTake(bytes: number): boolean {
    if (this.#isClosed) return true
    if (!this.#budget.tryAdd(this, bytes)) return false
    this.#bytes += bytes
    return true
  }

  /** Takes more bytes, and waits for room if there is none. Throws RetryLater. */
  async take(bytes: number): Promise<void> {
    if (!this.tryTake(bytes)) await this.#budget.wait(this, bytes)
  }

  /** Takes more bytes at once. Throws RetryLater. */
  takeNow(bytes: number): void {
    if (!this.tryTake(bytes)) throw this.#budget.refusal(this)
  }

  /** Takes bytes for the answer to a stored write, even without room. */
  force(bytes: number): void {
    if (this.#isClosed) return
    this.#bytes += bytes
    this.#budget.tryAdd(this, bytes, true)
  }

  giveBack(bytes: number): void {
    if (this.#isClosed) return
    this.#bytes -= bytes
    this.#budget.tryAdd(this, -bytes)
  }

  /** Gives everything back. The share counts nothing from then on. */
  close(): void {
    this.giveBack(this.#bytes)
    this.#isClosed = true
  }
}
