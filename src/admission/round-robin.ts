/** A queue with round robin between holders; first come, first served within a holder. */
export class RoundRobin<T> {
  /** By holder in the order of turns. None is empty. */
  readonly #waiting = new Map<string, T[]>()
  #count = 0

  get count(): number {
    return this.#count
  }

  countOf(holder: string): number {
    return this.#waiting.get(holder)?.length ?? 0
  }

  push(holder: string, item: T): void {
    const own = this.#waiting.get(holder)
    if (own) own.push(item)
    else this.#waiting.set(holder, [item])
    this.#count++
  }

  /** Takes the first item of the next holder that is admitted, who then goes to the end. */
  shift(isAdmitted: (holder: string) => boolean = () => true): T | undefined {
    for (const [holder, own] of this.#waiting) {
      if (!isAdmitted(holder)) continue
      const item = own.shift()
      this.#waiting.delete(holder)
      if (own.length > 0) this.#waiting.set(holder, own)
      this.#count--
      return item
    }
    return undefined
  }

  /** Takes an item out of the queue of its holder, if it is still there. */
  remove(holder: string, item: T): void {
    const own = this.#waiting.get(holder) ?? []
    const at = own.indexOf(item)
    if (at < 0) return
    own.splice(at, 1)
    if (own.length === 0) this.#waiting.delete(holder)
    this.#count--
  }
}
