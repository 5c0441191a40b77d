import { TooMany } from '../errors.ts'
import { Turns } from './turns.ts'

/** After so long it is worth trying again. */
const RETRY_SECONDS = 5
/** Preferred work that goes before other work in a row. */
const PREFERRED_IN_A_ROW = 3
const TOO_MANY = 'Too many passwords are being checked. Try again in a moment.'

interface Waiting {
  readonly enter: () => void
  readonly refuse: (error: TooMany) => void
}

/**
 * A bounded number of places for work, and a bounded queue before them. Holders (accounts, addresses) take turns, so
 * that nobody waits for the many of somebody else. Preferred work goes first, but every fourth place is for the rest.
 * When the queue is full, the holder with the most in it loses its last item.
 */
export class Line {
  #free: number
  readonly #maxWaiting: number
  readonly #refusal: string
  readonly #preferred = new Turns<Waiting>()
  readonly #others = new Turns<Waiting>()
  #preferredInARow = 0

  /** `maxWaiting`: of preferred work, and of the rest. `refusal`: what the 503 says when too many wait. */
  constructor(places: number, maxWaiting: number, refusal = TOO_MANY) {
    this.#free = places
    this.#maxWaiting = maxWaiting
    this.#refusal = refusal
  }

  /** Does `work` when its turn has come; of one holder first come, first served. Throws 503 when too many wait. */
  async run<T>(work: () => Promise<T>, holder = '', isPreferred = false): Promise<T> {
    await this.#enter(holder, isPreferred ? this.#preferred : this.#others)
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  async #enter(holder: string, turns: Turns<Waiting>): Promise<void> {
    if (this.#free > 0) {
      this.#free--
      return
    }
    if (turns.count >= this.#maxWaiting) makeRoom(holder, turns, this.#refusal)
    await new Promise<void>((enter, refuse) => turns.push(holder, { enter, refuse }))
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
}

/** Refuses the last of the holder with the most; throws where that is the one which comes. */
function makeRoom(holder: string, turns: Turns<Waiting>, refusal: string): void {
  const error = new TooMany(503, RETRY_SECONDS, refusal)
  const last = turns.popFor(holder)
  if (!last) throw error
  last.refuse(error)
}
