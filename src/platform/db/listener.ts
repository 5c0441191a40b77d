import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from '../log.ts'
import { makeSerialQueue } from '../tools/repeat-work.ts'
import type { Backend, DbSession } from './backend.ts'

const RECONNECT_MS = 1_000
/** The interval of heartbeats, and how long the database may take to answer one. */
const [BEAT_MS, ANSWER_MS] = [2_000, 8_000]
/** Channel on which a server sends itself a message after it connects, to test whether NOTIFY works. */
const ECHO_CHANNEL = 'pocketsms_echo'
const ECHO_MS = 5_000
/** A server sends NOTIFY at most once in this time, because Postgres serializes commits that notify. */
const GATHER_MS = 20
/** SQLSTATE of the notices by which sql/functions/jobs/_announce.sql hands announcements to a server. */
const ANNOUNCED = 'PS001'
const DEAF =
  'NOTIFY does not arrive: is DATABASE_URL a pooler in transaction mode? ' +
  'Set DATABASE_LISTEN_URL to Postgres itself. Changes of other servers are late or not seen.'

type ListeningClient = pg.Client & { readonly processID?: number }

/**
 * One connection that listens on all channels. Its heartbeat is a LISTEN that `countChannelListeners` finds.
 * Calls `onStall` when the database stops answering but leaves its connections open.
 */
export function openListener(
  open: () => pg.Client,
  query: DbSession['query'],
  onStall: () => void,
  log: Logger,
) {
  const messages = new EventEmitter()
  const inTurn = makeSerialQueue()
  const words = new Set<string>()
  const stopping = new AbortController()
  let client: pg.Client | undefined
  let firstTry: Promise<void> | undefined
  let running: Promise<void> | undefined
  let saying: Promise<void> | undefined
  let hears: boolean | undefined

  const send = (to: pg.Client, text: string, values?: readonly unknown[]): Promise<boolean> =>
    inTurn(async () => {
      await to.query(text, values as unknown[])
      return true
    })

  function listenText(): string {
    let text = `listen "${ECHO_CHANNEL}"`
    for (const channel of messages.eventNames())
      if (channel !== ECHO_CHANNEL) text += `; listen "${String(channel)}"`
    return text
  }

  async function say(): Promise<void> {
    await turn() // announcements of one commit are sent together
    while (words.size > 0) {
      const channels: string[] = []
      const payloads: string[] = []
      for (const word of words) {
        const end = word.indexOf(' ')
        channels.push(word.slice(0, end))
        payloads.push(word.slice(end + 1))
      }
      words.clear()
      // the SQL comment is for `countChannelListeners`, which searches each connection's last statement
      const text = `select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) w(channel, payload) -- ${listenText()}`
      if (client) await send(client, text, [channels, payloads]).catch(() => {})
      await sleep(GATHER_MS, undefined, { ref: false })
    }
    saying = undefined
  }

  async function run(tried: () => void): Promise<void> {
    const { signal } = stopping
    while (!signal.aborted) {
      const next = open()
      const error = await listenOn(next, tried).catch((thrown: unknown) => thrown)
      client = undefined
      tried()
      next.end().catch(() => {})
      if (signal.aborted) return
      log.warn({ err: error }, 'lost the LISTEN connection, reconnecting')
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {})
    }
  }

  async function listenOn(next: ListeningClient, connected: () => void): Promise<never> {
    const lost = new AbortController()
    next.on('error', (error) => lost.abort(error))
    next.on('end', () => lost.abort(new Error('The connection was closed.')))
    next.on('notification', ({ channel, payload = '', processId }) => {
      // `announce` has already called the listeners of this process
      if (processId !== next.processID) messages.emit(channel, payload)
    })
    await next.connect()
    await send(next, listenText())
    client = next
    // `close` may have been called before there was a connection to close
    stopping.signal.throwIfAborted()
    connected()
    for (const channel of messages.eventNames()) messages.emit(channel, '')
    checkEcho().catch(() => {})
    for (;;) {
      await sleep(BEAT_MS, undefined, { ref: false, signal: lost.signal })
      const answer = send(next, listenText())
      if (await Promise.race([answer, sleep(ANSWER_MS, false, { ref: false })])) continue
      onStall()
      throw new Error(`The database did not answer within ${ANSWER_MS} ms.`)
    }
  }

  /** Tests NOTIFY: sends this process a message over another connection. */
  async function checkEcho(): Promise<void> {
    const word = randomUUID()
    const heard = new Promise<boolean>((resolve) => {
      const check = (payload: string) => payload === word && resolve(true)
      messages.on(ECHO_CHANNEL, check)
      void sleep(ECHO_MS, undefined, { ref: false }).then(() => {
        messages.off(ECHO_CHANNEL, check)
        resolve(false)
      })
    })
    await query('select pg_notify($1, $2)', [ECHO_CHANNEL, word])
    hears = await heard
    if (!hears) log.error(DEAF)
  }

  return {
    hears: () => hears,
    /** Calls `heard` for each message, and with '' after each (re)connection. Returns a function to stop. */
    async listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>> {
      messages.on(channel, heard)
      firstTry ??= new Promise((tried) => {
        running = run(tried)
      })
      await firstTry
      if (client && (await send(client, listenText()).catch(() => false))) heard('')
      return async () => {
        messages.off(channel, heard)
        if (messages.listenerCount(channel) > 0 || !client) return
        await send(client, `unlisten "${channel}"; ${listenText()}`).catch(() => {})
      }
    },
    /** Calls listeners of this process immediately. If connected, notifies other servers within GATHER_MS. */
    announce(channel: string, payload: string): void {
      messages.emit(channel, payload)
      words.add(`${channel} ${payload}`)
      saying ??= say()
    },
    async close(): Promise<void> {
      await saying
      stopping.abort()
      await client?.end().catch(() => {})
      await running
    },
  }
}

/**
 * Passes what a pool's clients announce to `announce`, after their commit. Returns a function that drops a
 * client's announcements.
 */
export function collectAnnouncements(pool: pg.Pool, announce: Backend['announce']) {
  const made = new WeakMap<pg.ClientBase, string[]>()
  pool.on('connect', (client) =>
    client.on('notice', ({ code, message = '' }) => {
      if (code === ANNOUNCED) made.set(client, [...(made.get(client) ?? []), message])
    }),
  )
  // a connection is released after the commit, or with an error
  pool.on('release', (error, client) => {
    const words = made.get(client)
    if (!words) return
    made.delete(client)
    if (error) return
    for (const word of words) {
      const end = word.indexOf(' ')
      announce(word.slice(0, end), word.slice(end + 1))
    }
  })
  return (client: pg.ClientBase) => made.delete(client)
}
