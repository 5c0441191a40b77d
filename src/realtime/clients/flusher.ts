/** What the flusher needs of a client. */
export interface Flushable {
  /** Writes what waits to be written; answers the bytes that its reader has not taken yet. */
  flush(): number
  /** Bytes that its reader has not taken yet. */
  unread(): number
  /** Ends the connection at once. */
  cut(): void
}

const SLICE_MS = 5
/** After relief so much of the limit is used. */
const RELIEVED = 0.75

/**
 * Writes clients' events at the end of each pass through the event loop, in slices of some ms, and bounds
 * what all of them together have not read: those who hold most are cut off first.
 */
export class Flusher {
  readonly #maxUnread: number
  readonly #due = new Set<Flushable>()
  readonly #behind = new Map<Flushable, number>()
  #unread = 0
  #isScheduled = false

  constructor(maxUnread: number) {
    this.#maxUnread = maxUnread
  }

  /** Has a client flushed soon. */
  add(client: Flushable): void {
    this.#due.add(client)
    this.#schedule()
  }

  /** A client is gone. */
  forget(client: Flushable): void {
    this.#due.delete(client)
    this.#note(client, 0)
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#run())
  }

  #run(): void {
    this.#isScheduled = false
    const end = performance.now() + SLICE_MS
    for (const client of this.#due) {
      this.#due.delete(client)
      this.#note(client, client.flush())
      if (this.#unread > this.#maxUnread) this.#relieve()
      if (performance.now() > end) break
    }
    if (this.#due.size > 0) this.#schedule()
  }

  #note(client: Flushable, unread: number): void {
    this.#unread += unread - (this.#behind.get(client) ?? 0)
    if (unread > 0) this.#behind.set(client, unread)
    else this.#behind.delete(client)
  }

  /** Measures anew, as readers go on reading. */
  #relieve(): void {
    for (const client of [...this.#behind.keys()]) this.#note(client, client.unread())
    if (this.#unread <= this.#maxUnread) return
    const most = [...this.#behind].sort(([, a], [, b]) => b - a)
    for (const [client] of most) {
      if (this.#unread <= this.#maxUnread * RELIEVED) return
      client.cut()
      this.forget(client)
    }
  }
}
