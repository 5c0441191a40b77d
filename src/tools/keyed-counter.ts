/** Counts per holder in this process. */
export class KeyedCounter {
  readonly #counts = new Map<string, number>()

  /** Adds one and returns the function that removes it (call once); undefined at `max`. */
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
