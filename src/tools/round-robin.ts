/**
 * A queue with round robin between holders: one item of each in its turn, those of one holder in their order.
 */
export class RoundRobin<T> {
  /** By holder, in the order of their turns. None is empty. */
  readonly #waiting = new Map<string, T[]>()
  #count = 0

  get count(): number {
    return this.#count
  }

  push(holder: string, item: T): void {
    const own = this.#waiting.get(holder)
    if (own) own.push(item)
    else this.#waiting.set(holder, [item])
    this.#count++
  }

  /** Takes the next holder's first item. That holder is then the last to have its turn again. */
  shift(): T | undefined {
    const [first] = this.#waiting
    if (!first) return undefined
    const [holder, own] = first
    const item = own.shift()
    this.#waiting.delete(holder)
    if (own.length > 0) this.#waiting.set(holder, own)
    this.#count--
    return item
  }

  /**
   * Takes the last item of the holder with the most, to make room for `holder`; nothing where that is no
   * fairer.
   */
  popFor(holder: string): T | undefined {
    const own = this.#waiting.get(holder)?.length ?? 0
    const most = [...this.#waiting.values()].reduce((a, b) => (b.length > a.length ? b : a), [])
    if (most.length <= own + 1) return undefined
    this.#count--
    return most.pop()
  }
}
