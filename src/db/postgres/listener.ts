import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from '../../log.ts'
import type { Session } from '../backend.ts'
import { serialQueue } from '../serial-queue.ts'

const RECONNECT_MS = 1_000
/** The heartbeat, and how long the database may take to answer one. */
const [BEAT_MS, ANSWER_MS] = [2_000, 8_000]
/** A server sends a message to itself here after each connection. */
const ECHO_CHANNEL = 'pocketsms_echo'
const ECHO_MS = 5_000
const DEAF =
  'NOTIFY does not arrive: is DATABASE_URL a pooler in transaction mode? ' +
  'Set DATABASE_LISTEN_URL to Postgres itself. Changes of other servers are late or not seen.'

interface ListenerOptions {
  /** Makes a connection that is not open yet. */
  readonly open: () => pg.Client
  readonly query: Session['query']
  /** Called when the database stops answering but leaves its connections open. */
  readonly onStall: () => void
  readonly log: Logger
}

/** One connection for all channels. Its heartbeat repeats LISTEN, by which it is counted. */
export class Listener {
  readonly #options: ListenerOptions
  readonly #messages = new EventEmitter()
  #client: pg.Client | undefined
  #firstTry: Promise<void> | undefined
  #running: Promise<void> | undefined
  #hears: boolean | undefined
  /** The driver wants one statement at a time. */
  readonly #inTurn = serialQueue()
  readonly #stopping = new AbortController()

  constructor(options: ListenerOptions) {
    this.#options = options
  }

  /** Whether NOTIFY arrives: not behind a pooler in transaction mode. Undefined until it is known. */
  get hears(): boolean | undefined {
    return this.#hears
  }

  /**
   * Calls `heard` for each message on a channel until the returned function is called, and with '' after each
   * connection: messages may have been missed. Waits for the first connection, or its failure.
   */
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

  async close(): Promise<void> {
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
      log.warn({ err: error }, 'the listening connection was lost, connecting again')
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** Listens until the connection is lost, and throws the reason. */
  async #listenOn(client: pg.Client, connected: () => void): Promise<never> {
    const lost = new AbortController()
    client.on('error', (error) => lost.abort(error))
    client.on('end', () => lost.abort(new Error('The connection was closed.')))
    client.on('notification', ({ channel, payload = '' }) => this.#messages.emit(channel, payload))
    await client.connect()
    await this.#query(client, this.#listenText())
    this.#client = client
    // `close` may have come while there was nothing to close
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

  #query(client: pg.Client, text: string): Promise<boolean> {
    return this.#inTurn(async () => {
      await client.query(text)
      return true
    })
  }

  #listenText(): string {
    const channels = new Set([...this.#messages.eventNames(), ECHO_CHANNEL])
    return [...channels].map((channel) => `listen "${String(channel)}"`).join('; ')
  }

  /** Sends a message to this server by another connection. */
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
