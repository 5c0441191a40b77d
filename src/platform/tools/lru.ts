export class Lru<K, V> {
  readonly #entries = new Map<K, V>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  set(key: K, value: V): V {
    this.#entries.set(key, value)
    if (this.#entries.size > this.#limit)
      this.#entries.delete(this.#entries.keys().next().value as K)
    return value
  }
}

/**
 * Returns a function that says true for a key at most once in `ms` milliseconds. It remembers the
 * `maxKeys` keys that were asked for last, in this process.
 */
export function makeOncePer(ms: number, maxKeys: number): (key: string) => boolean {
  const saidAtMs = new Lru<string, number>(maxKeys)
  return (key) => {
    const nowMs = Date.now()
    if (nowMs - (saidAtMs.get(key) ?? 0) < ms) return false
    saidAtMs.set(key, nowMs)
    return true
  }
}

/** Caches a function of an immutable object (a collection, a catalog) for the object's lifetime. */
export function memoize<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined) {
      value = make(key)
      known.set(key, value)
    }
    return value
  }
}
