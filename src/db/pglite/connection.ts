import { messages, protocol } from '@electric-sql/pglite'
import type { Logger } from '../../log.ts'
import type { Backend, Session, TransactionSession } from '../backend.ts'
import { STATEMENT_TIMEOUT_MS } from '../limits.ts'
import { readWriteQueue, serialSession } from '../serial-queue.ts'
import { checkpointRegularly } from './checkpoints.ts'
import { type Engine, RequestNotStarted } from './engine.ts'
import { type Ask, type Names, protocolSession } from './session.ts'

/** How long what still runs may take when the database is to be closed. */
const CLOSE_MS = 1_000

const never = () => false
const within =
  (limitMs: () => number) =>
  (ranMs: number): boolean =>
    limitMs() > 0 && ranMs > limitMs()

/**
 * The one connection to an embedded database: statements run one after the other, a transaction as a whole.
 * `closed` is called when the database is closed.
 */
export function connect(engine: Engine, closed: () => void, log: Logger): Backend {
  const turns = readWriteQueue()
  // after a restart nothing is prepared: so a statement is made when the database runs
  const whenReady = <T>(work: () => Promise<T>): Promise<T> => engine.ready().then(work)
  /** Statements that stand alone are sent at once: the database need not wait for us between two of them. */
  const together = <T>(work: () => Promise<T>): Promise<T> =>
    turns.together(() =>
      whenReady(work).catch((error: unknown) => {
        if (error instanceof RequestNotStarted) return whenReady(work)
        throw error
      }),
    )
  const blocked = new Blocked()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => blocked.count(together(work))
  const alone = <T>(work: () => Promise<T>): Promise<T> => blocked.count(turns.alone(() => whenReady(work)))
  const connection = new Connection(engine)
  const limited = connection.session(within(() => STATEMENT_TIMEOUT_MS))
  const unlimited = connection.session(never)
  engine.onRestart = () => {
    connection.forgetNames()
    inTurn(() => connection.listenAgain(unlimited)).catch((error) =>
      log.error({ err: error }, 'LISTEN failed'),
    )
  }
  const stopCheckpoints = checkpointRegularly((text) => inTurn(() => unlimited.query(text)), log)
  return {
    kind: 'pglite',
    query: (text, params, name) => inTurn(() => limited.query(text, params, name)),
    interruptible: (isOver, text, params, name) => {
      const session = connection.session((ranMs) => isOver(ranMs, blocked.ms))
      return together(() => session.query(text, params, name))
    },
    // a script is never a client's: it may take as long as it needs
    script: (text) => inTurn(() => unlimited.script(text)),
    unhurried: (text) => inTurn(() => unlimited.query(text)),
    transaction: (work) => alone(() => connection.transaction(work)),
    overhaul: (work) =>
      alone(async () => {
        const result = await connection.transaction(work)
        await unlimited.script('deallocate all')
        connection.forgetNames()
        return result
      }),
    listen: (channel, heard) => inTurn(() => connection.listen(unlimited, channel, heard)),
    async close() {
      stopCheckpoints()
      const impatient = setTimeout(() => engine.endWork(), CLOSE_MS)
      await turns.alone(() => engine.close())
      clearTimeout(impatient)
      closed()
    },
  }
}

/** How long statements have waited that must not wait for interruptible ones. */
class Blocked {
  #count = 0
  #sinceMs = 0

  /** Since the oldest of them came, or the last one before it was answered. */
  get ms(): number {
    return this.#count > 0 ? performance.now() - this.#sinceMs : 0
  }

  count<T>(work: Promise<T>): Promise<T> {
    if (this.#count++ === 0) this.#sinceMs = performance.now()
    return work.finally(() => {
      this.#count--
      this.#sinceMs = performance.now()
    })
  }
}

/** What the database keeps for its one connection: prepared statements, and who listens to which channel. */
class Connection {
  readonly #engine: Engine
  readonly #names: Names = new Map()
  readonly #listeners = new Map<string, Set<(payload: string) => void>>()

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /**
   * A statement is canceled when `isOver` says so. With `start`, nothing is asked of the database after a
   * restart.
   */
  session(isOver: (ranMs: number) => boolean, start?: number): Session {
    const ask: Ask = async (request) => this.#read(await this.#engine.ask(request, isOver, start))
    return protocolSession(ask, this.#names)
  }

  async transaction<T>(work: (session: TransactionSession) => Promise<T>): Promise<T> {
    let limitMs = STATEMENT_TIMEOUT_MS
    const session = serialSession(
      this.session(
        within(() => limitMs),
        this.#engine.starts,
      ),
    )
    const limit = async (ms: number) => {
      limitMs = ms
    }
    await session.script('begin')
    try {
      const result = await work({ ...session, limit })
      await session.script('commit')
      return result
    } catch (error) {
      // it fails only if the database ended, and the transaction with it
      await session.script('rollback').catch(() => {})
      throw error
    }
  }

  async listen(session: Session, channel: string, heard: (payload: string) => void) {
    if (!this.#listeners.has(channel)) await session.script(`listen "${channel}"`)
    const all = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, all.add(heard))
    return async () => void all.delete(heard)
  }

  /** After a restart. What was sent meanwhile is lost: an empty payload asks everybody for a full poll. */
  async listenAgain(session: Session): Promise<void> {
    for (const [channel, all] of this.#listeners) {
      await session.script(`listen "${channel}"`)
      for (const heard of all) heard('')
    }
  }

  /** To be called when the database has forgotten all prepared statements. */
  forgetNames(): void {
    this.#names.clear()
  }

  #read(bytes: Uint8Array<ArrayBuffer>): messages.BackendMessage[] {
    const answer: messages.BackendMessage[] = []
    new protocol.Parser().parse(bytes, (message) => {
      if (message instanceof messages.NotificationResponseMessage) this.#notify(message)
      else answer.push(message)
    })
    return answer
  }

  #notify({ channel, payload }: messages.NotificationResponseMessage): void {
    for (const heard of this.#listeners.get(channel) ?? []) queueMicrotask(() => heard(payload))
  }
}
