type Work = () => Promise<void>

/** Work of all lanes at a time: the rest of the pool is for requests. */
const MAX_AT_ONCE = 4
/** Work that waits in one lane. */
const MAX_WAITING = 2_000

/** Does work in lanes, in order within each, so that a slow statement delays only its own lane. */
export class KeyedQueue {
  /** Called with the error of failed work. */
  readonly failed: (error: unknown) => void
  readonly #lanes = new Map<string, Work[]>()
  #running = 0
  readonly #queue: (() => void)[] = []
  #idle: (() => void)[] = []

  constructor(failed: (error: unknown) => void) {
    this.failed = failed
  }

  /** Adds work to a lane; false, and nothing is added, when the lane is full. */
  enqueue(lane: string, work: Work): boolean {
    const waiting = this.#lanes.get(lane)
    if (waiting) return waiting.length < MAX_WAITING && waiting.push(work) > 0
    const works = [work]
    this.#lanes.set(lane, works)
    void this.#drive(lane, works)
    return true
  }

  /** Waits until all lanes are empty. */
  async whenIdle(): Promise<void> {
    if (this.#lanes.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  async #drive(lane: string, works: Work[]): Promise<void> {
    for (let work = works[0]; work; work = works[0]) {
      await this.#enter()
      await work().catch(this.failed)
      this.#leave()
      works.shift()
    }
    this.#lanes.delete(lane)
    if (this.#lanes.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  async #enter(): Promise<void> {
    if (this.#running >= MAX_AT_ONCE) await new Promise<void>((resolve) => this.#queue.push(resolve))
    else this.#running++
  }

  #leave(): void {
    const next = this.#queue.shift()
    if (next) next()
    else this.#running--
  }
}
