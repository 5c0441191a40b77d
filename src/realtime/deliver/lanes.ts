import type { Budget } from '../../admission/budget.ts'

/** Work in lanes, in order within each, so that a slow statement delays only its own lane. */
export class Lanes {
  readonly #memory: Budget
  /** The last work of each lane. */
  readonly #lanes = new Map<string, Promise<void>>()

  constructor(memory: Budget) {
    this.#memory = memory
  }

  /**
   * Adds work, which must not fail. `bytes`: what it keeps in memory while it waits for the work before it.
   * False, and nothing is added, when the lane has no memory left.
   */
  add(lane: string, bytes: number, work: () => Promise<void>): boolean {
    const before = this.#lanes.get(lane)
    const share = this.#memory.open(lane)
    if (before && !share.tryTake(bytes)) return false
    const run = (before ?? Promise.resolve()).then(work).finally(() => {
      share.close()
      if (this.#lanes.get(lane) === run) this.#lanes.delete(lane)
    })
    this.#lanes.set(lane, run)
    return true
  }

  /** Waits until all work that was added is done. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#lanes.values())
  }
}
