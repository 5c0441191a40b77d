import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from '../log.ts'
import type { Session } from './errors.ts'
import { serialQueue } from './serial-queue.ts'

const RECONNECT_MS = 1_000
/** The heartbeat, and how long the database may take to answer one. */
const [BEAT_MS, ANSWER_MS] = [2_000, 8_000]
/** Channel on which a server sends itself a message after each connection, to test NOTIFY. */
const ECHO_CHANNEL = 'pocketsms_echo'
const ECHO_MS = 5_000
/** A server notifies others at most once in this time, because Postgres serializes commits that notify. */
const GATHER_MS = 20
const DEAF =
  'NOTIFY does not arrive: is DATABASE_URL a pooler in transaction mode? ' +
  'Set DATABASE_LISTEN_URL to Postgres itself. Changes of other servers are late or not seen.'

interface ListenerOptions {
  readonly open: () => pg.Client
  readonly query: Session['query']
  /** Called when the database stops answering but leaves its connections open. */
  readonly onStall: () => void
  readonly log: Logger
}

type ListeningClient = pg.Client & { readonly processID?: number }

/** One connection for all channels. Its heartbeat repeats LISTEN, which `listeners.ts` counts. */
export class Listener {
  readonly #options: ListenerOptions
  readonly #messages = new EventEmitter()
  #client: pg.Client | undefined
  #firstTry: Promise<void> | undefined
  #running: Promise<void> | undefined
  #hears: boolean | undefined
  readonly #inTurn = serialQueue()
  readonly #words = new Set<string>()
  #saying: Promise<void> | undefined
  readonly #stopping = new AbortController()

  constructor(options: ListenerOptions) {
    this.#options = options
  }

  get hears(): boolean | undefined {
    return this.#hears
  }

  /** Calls `heard` for each message until the result is called, and with '' after each connection. */
  async listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>> {
    this.#messages.on(channel, heard)
    this.#firstTry ??= new Promise((tried) => {
      this.#running = this.#run(tried)
    })
    await this.#firstTry
    if (this.#client) {
      const isListening = await this.#query(this.#client, this.#listenText()).catch(() => false)
      if (isListening) heard('')
    }
    return async () => {
      this.#messages.off(channel, heard)
      if (this.#messages.listenerCount(channel) > 0) return
      if (this.#client)
        await this.#query(this.#client, `unlisten "${channel}"; ${this.#listenText()}`).catch(() => {})
    }
  }

  /** Calls this process's listeners at once and, if connected, notifies other servers within GATHER_MS. */
  announce(channel: string, payload: string): void {
    this.#messages.emit(channel, payload)
    this.#words.add(`${channel} ${payload}`)
    this.#saying ??= this.#say()
  }

  async #say(): Promise<void> {
    await turn() // announcements of one commit are sent together
    while (this.#words.size > 0) {
      const words = [...this.#words].map((word) => [word.split(' ', 1)[0]!, word] as const)
      this.#words.clear()
      const values = [
        words.map(([channel]) => channel),
        words.map(([channel, word]) => word.slice(channel.length + 1)),
      ]
      if (this.#client) await this.#query(this.#client, this.#notifyText(), values).catch(() => {})
      await sleep(GATHER_MS, undefined, { ref: false })
    }
    this.#saying = undefined
  }

  async close(): Promise<void> {
    await this.#saying
    this.#stopping.abort()
    await this.#client?.end().catch(() => {})
    await this.#running
  }

  async #run(tried: () => void): Promise<void> {
    const { open, log } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const client = open()
      const error = await this.#listenOn(client, tried).catch((thrown: unknown) => thrown)
      this.#client = undefined
      tried()
      client.end().catch(() => {})
      if (signal.aborted) return
      log.warn({ err: error }, 'lost the LISTEN connection, reconnecting')
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {})
    }
  }

  async #listenOn(client: pg.Client, connected: () => void): Promise<never> {
    const lost = new AbortController()
    client.on('error', (error) => lost.abort(error))
    client.on('end', () => lost.abort(new Error('The connection was closed.')))
    client.on('notification', (notification) => this.#hear(client, notification))
    await client.connect()
    await this.#query(client, this.#listenText())
    this.#client = client
    // `close` may have been called before there was a connection to close
    this.#stopping.signal.throwIfAborted()
    connected()
    for (const channel of this.#messages.eventNames()) this.#messages.emit(channel, '')
    this.#checkEcho().catch(() => {})
    for (;;) {
      await sleep(BEAT_MS, undefined, { ref: false, signal: lost.signal })
      const answer = this.#query(client, this.#listenText())
      const answered = await Promise.race([answer, sleep(ANSWER_MS, false, { ref: false })])
      if (answered) continue
      this.#options.onStall()
      throw new Error(`The database did not answer within ${ANSWER_MS} ms.`)
    }
  }

  #hear(client: ListeningClient, { channel, payload = '', processId }: pg.Notification): void {
    // this server's listeners already got its own announcements
    if (processId === client.processID) return
    this.#messages.emit(channel, payload)
  }

  #query(client: pg.Client, text: string, values?: readonly unknown[]): Promise<boolean> {
    return this.#inTurn(async () => {
      await client.query(text, values as unknown[])
      return true
    })
  }

  /** `db/listeners.ts` counts a channel's listeners by this comment of their last statement. */
  #notifyText(): string {
    return `select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) w(channel, payload) -- ${this.#listenText()}`
  }

  #listenText(): string {
    const channels = new Set([...this.#messages.eventNames(), ECHO_CHANNEL])
    return [...channels].map((channel) => `listen "${String(channel)}"`).join('; ')
  }

  /** Notifies this server over another connection, to test NOTIFY. */
  async #checkEcho(): Promise<void> {
    const { query, log } = this.#options
    const word = randomUUID()
    const heard = new Promise<boolean>((resolve) => {
      const check = (payload: string) => payload === word && resolve(true)
      this.#messages.on(ECHO_CHANNEL, check)
      sleep(ECHO_MS, undefined, { ref: false }).then(() => {
        this.#messages.off(ECHO_CHANNEL, check)
        resolve(false)
      })
    })
    await query('select pg_notify($1, $2)', [ECHO_CHANNEL, word])
    this.#hears = await heard
    if (!this.#hears) log.error(DEAF)
  }
}
