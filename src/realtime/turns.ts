/** How long filters may keep the event loop busy until others have their turn. */
const SLICE_MS = 4

/**
 * Shares the event loop between the work on subscriptions and everything else. All work of one pass through the loop has a slice
 * together; what is left waits in a queue, whose first has the next slice. After a slice that was used up the loop is free for as long.
 */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #beganAt = 0
  #isOpen = false

  /** True if whoever works should call `next` first. */
  get isOver(): boolean {
    const now = performance.now()
    if (this.#isOpen) return now - this.#beganAt > SLICE_MS
    if (this.#waiting.length > 0) return true
    this.#open(now)
    return false
  }

  /** Fulfilled when it is the caller's turn, in the order of calls. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (!this.#isOpen) this.#open(performance.now())
    })
  }

  #open(now: number): void {
    this.#isOpen = true
    this.#beganAt = now
    setImmediate(() => this.#close())
  }

  #close(): void {
    const isUsedUp = performance.now() - this.#beganAt > SLICE_MS
    if (isUsedUp && this.#waiting.length > 0) setTimeout(() => this.#admit(), SLICE_MS)
    else this.#admit()
  }

  #admit(): void {
    this.#isOpen = false
    const first = this.#waiting.shift()
    if (!first) return
    this.#open(performance.now())
    first()
  }
}
