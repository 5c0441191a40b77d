/** How many of something are open, by who holds them: counted here, in this process. */
export class KeyedCounter {
  readonly #counts = new Map<string, number>()

  /**
   * Counts one more; answers what takes it off the count, or undefined where there are `max` already. To be
   * called once.
   */
  take(holder: string, max: number): (() => void) | undefined {
    const count = this.#counts.get(holder) ?? 0
    if (count >= max) return undefined
    this.#counts.set(holder, count + 1)
    return () => {
      const left = this.#counts.get(holder)! - 1
      if (left > 0) this.#counts.set(holder, left)
      else this.#counts.delete(holder)
    }
  }
}
