import { performance } from 'node:perf_hooks'

/** The time after which long work should pause, to free the event loop. */
const SLICE_MS = 4
/** Items of a list that one slice holds at least: short lists never wait for the long lists of others. */
const PIECE = 20
/**
 * The longest pause, as a multiple of the slice before it. Without pauses, the crowd `parsers` (test/torture)
 * delays reports of others by up to 10 s.
 */
const LONGEST_PAUSE = 3
/** How often a pause looks whether the event loop is idle, ms. */
const LOOK_MS = 2

/** How long the event loop of this process has waited for work so far, ms. */
const readIdleMs = () => performance.eventLoopUtilization().idle

/**
 * Divides long work into slices. After a slice of over SLICE_MS, the next one begins when the event loop has
 * become idle, because it has then done all other work; at the latest after three times the slice's length.
 * So long work takes at most a quarter of a busy event loop, and all of an idle one.
 */
export class EventLoopSlices {
  readonly #waiting: (() => void)[] = []
  #beganAtMs = 0
  #state: 'free' | 'working' | 'pausing' = 'free'

  /** Whether the caller must wait for `next`. Begins a slice if neither a slice nor a pause is running. */
  get isUsedUp(): boolean {
    if (this.#state === 'working') return performance.now() - this.#beganAtMs > SLICE_MS
    if (this.#state === 'pausing') return true
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
    const endedAtMs = performance.now()
    const tookMs = endedAtMs - this.#beganAtMs
    if (tookMs <= SLICE_MS) this.#admit()
    else this.#pause(endedAtMs + LONGEST_PAUSE * tookMs, readIdleMs())
  }

  #pause(untilMs: number, idleBeforeMs: number): void {
    this.#state = 'pausing'
    setTimeout(() => {
      if (performance.now() >= untilMs || readIdleMs() - idleBeforeMs >= LOOK_MS / 2) this.#admit()
      else this.#pause(untilMs, idleBeforeMs)
    }, LOOK_MS)
  }

  #admit(): void {
    this.#state = 'free'
    const first = this.#waiting.shift()
    if (!first) return
    this.#begin()
    first()
  }
}
