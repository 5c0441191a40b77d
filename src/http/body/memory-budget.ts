import { RetryLater } from '../../errors.ts'

/**
 * What bodies that were received may take together while they are worked on. One that is larger waits until
 * it is alone.
 */
const MAX_BYTES = 64 << 20
/** A server that does not get to a body for so long has too much to do. */
const PATIENCE_MS = 30_000
const RETRY_SECONDS = 30

interface Waiting {
  readonly bytes: number
  readonly enter: () => void
}

/**
 * Room in memory for whole bodies, given out in the order in which it was asked for. Only who has sent all of
 * a body asks for it: so those who send slowly keep nobody out, and many who send fast wait for each other.
 */
export class MemoryBudget {
  readonly #maxBytes: number
  readonly #patienceMs: number
  readonly #line: Waiting[] = []
  #taken = 0

  constructor(maxBytes = MAX_BYTES, patienceMs = PATIENCE_MS) {
    this.#maxBytes = maxBytes
    this.#patienceMs = patienceMs
  }

  /**
   * Answers, when there is room for so much, what gives it back; once is enough. Throws 503 when that takes
   * too long.
   */
  acquire(bytes: number): Promise<() => void> {
    if (this.#line.length === 0 && this.#hasRoom(bytes)) return Promise.resolve(this.#give(bytes))
    return new Promise((resolve, reject) => {
      const waiting = {
        bytes,
        enter: () => {
          clearTimeout(late)
          resolve(this.#give(bytes))
        },
      }
      const late = setTimeout(() => {
        this.#line.splice(this.#line.indexOf(waiting), 1)
        reject(new RetryLater(503, RETRY_SECONDS, 'Too many large requests at once'))
        this.#admit()
      }, this.#patienceMs)
      this.#line.push(waiting)
    })
  }

  #hasRoom(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#maxBytes
  }

  #give(bytes: number): () => void {
    this.#taken += bytes
    let left = bytes
    return () => {
      this.#taken -= left
      left = 0
      this.#admit()
    }
  }

  #admit(): void {
    while (this.#line[0] && this.#hasRoom(this.#line[0].bytes)) this.#line.shift()!.enter()
  }
}

/** That of this process. */
export const bodyMemoryBudget = new MemoryBudget()
