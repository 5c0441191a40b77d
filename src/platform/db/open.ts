import { setTimeout as sleep } from 'node:timers/promises'
import type { Everybody, Holder, Ticket } from '../limits/limit-holder.ts'
import { type DatabaseTime, makeDatabasePlaces } from '../limits/rates.ts'
import { counts } from '../tools/process-counters.ts'
import type { Backend, PoolUse, Result, TransactionSession } from './backend.ts'
import { countSchemaMismatch, DEADLOCK, isSqlError } from './database-errors.ts'
import { makeExecutor } from './execute-statement.ts'
import type { PoolSize } from './postgres.ts'
import type { Replica } from './replica.ts'
import { makeReadingBackend } from './replica-connection.ts'

interface Pool {
  readonly backend: Backend
  readonly places: ReturnType<typeof makeDatabasePlaces>
  reading?: { readonly replica: Replica; readonly onReplica: Pool }
}

export class Database {
  readonly #pool: Pool

  constructor(backend: Backend, size?: PoolSize) {
    this.#pool = { backend, places: makeDatabasePlaces(size) }
  }

  for(ticket: Ticket): Db {
    return new Db(this.#pool, ticket)
  }

  forEverybody(work: Everybody): Db {
    return new Db(this.#pool, work)
  }

  /** Lets `forReading` choose this replica from now on. `close` also closes the replica. */
  readFrom(replica: Replica, size: PoolSize): void {
    const backend = makeReadingBackend(this.#pool.backend, replica.connection)
    this.#pool.reading = { replica, onReplica: { backend, places: makeDatabasePlaces(size) } }
  }

  async close(): Promise<void> {
    await this.#pool.reading?.replica.close()
    await this.#pool.backend.close()
  }
}

/** The database or a running transaction, used for an account, for a guest's network or for the server. */
export class Db {
  readonly #pool: Pool
  readonly #transaction: TransactionSession | undefined
  readonly #owner: Ticket | Everybody
  readonly #holder: Holder | Everybody
  /** The holder charged for the time of clients' own filters; undefined for the server's own work. */
  readonly ticket: Ticket | undefined
  readonly replica: Replica | undefined

  constructor(pool: Pool, owner: Ticket | Everybody, transaction?: TransactionSession) {
    this.#pool = pool
    this.#transaction = transaction
    this.#owner = owner
    this.#holder = typeof owner === 'string' ? owner : owner.holder
    this.ticket = typeof owner === 'string' ? undefined : owner
    this.replica = pool.reading?.replica
  }

  /** This database outside of any transaction, for work that is charged to no account. */
  forEverybody(work: Everybody): Db {
    return new Db(this.#pool, work)
  }

  get inTransaction(): boolean {
    return this.#transaction !== undefined
  }

  /** False if NOTIFY does not arrive, for example behind a pooler in transaction mode. */
  get hears(): boolean {
    return this.#pool.backend.hears() !== false
  }

  get pool(): object {
    return this.#pool
  }

  /** Numbers of busy and idle connections, and of calls that wait for a connection or for their turn. */
  get use(): PoolUse {
    const { backend, places } = this.#pool
    const use = backend.use()
    return { ...use, waiting: use.waiting + places.connections.use.waiting }
  }

  get clientUse(): DatabaseTime['use'] | undefined {
    return this.#pool.places.time?.use
  }

  /** Runs a statement. `Session` explains rows and `name`. Throws RetryLater if too many statements wait. */
  query(text: string, params?: readonly unknown[], name?: string): Promise<Result> {
    if (this.#transaction)
      return this.#transaction.query(text, params, name).catch(countSchemaMismatch)
    return this.#inTurn((backend) => backend.query(text, params, name)).catch(countSchemaMismatch)
  }

  /** Lets SQL of kysely's template run here: ``sql`…`.execute(db)``. It is not prepared. */
  getExecutor() {
    return makeExecutor(this, 'planned')
  }

  /**
   * Runs a statement with a client's own filter or sort, when it is the client's turn. Throws SQLSTATE 57014
   * after CLIENT_STATEMENT_SECONDS. Superusers, transactions and work without a ticket have no such limit.
   */
  shaped(text: string, params?: readonly unknown[], name?: string): Promise<Result> {
    const { ticket } = this
    const { backend, places } = this.#pool
    if (!ticket || !places.time || this.inTransaction) return this.query(text, params, name)
    if (ticket.isSuperuser) return places.time.run(ticket, () => this.query(text, params, name))
    return places.time
      .run(ticket, () => backend.clientQuery(text, params, name))
      .catch(countSchemaMismatch)
  }

  /** Reads the first rows in an index's order. Uses the connection of `lookUp`, but accounts take turns. */
  firstRows(text: string, params?: readonly unknown[], name?: string): Promise<Result> {
    if (this.inTransaction) return this.lookUp(text, params, name)
    return this.#pool.places.firstRows.run(this.#holder, () => this.lookUp(text, params, name))
  }

  /** Reads rows by their keys on one shared connection (pipeline.ts), without waiting for a turn. */
  lookUp(text: string, params?: readonly unknown[], name?: string): Promise<Result> {
    const lookUp = this.#transaction?.query ?? this.#pool.backend.lookUp
    return lookUp(text, params, name).catch(countSchemaMismatch)
  }

  /** The Db for reads outside of transactions: the replica if it has all commits so far, else the primary. */
  async forReading(): Promise<Db> {
    const { reading } = this.#pool
    if (!reading) return this
    const isReplica = await reading.replica.hasCaughtUp()
    counts.replica.reads[isReplica ? 'replica' : 'primary']++
    return isReplica ? new Db(reading.onReplica, this.#owner) : this
  }

  script(text: string): Promise<void> {
    return (this.#transaction ?? this.#pool.backend).script(text)
  }

  /** Runs a statement without a time limit, such as `create index`. Never inside a transaction. */
  unhurried(text: string): Promise<Result> {
    if (this.inTransaction) throw new Error('What takes long is done outside of transactions')
    return this.#pool.backend.unhurried(text)
  }

  /** Sets the time limit of later statements of this transaction. 0: no limit, not even for lock waits. */
  limitStatements(ms: number): Promise<void> {
    return this.#transaction!.limit(ms)
  }

  /** Runs `work` in the running transaction, else in a new one. Repeats a new one after a deadlock. */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    if (this.inTransaction) return work(this)
    return this.#inTurn((backend) =>
      backend.transaction((session) => work(new Db(this.#pool, this.#owner, session))),
    )
  }

  /** Ends all connections of pocketsms, with their outdated plans. Must be a transaction's last statement. */
  endOthers(): Promise<void> {
    return this.#transaction!.endOthers()
  }

  /** Runs work with the database when it is the caller's turn. Repeats it after a deadlock. */
  #inTurn<T>(work: (backend: Backend) => Promise<T>): Promise<T> {
    const { backend, places } = this.#pool
    return places.connections.run(this.#holder, async () => {
      for (let tries = 1; ; tries++) {
        try {
          return await work(backend)
        } catch (error) {
          if (tries === TRIES || !isSqlError(error, DEADLOCK)) throw error
          await sleep(Math.random() * MAX_PAUSE_MS * tries)
        }
      }
    })
  }

  /** Calls `heard` for each announcement of any node, and with '' when some may have been missed. */
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>> {
    return this.#pool.backend.listen(channel, heard)
  }

  /** Sends a message to listeners on all nodes. It may be lost. Call this after the commit. */
  announce(channel: string, payload: string): void {
    this.#pool.backend.announce(channel, payload)
  }
}

const TRIES = 8
/** Maximum of the random pause after a first deadlock, so that it does not happen again. */
const MAX_PAUSE_MS = 50
