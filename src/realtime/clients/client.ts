import type { Budget, Share } from '../../admission/budget.ts'
import type { Holder } from '../../admission/holder.ts'
import { counts } from '../../metrics/counts.ts'
import { randomText } from '../../tools/random.ts'
import type { Snapshot } from '../changes/change-log.ts'
import { bytesOf, type Topic } from './topic.ts'
import type { Viewer } from './viewers.ts'

export interface ClientConnection {
  /** Sends a text. `taken` is called when the operating system has it, or it was dropped. */
  write(text: string, taken: () => void): void
  end(): void
  cut(): void
}

export interface ConnectionLimits {
  /** Milliseconds without an event. */
  readonly idleMs: number
  readonly totalMs: number
  readonly maxUnread: number
}

/** Limits with PocketBase's times: apis/realtime.go, realtimeConnect. */
export const LIMITS: ConnectionLimits = { idleMs: 5 * 60_000, totalMs: 30 * 60_000, maxUnread: 1 << 20 }

/** Length of the node's name, with which a client ID begins. */
export const NODE_LENGTH = 10
const ID_LENGTH = 40

/** A topic of a client. The client gets the changes that the snapshot `since` does not include. */
export interface Subscription {
  readonly topic: Topic
  readonly since: Snapshot
}

export interface Origin {
  readonly ip: string
  readonly holder: Holder
}

interface ClientParts {
  readonly origin: Origin
  readonly viewer: Viewer
  readonly connection: ClientConnection
  readonly limits: ConnectionLimits
  readonly flusher: Flusher
  readonly memory: Budget
  /** Called once, when the client gets no more events. */
  readonly over: () => void
}

const holderOf = ({ viewer, origin }: Pick<Client, 'viewer' | 'origin'>): Holder =>
  viewer.auth?.holder ?? origin.holder

/** One open connection and its subscriptions. Its memory share holds its topics and unread events. */
export class Client {
  readonly id: string
  readonly origin: Origin
  viewer: Viewer
  /** By name of the topic. Replaced, never changed. */
  subscriptions: ReadonlyMap<string, Subscription> = new Map()
  readonly #parts: ClientParts
  readonly #idle: NodeJS.Timeout
  readonly #total: NodeJS.Timeout
  #share: Share
  #topicBytes = 0
  #unreadBytes = 0
  #unsent = ''
  #isOver = false
  #isClosed = false

  constructor(node: string, parts: ClientParts) {
    this.id = node + randomText(ID_LENGTH - NODE_LENGTH)
    this.origin = parts.origin
    this.viewer = parts.viewer
    this.#parts = parts
    this.#share = parts.memory.open(this.holder)
    this.#idle = setTimeout(() => this.end(), parts.limits.idleMs)
    this.#total = setTimeout(() => this.end(), parts.limits.totalMs)
    parts.connection.write(this.#frame('PB_CONNECT', `{"clientId":"${this.id}"}`), () => {})
  }

  get holder(): Holder {
    return holderOf(this)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Charges the memory of new subscriptions to a viewer. Throws RetryLater if it is too much. */
  count(viewer: Viewer, subscriptions: Client['subscriptions']): void {
    let bytes = 0
    for (const { topic } of subscriptions.values()) bytes += bytesOf(topic)
    const holder = holderOf({ viewer, origin: this.origin })
    if (holder !== this.#share.holder) {
      const share = this.#parts.memory.open(holder)
      share.takeNow(bytes + this.#unreadBytes)
      this.#share.close()
      this.#share = share
    } else if (bytes > this.#topicBytes) this.#share.takeNow(bytes - this.#topicBytes)
    else this.#share.giveBack(this.#topicBytes - bytes)
    this.#topicBytes = bytes
  }

  /** Adds an event. Those of one event-loop turn are sent in one write, unless that gets too large. */
  send(event: string, data: string): void {
    if (this.#isOver) return
    counts.events.sent++
    this.#parts.flusher.add(this)
    if (this.#unsent.length + data.length > this.#parts.limits.maxUnread) this.flush()
    if (!this.#isOver) this.#unsent += this.#frame(event, data)
  }

  /** Writes the events. Closes the connection if too many bytes are unread. */
  flush(): void {
    const text = this.#unsent
    if (text === '') return
    this.#unsent = ''
    const { connection, limits } = this.#parts
    if (this.#unreadBytes > limits.maxUnread || !this.#share.tryTake(text.length)) {
      this.#stop()
      connection.cut()
      return
    }
    this.#unreadBytes += text.length
    this.#idle.refresh()
    connection.write(text, () => this.#taken(text.length))
  }

  end(): void {
    this.flush()
    this.#stop()
    this.#parts.connection.end()
  }

  close(): void {
    this.#stop()
    this.#isClosed = true
    this.#share.close()
  }

  #stop(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#unsent = ''
    this.#parts.flusher.forget(this)
    clearTimeout(this.#idle)
    clearTimeout(this.#total)
    this.#parts.over()
  }

  #taken(bytes: number): void {
    if (this.#isClosed) return
    this.#unreadBytes -= bytes
    this.#share.giveBack(bytes)
  }

  /** An event as text, without a space after colons. The SDK learns the client's ID from it. */
  #frame(event: string, data: string): string {
    return `id:${this.id}\nevent:${event}\ndata:${data}\n\n`
  }
}

interface Flushable {
  flush(): void
}

const SLICE_MS = 5

/** Writes clients' events at the end of each event-loop turn, in slices of some ms. */
export class Flusher {
  readonly #due = new Set<Flushable>()
  #isScheduled = false

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
