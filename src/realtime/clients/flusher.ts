/** What the flusher needs of a client. */
export interface Flushable {
  flush(): void
}

const SLICE_MS = 5

/** Writes clients' events at the end of each pass through the event loop, in slices of some ms. */
export class Flusher {
  readonly #due = new Set<Flushable>()
  #isScheduled = false

  /** Has a client flushed soon. */
  add(client: Flushable): void {
    this.#due.add(client)
    this.#schedule()
  }

  forget(client: Flushable): void {
    this.#due.delete(client)
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#run())
  }

  #run(): void {
    this.#isScheduled = false
    const endMs = performance.now() + SLICE_MS
    for (const client of this.#due) {
      this.#due.delete(client)
      client.flush()
      if (performance.now() > endMs) break
    }
    if (this.#due.size > 0) this.#schedule()
  }
}
