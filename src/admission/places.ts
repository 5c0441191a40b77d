import type { Holder } from './holder.ts'
import type { Limit } from './limits.ts'
import { overLimit } from './refusal.ts'
import type { Everybody } from './ticket.ts'
import { waitForTurn } from './turn.ts'

const RETRY_SECONDS = 5
/** Work that waits: of one holder, and of all. */
const MAX_WAITING = 500
const MAX_WAITING_IN_ALL = 5_000

/** The part of all places that is for holders which have none yet. */
const KEPT = 1 / 4

/**
 * A semaphore; holders take turns. However many come together, there is room for another. Refuses work that
 * waits over MAX_WAIT_MS or behind too much other.
 */
export class Places<H extends string = Holder | Everybody> {
  readonly #limit: Limit
  readonly #taken = new Map<H, number>()
  readonly #waiting = new RoundRobin<H, () => void>()
  readonly #mayEnter: (holder: H, taken: number) => boolean
  #free: number

  /** `mayEnter`: a further condition on a holder that has `taken` places. */
  constructor(limit: Limit, mayEnter: (holder: H, taken: number) => boolean = () => true) {
    this.#limit = limit
    this.#mayEnter = mayEnter
    this.#free = limit.total
  }

  get holders(): Iterable<H> {
    return this.#taken.keys()
  }

  /** Whether no other holder has a place or waits for one. */
  isAlone(holder: H): boolean {
    const others = this.#taken.size - (this.#taken.has(holder) ? 1 : 0)
    return others === 0 && this.#waiting.count === this.#waiting.countOf(holder)
  }

  get use(): Readonly<Record<'running' | 'waiting', number>> {
    return { running: this.#limit.total - this.#free, waiting: this.#waiting.count }
  }

  /** Does `work` in turn. Throws RetryLater. */
  async run<T>(holder: H, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(holder)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** Takes a place until the returned function is called. Throws RetryLater. */
  async enter(holder: H): Promise<() => void> {
    return this.tryEnter(holder) ?? this.#wait(holder)
  }

  /** Takes a place if one is free now; undefined if none is. */
  tryEnter(holder: H): (() => void) | undefined {
    const taken = this.#taken.get(holder) ?? 0
    if (this.#free === 0 || !this.#isAdmitted(holder)) return undefined
    this.#free--
    this.#taken.set(holder, taken + 1)
    let isOver = false
    return () => {
      if (!isOver) this.#leave(holder)
      isOver = true
    }
  }

  /** 429 for a holder that has its share, 503 when no places are left. */
  refusal(holder: H): Error {
    return overLimit(this.#limit.name, !this.#isAdmitted(holder), RETRY_SECONDS)
  }

  #wait(holder: H): Promise<() => void> {
    // a holder with no share of its own may be many: all who sign in
    const most = Number.isFinite(this.#limit.share) ? MAX_WAITING : MAX_WAITING_IN_ALL
    const waiting = this.#waiting.countOf(holder)
    const left = MAX_WAITING_IN_ALL - this.#waiting.count
    const isKept = waiting > 0 && left <= MAX_WAITING_IN_ALL * KEPT
    if (waiting >= most || left === 0 || isKept) throw this.refusal(holder)
    return waitForTurn(
      (enter) => {
        const waiting = () => enter(this.tryEnter(holder)!)
        this.#waiting.push(holder, waiting)
        return () => this.#waiting.remove(holder, waiting)
      },
      () => this.refusal(holder),
    )
  }

  #leave(holder: H): void {
    const left = this.#taken.get(holder)! - 1
    if (left > 0) this.#taken.set(holder, left)
    else this.#taken.delete(holder)
    this.#free++
    while (this.#free > 0) {
      const enter = this.#waiting.shift((other) => this.#isAdmitted(other))
      if (!enter) return
      enter()
    }
  }

  #isAdmitted(holder: H): boolean {
    const { total, share } = this.#limit
    const taken = this.#taken.get(holder) ?? 0
    // where one may have all, none are kept
    if (taken > 0 && share < total && this.#free - 1 < total * KEPT) return false
    return taken < share && this.#mayEnter(holder, taken)
  }
}

/** A queue with round robin between holders; first come, first served within a holder. */
class RoundRobin<H, T> {
  /** By holder in the order of turns. None is empty. */
  readonly #waiting = new Map<H, T[]>()
  #count = 0

  get count(): number {
    return this.#count
  }

  countOf(holder: H): number {
    return this.#waiting.get(holder)?.length ?? 0
  }

  push(holder: H, item: T): void {
    const own = this.#waiting.get(holder)
    if (own) own.push(item)
    else this.#waiting.set(holder, [item])
    this.#count++
  }

  /** Takes the first item of the next holder that is admitted, who then goes to the end. */
  shift(isAdmitted: (holder: H) => boolean = () => true): T | undefined {
    for (const [holder, own] of this.#waiting) {
      if (!isAdmitted(holder)) continue
      const item = own.shift()
      this.#waiting.delete(holder)
      if (own.length > 0) this.#waiting.set(holder, own)
      this.#count--
      return item
    }
    return undefined
  }

  /** Takes an item out of the queue of its holder, if it is still there. */
  remove(holder: H, item: T): void {
    const own = this.#waiting.get(holder) ?? []
    const at = own.indexOf(item)
    if (at < 0) return
    own.splice(at, 1)
    if (own.length === 0) this.#waiting.delete(holder)
    this.#count--
  }
}
