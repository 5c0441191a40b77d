import { counts } from '../counts.ts'
import { randomText } from '../fields/random.ts'
import type { Snapshot } from './snapshot.ts'
import type { Topic } from './topic.ts'
import type { Viewer } from './viewers.ts'

/** The way to a client: what is written arrives in order, or the line is dead. */
export interface Line {
  write(text: string): void
  /** Bytes that were written and have not left yet. */
  waiting(): number
  /** After what was written has left. */
  end(): void
  /** At once. */
  cut(): void
}

/** How long a connection lives. PocketBase: apis/realtime.go, realtimeConnect */
export interface Limits {
  /** Without any event. */
  readonly idleMs: number
  readonly totalMs: number
  /** What a reader that takes nothing may make us hold: with more he is cut off, and has to come again. */
  readonly maxWaitingBytes: number
  /** Connections that one record may be signed in on here; absent or 0: any number. */
  readonly ofAccount?: number
}

/** PocketBase's, and a megabyte for who is slow. */
export const LIMITS: Limits = { idleMs: 5 * 60_000, totalMs: 30 * 60_000, maxWaitingBytes: 1 << 20 }

/** Length of the part of a client's id that names the node which has its connection. */
export const NODE_LENGTH = 10
const ID_LENGTH = 40

/** A topic that a client is subscribed to. It hears of changes that `since` did not see. */
export interface Subscription {
  readonly topic: Topic
  readonly since: Snapshot
}

/** One open connection and what it is subscribed to. */
export class Client {
  readonly id: string
  /** Where it comes from. */
  readonly ip: string
  viewer: Viewer
  /** By name of the topic. */
  subscriptions: ReadonlyMap<string, Subscription> = new Map()
  readonly #line: Line
  readonly #limits: Limits
  readonly #idle: NodeJS.Timeout
  readonly #total: NodeJS.Timeout
  #unsent = ''
  #over = false

  /** Says PB_CONNECT with the new id. */
  constructor(node: string, ip: string, viewer: Viewer, line: Line, limits: Limits) {
    this.id = node + randomText(ID_LENGTH - NODE_LENGTH)
    this.ip = ip
    this.viewer = viewer
    this.#line = line
    this.#limits = limits
    this.#idle = setTimeout(() => this.end(), limits.idleMs)
    this.#total = setTimeout(() => this.end(), limits.totalMs)
    line.write(this.#frame('PB_CONNECT', `{"clientId":"${this.id}"}`))
  }

  /** Events of one turn leave together: one write where there are many. */
  send(event: string, data: string): void {
    if (this.#over) return
    counts.events.sent++
    if (this.#unsent === '') setImmediate(() => this.#flush())
    this.#unsent += this.#frame(event, data)
  }

  /** Hangs up when all is sent. */
  end(): void {
    this.#flush()
    this.close()
    this.#line.end()
  }

  /** Says nothing any more: the line is closed. */
  close(): void {
    this.#over = true
    this.#unsent = ''
    clearTimeout(this.#idle)
    clearTimeout(this.#total)
  }

  #flush(): void {
    if (this.#unsent === '') return
    const text = this.#unsent
    this.#unsent = ''
    if (this.#line.waiting() > this.#limits.maxWaitingBytes) this.#line.cut()
    else {
      this.#idle.refresh()
      this.#line.write(text)
    }
  }

  /** No space after the colons; each frame has the client's id, which is how the SDK learns it. */
  #frame(event: string, data: string): string {
    return `id:${this.id}\nevent:${event}\ndata:${data}\n\n`
  }
}
