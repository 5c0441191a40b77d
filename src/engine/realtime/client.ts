import type { Budget, Share } from '../../platform/limits/byte-budget.ts'
import type { Holder } from '../../platform/limits/limit-holder.ts'
import { counts } from '../../platform/tools/process-counters.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import type { AuthRecord } from '../request/request.ts'
import type { makeEventFlusher } from './flush-events.ts'
import type { Snapshot } from './snapshot.ts'
import { estimateTopicBytes, type Topic } from './topic.ts'

export interface ClientConnection {
  /** Sends a text. Calls `taken` when the operating system has taken the text, or when it was dropped. */
  write(text: string, taken: () => void): void
  end(): void
  cut(): void
}

export interface ConnectionLimits {
  /** A client without an event for this many milliseconds is disconnected. */
  readonly idleMs: number
  readonly totalMs: number
  /** How often at least a comment is sent, so that clients and proxies notice a dead connection. */
  readonly aliveMs: number
  readonly maxUnread: number
}

/** The default limits. `idleMs` and `totalMs` are PocketBase's: apis/realtime.go, realtimeConnect. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  idleMs: 5 * 60_000,
  totalMs: 30 * 60_000,
  aliveMs: 15_000,
  maxUnread: 1 << 20,
}

/** Characters of a node's name. A client ID begins with the name. */
export const NODE_LENGTH = 10

const ID_LENGTH = 40

/** The holder of connections: an account, or a member who acts for an account. All guests are one viewer. */
export interface Viewer {
  /** Collection and record of the account, as `makeAccountHolder` writes them; '' for guests. */
  readonly account: string
  /** Id of the membership; '' for the account itself. */
  readonly actor: string
  /** The account's record as it is now; null for guests and after a sign-out. */
  auth: AuthRecord | null
}

/** A topic of a client. The client gets the changes that the snapshot `since` does not include. */
export interface TopicSubscription {
  readonly topic: Topic
  readonly since: Snapshot
}

export interface ClientOrigin {
  readonly ip: string
  readonly holder: Holder
}

interface ClientParts {
  readonly origin: ClientOrigin
  readonly viewer: Viewer
  readonly connection: ClientConnection
  readonly limits: ConnectionLimits
  readonly flusher: ReturnType<typeof makeEventFlusher>
  readonly memory: Budget
  /** Called once, when the client gets no more events. */
  readonly over: () => void
}

const findClientHolder = ({ viewer, origin }: Pick<Client, 'viewer' | 'origin'>): Holder =>
  viewer.auth?.holder ?? origin.holder

/** One open connection with its subscriptions. Topics and unread events are charged to its account. */
export class Client {
  readonly id: string
  readonly origin: ClientOrigin
  viewer: Viewer
  /** The keys are topic names. The map is replaced, never changed in place. */
  subscriptions: ReadonlyMap<string, TopicSubscription> = new Map()
  readonly #parts: ClientParts
  readonly #idle: NodeJS.Timeout
  readonly #total: NodeJS.Timeout
  readonly #alive: NodeJS.Timeout
  #share: Share
  #topicBytes = 0
  #unreadBytes = 0
  #unsent = ''
  #isOver = false
  #isClosed = false

  constructor(node: string, parts: ClientParts) {
    this.id = node + makeRandomText(ID_LENGTH - NODE_LENGTH)
    this.origin = parts.origin
    this.viewer = parts.viewer
    this.#parts = parts
    this.#share = parts.memory.open(this.holder)
    this.#idle = setTimeout(() => this.end(), parts.limits.idleMs)
    this.#total = setTimeout(() => this.end(), parts.limits.totalMs)
    // streams that opened together write apart
    const aliveMs = parts.limits.aliveMs * (0.8 + 0.2 * Math.random())
    this.#alive = setInterval(() => this.#sayAlive(), aliveMs)
    parts.connection.write(this.#frame('PB_CONNECT', `{"clientId":"${this.id}"}`), () => {})
  }

  get holder(): Holder {
    return findClientHolder(this)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Charges a viewer for subscriptions' memory. Throws RetryLater if the viewer has too little left. */
  count(viewer: Viewer, subscriptions: Client['subscriptions']): void {
    let bytes = 0
    for (const { topic } of subscriptions.values()) bytes += estimateTopicBytes(topic)
    const holder = findClientHolder({ viewer, origin: this.origin })
    if (holder !== this.#share.holder) {
      const share = this.#parts.memory.open(holder)
      share.takeNow(bytes + this.#unreadBytes)
      this.#share.close()
      this.#share = share
    } else if (bytes > this.#topicBytes) this.#share.takeNow(bytes - this.#topicBytes)
    else this.#share.giveBack(this.#topicBytes - bytes)
    this.#topicBytes = bytes
  }

  /** Queues an event. One write sends all events of a run of the event loop, unless that gets too large. */
  send(event: string, data: string): void {
    if (this.#isOver) return
    counts.events.sent++
    this.#parts.flusher.add(this)
    if (this.#unsent.length + data.length > this.#parts.limits.maxUnread) this.flush()
    if (!this.#isOver) this.#unsent += this.#frame(event, data)
  }

  /** Writes the queued events. Cuts the connection if too many bytes are unread or the memory is used up. */
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

  /** Writes a comment, without an empty line: some clients take that for the end of an event. */
  #sayAlive(): void {
    if (this.#unreadBytes === 0) this.#parts.connection.write(':\n', () => {})
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
    clearInterval(this.#alive)
    this.#parts.over()
  }

  #taken(bytes: number): void {
    if (this.#isClosed) return
    this.#unreadBytes -= bytes
    this.#share.giveBack(bytes)
  }

  /** A server-sent event, without a space after colons. PocketBase's SDK learns the client's ID from `id`. */
  #frame(event: string, data: string): string {
    return `id:${this.id}\nevent:${event}\ndata:${data}\n\n`
  }
}
