import type { Limit } from './limits.ts'
import { overLimit } from './refusal.ts'
import { waitForTurn } from './turn.ts'

const RETRY_SECONDS = 5
/** Work that waits: of one holder, and of all. */
const MAX_WAITING = 500
const MAX_WAITING_IN_ALL = 5_000

/** A semaphore; holders take turns. Refuses work that waits over MAX_WAIT_MS or behind too much other. */
export class Places {
  readonly #limit: Limit
  readonly #taken = new Map<string, number>()
  readonly #waiting = new RoundRobin<() => void>()
  readonly #mayEnter: (holder: string, taken: number) => boolean
  #free: number

  /** `mayEnter`: a further condition on a holder that has `taken` places. */
  constructor(limit: Limit, mayEnter: (holder: string, taken: number) => boolean = () => true) {
    this.#limit = limit
    this.#mayEnter = mayEnter
    this.#free = limit.total
  }

  get holders(): Iterable<string> {
    return this.#taken.keys()
  }

  /** Whether no other holder has a place or waits for one. */
  isAlone(holder: string): boolean {
    const others = this.#taken.size - (this.#taken.has(holder) ? 1 : 0)
    return others === 0 && this.#waiting.count === this.#waiting.countOf(holder)
  }

  get use(): Readonly<Record<'running' | 'waiting', number>> {
    return { running: this.#limit.total - this.#free, waiting: this.#waiting.count }
  }

  /** Does `work` in turn. Throws RetryLater. */
  async run<T>(holder: string, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(holder)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** Takes a place until the returned function is called. Throws RetryLater. */
  async enter(holder: string): Promise<() => void> {
    return this.tryEnter(holder) ?? this.#wait(holder)
  }

  /** The same at once; undefined when there is no place. */
  tryEnter(holder: string): (() => void) | undefined {
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

  refusal(holder: string): Error {
    return overLimit(this.#limit.name, !this.#isAdmitted(holder), RETRY_SECONDS)
  }

  #wait(holder: string): Promise<() => void> {
    // a holder with no share of its own may be many: all who sign in
    const most = Number.isFinite(this.#limit.share) ? MAX_WAITING : MAX_WAITING_IN_ALL
    if (this.#waiting.countOf(holder) >= most || this.#waiting.count >= MAX_WAITING_IN_ALL)
      throw this.refusal(holder)
    return waitForTurn(
      (enter) => {
        const waiting = () => enter(this.tryEnter(holder)!)
        this.#waiting.push(holder, waiting)
        return () => this.#waiting.remove(holder, waiting)
      },
      () => this.refusal(holder),
    )
  }

  #leave(holder: string): void {
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

  #isAdmitted(holder: string): boolean {
    const taken = this.#taken.get(holder) ?? 0
    return taken < this.#limit.share && this.#mayEnter(holder, taken)
  }
}

/** A queue with round robin between holders; first come, first served within a holder. */
class RoundRobin<T> {
  /** By holder in the order of turns. None is empty. */
  readonly #waiting = new Map<string, T[]>()
  #count = 0

  get count(): number {
    return this.#count
  }

  countOf(holder: string): number {
    return this.#waiting.get(holder)?.length ?? 0
  }

  push(holder: string, item: T): void {
    const own = this.#waiting.get(holder)
    if (own) own.push(item)
    else this.#waiting.set(holder, [item])
    this.#count++
  }

  /** Takes the first item of the next holder that is admitted, who then goes to the end. */
  shift(isAdmitted: (holder: string) => boolean = () => true): T | undefined {
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
  remove(holder: string, item: T): void {
    const own = this.#waiting.get(holder) ?? []
    const at = own.indexOf(item)
    if (at < 0) return
    own.splice(at, 1)
    if (own.length === 0) this.#waiting.delete(holder)
    this.#count--
  }
}
