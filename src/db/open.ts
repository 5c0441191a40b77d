import { setTimeout as sleep } from 'node:timers/promises'
import type { Everybody, Holder, Ticket } from '../admission/holder.ts'
import { type DatabaseTime, databasePlaces } from '../admission/rates.ts'
import type { Config } from '../config.ts'
import { UserError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { counts } from '../metrics/counts.ts'
import { openEmbedded } from './embedded/embedded.ts'
import {
  type Backend,
  countSchemaMismatch,
  DatabaseUnavailable,
  isSqlError,
  OutdatedServer,
  type PoolUse,
  type Result,
  type Session,
  type TransactionSession,
  wordsOf,
} from './errors.ts'
import { type Admission, openPostgres, type PoolSize } from './postgres.ts'
import { openReplica, type Replica, readingBackend, watchReplica } from './replica.ts'
import { checkServer } from './schema/oldest-server.ts'

interface Pool {
  readonly backend: Backend
  readonly places: ReturnType<typeof databasePlaces>
  reading?: { readonly replica: Replica; readonly onReplica: Pool }
}

export class Database {
  readonly #pool: Pool

  constructor(backend: Backend, size?: PoolSize) {
    this.#pool = { backend, places: databasePlaces(size) }
  }

  for(ticket: Ticket): Db {
    return new Db(this.#pool, ticket)
  }

  forEverybody(work: Everybody): Db {
    return new Db(this.#pool, work)
  }

  /** Lets `forReading` choose this replica from now on. `close` also closes the replica. */
  readFrom(replica: Replica, size: PoolSize): void {
    const backend = readingBackend(this.#pool.backend, replica.connection)
    this.#pool.reading = { replica, onReplica: { backend, places: databasePlaces(size) } }
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
  /** Who is charged for the time of clients' own filters; undefined for the server's own work. */
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
    if (this.#transaction) return this.#transaction.query(text, params, name).catch(countSchemaMismatch)
    return this.#inTurn((backend) => backend.query(text, params, name)).catch(countSchemaMismatch)
  }

  /**
   * Runs a statement with a client's own filter or sort, when it is the client's turn. Throws SQLSTATE 57014
   * after CLIENT_STATEMENT_SECONDS. That limit does not apply to superusers, within a transaction, or to
   * work without a ticket.
   */
  shaped(text: string, params?: readonly unknown[], name?: string): Promise<Result> {
    const { ticket } = this
    const { backend, places } = this.#pool
    const { time } = places
    if (!ticket || !time || this.inTransaction) return this.query(text, params, name)
    if (ticket.isSuperuser) return time.run(ticket, () => this.query(text, params, name))
    return time.run(ticket, () => backend.clientQuery(text, params, name)).catch(countSchemaMismatch)
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

/**
 * Opens the Postgres of `databaseUrl`, else the embedded one, and waits until it answers. Throws a UserError
 * if it cannot be used. `admit` checks each new connection of a server.
 */
export async function openDb(config: Config, log: Logger, admit?: Admission): Promise<Database> {
  const embedded = config.databaseUrl ? undefined : await openEmbedded(config.dataDir, log)
  const backend = openPostgres(config.databaseUrl ?? embedded!.url, poolOf(config), log, {
    admit,
    listenUrl: config.databaseListenUrl,
    isEmbedded: embedded !== undefined,
  })
  const close = async () => {
    await backend.close()
    await embedded?.close()
  }
  const database = new Database({ ...backend, close }, poolOf(config))
  try {
    await awaitServer(backend.query, log)
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

/** Opens the database, with the configured replica, for a server. Throws a UserError for a newer schema. */
export async function openServingDb(config: Config, log: Logger): Promise<Database> {
  const database = await openDb(config, log, checkServer)
  const db = database.forEverybody('server')
  const { databaseReplicaUrl: url } = config
  if (url) {
    const open = () => openReplica(url, poolOf(config), log)
    database.readFrom(
      watchReplica((...statement) => db.lookUp(...statement), open, log),
      poolOf(config),
    )
  }
  return database
}

const poolOf = ({ databasePool: all, clientStatementSeconds }: Config): PoolSize => {
  const ofClients = Math.ceil(all / 3)
  return { ofClients, ofServer: Math.max(1, all - ofClients), clientMs: clientStatementSeconds * 1000 }
}

const DEADLOCK = '40P01'
const TRIES = 8
/** Maximum of the random pause after a first deadlock, so that it does not happen again. */
const MAX_PAUSE_MS = 50

/** Runs work in a savepoint. If it throws, only its changes are undone, and the error is thrown. */
export async function withSavepoint<T>(db: Db, work: () => Promise<T>): Promise<T> {
  await db.query('savepoint attempt')
  try {
    return await work()
  } catch (error) {
    await db.query('rollback to savepoint attempt')
    throw error
  } finally {
    await db.query('release savepoint attempt')
  }
}

const OLDEST_SERVER = 150_000
const RETRY_MS = 1_000
const SAY_EVERY = 10

/** Waits for Postgres. Throws a UserError if it is too old, refuses the login, or has a newer schema. */
async function awaitServer(query: Session['query'], log: Logger): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      const { rows } = await query('show server_version_num')
      const version = Number(rows[0]?.[0])
      if (version >= OLDEST_SERVER) return
      throw new UserError(
        `Postgres 15 or later is needed; DATABASE_URL leads to version ${Math.floor(version / 10_000)}.`,
      )
    } catch (error) {
      if (error instanceof OutdatedServer) throw new UserError(error.message)
      if (!(error instanceof DatabaseUnavailable)) throw refusal(error)
      if (attempt % SAY_EVERY === 0)
        log.warn(`waiting for the database: ${wordsOf(error.cause) || 'no connection'}`)
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

function refusal(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UserError) return error
  const code = 'code' in error ? String(error.code) : ''
  return new UserError(
    code.startsWith('28')
      ? `The database refused to let us in: ${wordsOf(error)}. Check the user and password in DATABASE_URL.`
      : `The database cannot be used: ${wordsOf(error)}. Check DATABASE_URL.`,
  )
}
