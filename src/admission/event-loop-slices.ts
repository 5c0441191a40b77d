/** The time after which long work should pause, to free the event loop. */
const SLICE_MS = 4
/** Items of a list that are done without a question: short lists wait for nobody's long ones. */
const PIECE = 20

/**
 * Divides long work into slices. After a slice of over SLICE_MS, the next one begins only after a pause of
 * the same length, at most `maxRestMs`.
 */
export class EventLoopSlices {
  readonly #maxRestMs: number
  readonly #waiting: (() => void)[] = []
  #beganAtMs = 0
  #state: 'free' | 'working' | 'resting' = 'free'

  constructor(maxRestMs = SLICE_MS) {
    this.#maxRestMs = maxRestMs
  }

  /** Whether the caller must wait for `next`. Begins a slice if neither a slice nor a pause is running. */
  get isUsedUp(): boolean {
    if (this.#state === 'working') return performance.now() - this.#beganAtMs > SLICE_MS
    if (this.#state === 'resting') return true
    this.#begin()
    return false
  }

  /** Waits for the caller's slice; callers get slices in the order of calls. Work must follow immediately. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#state === 'free') this.#admit()
    })
  }

  /** Maps a list, `piece` items at a time, each in a slice if the work before it took long. */
  async map<T, R>(items: readonly T[], work: (item: T) => R, piece = PIECE): Promise<R[]> {
    const done: R[] = []
    for (const [i, item] of items.entries()) {
      if (i > 0 && i % piece === 0 && this.isUsedUp) await this.next()
      done.push(work(item))
    }
    return done
  }

  #begin(): void {
    this.#state = 'working'
    this.#beganAtMs = performance.now()
    setImmediate(() => this.#end())
  }

  #end(): void {
    const tookMs = performance.now() - this.#beganAtMs
    const restMs = tookMs > SLICE_MS ? Math.min(tookMs, this.#maxRestMs) : 0
    this.#state = 'resting'
    if (restMs > 0) setTimeout(() => this.#admit(), restMs)
    else this.#admit()
  }

  #admit(): void {
    this.#state = 'free'
    const first = this.#waiting.shift()
    if (!first) return
    this.#begin()
    first()
  }
}
