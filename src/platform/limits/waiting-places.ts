import { type Limit, MAX_WAIT_MS } from './admission-limits.ts'
import { type Everybody, type Holder, makeOverLimit } from './limit-holder.ts'

const RETRY_SECONDS = 5
const MAX_WAITING = 500
const MAX_WAITING_IN_ALL = 5_000

const KEPT = 1 / 4

/**
 * A semaphore with `limit.total` places. Holders take turns; the last quarter of the places is for holders
 * that have none. Refuses calls that wait over MAX_WAIT_MS, or behind MAX_WAITING calls of their holder.
 */
export class Places<H extends string = Holder | Everybody> {
  readonly #limit: Limit
  readonly #taken = new Map<H, number>()
  /** Waiting calls by holder; the first holder's turn is next. No list is empty. */
  readonly #waiting = new Map<H, (() => void)[]>()
  #waitingInAll = 0
  readonly #mayEnter: ((holder: H, taken: number) => boolean) | undefined
  #free: number

  readonly #rank: ((holder: H) => number) | undefined

  /**
   * `mayEnter` must also be true before a holder that has `taken` places gets another. Of the holders that
   * wait, one with a lower `rank` is next.
   */
  constructor(
    limit: Limit,
    {
      mayEnter,
      rank,
    }: {
      readonly mayEnter?: (holder: H, taken: number) => boolean
      readonly rank?: (holder: H) => number
    } = {},
  ) {
    this.#limit = limit
    this.#mayEnter = mayEnter
    this.#rank = rank
    this.#free = limit.total
  }

  get holders(): Iterable<H> {
    return this.#taken.keys()
  }

  isAlone(holder: H): boolean {
    const isOther = (map: ReadonlyMap<H, unknown>) => map.size > (map.has(holder) ? 1 : 0)
    return !isOther(this.#taken) && !isOther(this.#waiting)
  }

  get use(): Readonly<Record<'running' | 'waiting', number>> {
    return { running: this.#limit.total - this.#free, waiting: this.#waitingInAll }
  }

  async run<T>(holder: H, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(holder)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  async enter(holder: H): Promise<() => void> {
    return this.tryEnter(holder) ?? this.#wait(holder)
  }

  tryEnter(holder: H): (() => void) | undefined {
    if (this.#free === 0 || !this.#isAdmitted(holder)) return undefined
    this.#free--
    this.#taken.set(holder, (this.#taken.get(holder) ?? 0) + 1)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      const left = this.#taken.get(holder)! - 1
      if (left > 0) this.#taken.set(holder, left)
      else this.#taken.delete(holder)
      this.#free++
      if (this.#waitingInAll > 0) this.#admit()
    }
  }

  refusal(holder: H): Error {
    return makeOverLimit(this.#limit.name, !this.#isAdmitted(holder), RETRY_SECONDS)
  }

  #wait(holder: H): Promise<() => void> {
    // without a limit per holder, one holder may be many clients, such as all who sign in
    const most = Number.isFinite(this.#limit.share) ? MAX_WAITING : MAX_WAITING_IN_ALL
    const own = this.#waiting.get(holder) ?? []
    const left = MAX_WAITING_IN_ALL - this.#waitingInAll
    const isKept = own.length > 0 && left <= MAX_WAITING_IN_ALL * KEPT
    if (own.length >= most || left === 0 || isKept) throw this.refusal(holder)
    return waitForTurn(
      (enter) => {
        const waiting = () => enter(this.tryEnter(holder)!)
        this.#waiting.set(holder, own)
        own.push(waiting)
        this.#waitingInAll++
        return () => this.#stopWaiting(holder, waiting)
      },
      () => this.refusal(holder),
    )
  }

  #stopWaiting(holder: H, waiting: () => void): void {
    const own = this.#waiting.get(holder) ?? []
    const at = own.indexOf(waiting)
    if (at < 0) return
    own.splice(at, 1)
    this.#waitingInAll--
    if (own.length === 0) this.#waiting.delete(holder)
  }

  /** Admits one call of each waiting holder in turn. A holder's next call then waits behind other holders. */
  #admit(): void {
    for (const [holder, own] of this.#rank ? this.#sortWaiting(this.#rank) : this.#waiting) {
      if (this.#free === 0) return
      if (!this.#isAdmitted(holder)) continue
      const enter = own.shift()!
      this.#waitingInAll--
      this.#waiting.delete(holder)
      if (own.length > 0) this.#waiting.set(holder, own)
      enter()
    }
  }

  #sortWaiting(rank: (holder: H) => number) {
    // ranks may change with time: each is asked for once
    const ranked = [...this.#waiting].map((entry) => ({ entry, rank: rank(entry[0]) }))
    return ranked.sort((a, b) => a.rank - b.rank).map(({ entry }) => entry)
  }

  #isAdmitted(holder: H): boolean {
    const { total, share } = this.#limit
    const taken = this.#taken.get(holder) ?? 0
    // if one holder may have all places, none is kept for others
    if (taken > 0 && share < total && this.#free - 1 < total * KEPT) return false
    return taken < share && (this.#mayEnter?.(holder, taken) ?? true)
  }
}

/**
 * `queue` stores the callback that it gets, and returns a function that removes it. Resolves when the
 * callback is called, or rejects with `refusal()` after MAX_WAIT_MS.
 */
export function waitForTurn<T>(
  queue: (enter: (value: T) => void) => () => void,
  refusal: () => Error,
) {
  return new Promise<T>((resolve, reject) => {
    const late = setTimeout(() => {
      leave()
      reject(refusal())
    }, MAX_WAIT_MS)
    const leave = queue((value) => {
      clearTimeout(late)
      resolve(value)
    })
  })
}

const ofServers = new WeakMap<object, Places>()

/** Limits event streams and waiting claims (long polls of devices) per holder and per `server`. */
export function findStreamPlaces(server: object, share: number): Places {
  const places =
    ofServers.get(server) ??
    new Places({ name: 'event streams and waiting claims', total: Infinity, share })
  ofServers.set(server, places)
  return places
}

/** Limits connections per address, not in total. */
export const makeConnectionPlaces = (share: number) =>
  new Places<string>({ name: 'connections', total: Infinity, share })
