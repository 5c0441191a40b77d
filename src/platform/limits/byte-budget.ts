import type { ByteLimit } from './admission-limits.ts'
import { makeOverLimit } from './limit-holder.ts'
import { waitForTurn } from './waiting-places.ts'

const RETRY_SECONDS = 10

/**
 * Divides bytes between holders (accounts, and networks of guests). A holder may take at most as many bytes
 * as then remain free (dynamic thresholds: Choudhury and Hahne, 1998). A `Share`, by which a holder takes
 * bytes, is exempt from this limit while all other shares are empty.
 */
export class Budget {
  readonly #limit: ByteLimit
  readonly #taken = new Map<string, number>()
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

  /** Called by Share only. Takes bytes if there is room or if `isForced`, and returns whether it did. */
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

  /** Called by Share only. Waits for room, then takes the bytes. Throws RetryLater after MAX_WAIT_MS. */
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

  /** The error for lack of room: 429 if the holder has at least the average of all holders, else 503. */
  refusal({ holder }: Share): Error {
    const isOwn = (this.#taken.get(holder) ?? 0) * (this.#taken.size + 1) >= this.taken
    return makeOverLimit(this.#limit.name, isOwn, RETRY_SECONDS)
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

  /** Takes bytes if there is room now. False if there is none. A closed share counts no bytes any more. */
  tryTake(bytes: number): boolean {
    if (this.#isClosed) return true
    if (!this.#budget.tryAdd(this, bytes)) return false
    this.#bytes += bytes
    return true
  }

  async take(bytes: number): Promise<void> {
    if (!this.tryTake(bytes)) await this.#budget.wait(this, bytes)
  }

  takeNow(bytes: number): void {
    if (!this.tryTake(bytes)) throw this.#budget.refusal(this)
  }

  /** Takes bytes even without room, for the answer to a write that is already stored. */
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

  close(): void {
    this.giveBack(this.#bytes)
    this.#isClosed = true
  }
}

/** Reserves bytes of a share for incoming data: first the declared length, then at least double each time. */
export class GrowingRoom {
  readonly #share: Share
  readonly #declared: number
  #asked = 0
  #taken = 0

  constructor(share: Share, declared = 0) {
    this.#share = share
    this.#declared = declared
  }

  async growTo(bytes: number): Promise<void> {
    if (bytes <= this.#asked) return
    const more = Math.max(bytes, this.#declared, 2 * this.#asked) - this.#asked
    this.#asked += more
    await this.#share.take(more)
    this.#taken += more
  }

  leave(): void {
    this.#share.giveBack(this.#taken)
    this.#taken = 0
  }
}

/** Returns a function that takes memory for a file that grows: what it has more than before, by `take`. */
export function reserveAsArrived(
  take: (bytes: number) => void | Promise<void>,
): (bytes: number) => Promise<void> {
  let held = 0
  return async (bytes) => {
    if (bytes <= held) return
    await take(bytes - held)
    held = bytes
  }
}
