import type { RetryLater } from '../errors.ts'
import { overLimit } from './refusal.ts'
import { RoundRobin } from './round-robin.ts'

const RETRY_SECONDS = 5
const PREFERRED_IN_A_ROW = 3

interface Waiting {
  readonly enter: () => void
  readonly refuse: (error: RetryLater) => void
}

/**
 * Places for checks of passwords, whose holders take turns. Preferred work goes first, but every fourth place
 * is for the rest. When the queue is full, the holder with the most in it loses its last item.
 */
export class Semaphore {
  #free: number
  readonly #name: string
  readonly #maxWaiting: number
  readonly #preferred = new RoundRobin<Waiting>()
  readonly #others = new RoundRobin<Waiting>()
  #preferredInARow = 0

  /** `name`: see Limit. `maxWaiting`: of preferred work, and of the rest. */
  constructor(name: string, places: number, maxWaiting: number) {
    this.#name = name
    this.#free = places
    this.#maxWaiting = maxWaiting
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

  async #enter(holder: string, queue: RoundRobin<Waiting>): Promise<void> {
    if (this.#free > 0) {
      this.#free--
      return
    }
    if (queue.count >= this.#maxWaiting) this.#makeRoom(holder, queue)
    await new Promise<void>((enter, refuse) => queue.push(holder, { enter, refuse }))
  }

  /** The place goes straight to the next one. */
  #leave(): void {
    const next = this.#next()
    if (next) next.enter()
    else this.#free++
  }

  #next(): Waiting | undefined {
    const isTurnOfOthers = this.#preferredInARow >= PREFERRED_IN_A_ROW && this.#others.count > 0
    const preferred = isTurnOfOthers ? undefined : this.#preferred.shift()
    this.#preferredInARow = preferred ? this.#preferredInARow + 1 : 0
    return preferred ?? this.#others.shift()
  }

  /** Refuses the last of the holder with the most; throws where that is the one which comes. */
  #makeRoom(holder: string, queue: RoundRobin<Waiting>): void {
    const error = overLimit(this.#name, false, RETRY_SECONDS)
    const last = queue.popFor(holder)
    if (!last) throw error
    last.refuse(error)
  }
}
