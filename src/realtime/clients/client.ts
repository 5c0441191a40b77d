import { counts } from '../../counts.ts'
import { randomText } from '../../tools/random.ts'
import type { Snapshot } from '../changes/snapshot.ts'
import type { Flushable, Flusher } from './flusher.ts'
import type { Owner } from './owner.ts'
import type { Topic } from './topic.ts'
import type { Viewer } from './viewers.ts'

/** The way to a client: what is written arrives in order, or the line is dead. */
export interface ClientConnection {
  write(text: string): void
  /** Bytes that were written and have not left yet. */
  waiting(): number
  /** After what was written has left. */
  end(): void
  /** At once. */
  cut(): void
}

/** How long a connection lives. PocketBase: apis/realtime.go, realtimeConnect */
export interface ConnectionLimits {
  /** Without any event. */
  readonly idleMs: number
  readonly totalMs: number
  /** What a reader that takes nothing may make us hold: with more he is cut off, and has to come again. */
  readonly maxWaitingBytes: number
  /** Connections that one record may be signed in on here; absent or 0: any number. */
  readonly ofAccount?: number
}

/** PocketBase's, and a megabyte for who is slow. */
export const LIMITS: ConnectionLimits = { idleMs: 5 * 60_000, totalMs: 30 * 60_000, maxWaitingBytes: 1 << 20 }

/** Length of the part of a client's id that names the node which has its connection. */
export const NODE_LENGTH = 10
const ID_LENGTH = 40

/** A topic that a client is subscribed to. It hears of changes that `since` did not see. */
export interface Subscription {
  readonly topic: Topic
  readonly since: Snapshot
}

/** Where a client comes from. */
export interface Origin {
  readonly ip: string
  /** What the address is counted as: of an IPv6 address its /64. */
  readonly network: string
}

/** What a client is made of. */
export interface Connection {
  readonly origin: Origin
  readonly viewer: Viewer
  readonly owner: Owner
  readonly connection: ClientConnection
  readonly limits: ConnectionLimits
  readonly flusher: Flusher
}

/** One open connection and what it is subscribed to. */
export class Client implements Flushable {
  readonly id: string
  readonly origin: Origin
  viewer: Viewer
  /** Who pays for its subscriptions. */
  owner: Owner
  /** By name of the topic. */
  subscriptions: ReadonlyMap<string, Subscription> = new Map()
  readonly #connection: ClientConnection
  readonly #limits: ConnectionLimits
  readonly #idle: NodeJS.Timeout
  readonly #total: NodeJS.Timeout
  readonly #flusher: Flusher
  #unsent = ''
  #over = false

  /** Says PB_CONNECT with the new id. */
  constructor(node: string, { origin, viewer, owner, connection: line, limits, flusher }: Connection) {
    this.id = node + randomText(ID_LENGTH - NODE_LENGTH)
    this.origin = origin
    this.viewer = viewer
    this.owner = owner
    this.#connection = line
    this.#flusher = flusher
    this.#limits = limits
    this.#idle = setTimeout(() => this.end(), limits.idleMs)
    this.#total = setTimeout(() => this.end(), limits.totalMs)
    line.write(this.#frame('PB_CONNECT', `{"clientId":"${this.id}"}`))
  }

  /** Events of one turn leave together: one write where there are many, as long as that is not too large. */
  send(event: string, data: string): void {
    if (this.#over) return
    counts.events.sent++
    this.#flusher.add(this)
    if (this.#unsent.length + data.length > this.#limits.maxWaitingBytes) this.flush()
    if (!this.#over) this.#unsent += this.#frame(event, data)
  }

  /** Hangs up when all is sent. */
  end(): void {
    this.flush()
    this.close()
    this.#connection.end()
  }

  /** Says nothing any more: the line is closed. */
  close(): void {
    this.#over = true
    this.#unsent = ''
    this.#flusher.forget(this)
    clearTimeout(this.#idle)
    clearTimeout(this.#total)
  }

  flush(): number {
    if (this.#over) return 0
    if (this.#unsent === '') return this.unread()
    const text = this.#unsent
    this.#unsent = ''
    if (this.unread() > this.#limits.maxWaitingBytes) {
      this.cut()
      return 0
    }
    this.#idle.refresh()
    this.#connection.write(text)
    return this.unread()
  }

  unread(): number {
    return this.#connection.waiting()
  }

  cut(): void {
    this.close()
    this.#connection.cut()
  }

  /** No space after the colons; each frame has the client's id, which is how the SDK learns it. */
  #frame(event: string, data: string): string {
    return `id:${this.id}\nevent:${event}\ndata:${data}\n\n`
  }
}
