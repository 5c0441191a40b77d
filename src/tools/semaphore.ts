import { RetryLater } from '../errors.ts'
import { RoundRobin } from './round-robin.ts'

/** After so long it is worth trying again. */
const RETRY_SECONDS = 5
const PREFERRED_IN_A_ROW = 3
const TOO_MANY = 'Too many requests wait already. Try again in a moment.'

interface Options {
  /** How many may wait: of preferred work, and of the rest. Without it, any number. */
  readonly maxWaiting?: number
  /** What the 503 says when too many wait. */
  readonly refusal?: string
  /** How often in a row preferred work goes before other work that waits. */
  readonly preferredInARow?: number
}

interface Waiting {
  readonly enter: () => void
  readonly refuse: (error: RetryLater) => void
}

/**
 * A semaphore: a bounded number of places for work, and a queue before them. Holders (accounts, addresses)
 * take turns, so that nobody waits for the many of somebody else. Preferred work goes first, but every fourth
 * place is for the rest, unless `preferredInARow` says otherwise. When the queue is full, the holder with the
 * most in it loses its last item.
 */
export class Semaphore {
  #free: number
  readonly #maxWaiting: number
  readonly #refusal: string
  readonly #maxInARow: number
  readonly #preferred = new RoundRobin<Waiting>()
  readonly #others = new RoundRobin<Waiting>()
  #preferredInARow = 0

  constructor(places: number, options: Options = {}) {
    this.#free = places
    this.#maxWaiting = options.maxWaiting ?? Number.POSITIVE_INFINITY
    this.#refusal = options.refusal ?? TOO_MANY
    this.#maxInARow = options.preferredInARow ?? PREFERRED_IN_A_ROW
  }

  /**
   * Does `work` when its turn has come; of one holder first come, first served. Throws 503 when too many
   * wait.
   */
  async run<T>(work: () => Promise<T>, holder = '', isPreferred = false): Promise<T> {
    await this.#enter(holder, isPreferred ? this.#preferred : this.#others)
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  /**
   * The same, but the place is free again only after a rest, as long as the work took, at most `maxRestMs`:
   * the rest of the time is for everything else.
   */
  async runThenRest<T>(work: () => Promise<T>, holder: string, maxRestMs: number): Promise<T> {
    await this.#enter(holder, this.#others)
    const startMs = performance.now()
    try {
      return await work()
    } finally {
      setTimeout(() => this.#leave(), Math.min(performance.now() - startMs, maxRestMs))
    }
  }

  async #enter(holder: string, queue: RoundRobin<Waiting>): Promise<void> {
    if (this.#free > 0) {
      this.#free--
      return
    }
    if (queue.count >= this.#maxWaiting) makeRoom(holder, queue, this.#refusal)
    await new Promise<void>((enter, refuse) => queue.push(holder, { enter, refuse }))
  }

  /** The place goes straight to the next one. */
  #leave(): void {
    const next = this.#next()
    if (next) next.enter()
    else this.#free++
  }

  #next(): Waiting | undefined {
    const isTurnOfOthers = this.#preferredInARow >= this.#maxInARow && this.#others.count > 0
    const preferred = isTurnOfOthers ? undefined : this.#preferred.shift()
    this.#preferredInARow = preferred ? this.#preferredInARow + 1 : 0
    return preferred ?? this.#others.shift()
  }
}

/** Refuses the last of the holder with the most; throws where that is the one which comes. */
function makeRoom(holder: string, queue: RoundRobin<Waiting>, refusal: string): void {
  const error = new RetryLater(503, RETRY_SECONDS, refusal)
  const last = queue.popFor(holder)
  if (!last) throw error
  last.refuse(error)
}
