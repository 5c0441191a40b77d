import { DatabaseTime } from '../admission/database-time.ts'
import type { Everybody, Ticket } from '../admission/ticket.ts'
import type { Config } from '../config.ts'
import { counts } from '../counts.ts'
import { UserError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { Backend, PoolUse, Result, Session, TransactionSession } from './backend.ts'
import { isDeadlock, retryDeadlocks } from './deadlocks.ts'
import { openEmbedded } from './embedded/embedded.ts'
import { countSchemaMismatch, DatabaseUnavailable, OutdatedServer } from './errors.ts'
import { type Admission, openPostgres, type PoolSize } from './postgres/postgres.ts'
import { readingBackend } from './replica/reading-backend.ts'
import { Replica } from './replica/replica.ts'
import { ReplicaConnection } from './replica/replica-connection.ts'
import { checkServer } from './schema/oldest-server.ts'

const OLDEST_SERVER = 150_000
const RETRY_MS = 1_000
const SAY_EVERY = 10

/** A replica, and this database as it is read there. */
interface Reading {
  readonly replica: Replica
  readonly onReplica: Pool
}

/** What all Dbs of a database share. */
class Pool {
  readonly backend: Backend
  /** Undefined where statements take no turns. */
  readonly time: DatabaseTime | undefined
  reading: Reading | undefined

  constructor(backend: Backend, time?: DatabaseTime) {
    this.backend = backend
    this.time = time
  }
}

/** An open database. It has no statements of its own: a Db has, which knows for whom they run. */
export class Database {
  readonly #pool: Pool

  constructor(backend: Backend, time?: DatabaseTime) {
    this.#pool = new Pool(backend, time)
  }

  /** The database for a holder's work. Costs no more than the object. */
  for(ticket: Ticket): Db {
    return new Db(this.#pool, ticket)
  }

  /** The database for work that no holder pays for. */
  forEverybody(_work: Everybody): Db {
    return new Db(this.#pool)
  }

  /** Lets `forReading` choose a replica from now on. It is closed with this database. */
  readFrom(replica: Replica, time: DatabaseTime): void {
    const backend = readingBackend(this.#pool.backend, () => replica.connection)
    this.#pool.reading = { replica, onReplica: new Pool(backend, time) }
  }

  async close(): Promise<void> {
    await this.#pool.reading?.replica.close()
    await this.#pool.backend.close()
  }
}

/** The database, or a running transaction of it, as one holder or all use it. */
export class Db {
  readonly #pool: Pool
  readonly #transaction: TransactionSession | undefined
  /** On whose account client-shaped statements run; undefined for everybody's. */
  readonly ticket: Ticket | undefined

  /** Used in this file alone. */
  constructor(pool: Pool, ticket?: Ticket, transaction?: TransactionSession) {
    this.#pool = pool
    this.#transaction = transaction
    this.ticket = ticket
  }

  get #session(): Session {
    return this.#transaction ?? this.#pool.backend
  }

  get inTransaction(): boolean {
    return this.#transaction !== undefined
  }

  /** False where NOTIFY does not arrive. */
  get hears(): boolean {
    return this.#pool.backend.hears() !== false
  }

  /** The same object for all Dbs of a database. */
  get pool(): object {
    return this.#pool
  }

  /** What the pool of connections does. */
  get use(): PoolUse {
    return this.#pool.backend.use()
  }

  /** Client-shaped statements that run and wait. */
  get clientUse(): DatabaseTime['use'] | undefined {
    return this.#pool.time?.use
  }

  /** One statement, rows as arrays. See Session.query for values and `name`. */
  query(text: string, params?: readonly unknown[], name?: string): Promise<Result> {
    return this.#session.query(text, params, name).catch((error: unknown) => {
      if (this.inTransaction || !isDeadlock(error)) return noted(error)
      return retryDeadlocks(() => this.#session.query(text, params, name)).catch(noted)
    })
  }

  /**
   * The same for a client-shaped statement, which only reads: it takes the holder's turn (see DatabaseTime)
   * and fails with SQLSTATE 57014 after CLIENT_STATEMENT_SECONDS. A transaction runs it like any other.
   */
  shaped(text: string, params?: readonly unknown[], name?: string): Promise<Result> {
    const { ticket } = this
    const { time, backend } = this.#pool
    if (!ticket || !time || this.inTransaction) return this.query(text, params, name)
    const query = ticket.isSuperuser ? backend.query : backend.clientQuery
    return time.run(ticket, () => query(text, params, name)).catch(noted)
  }

  /** The same as `query` for a statement that reads rows by their keys: see Backend.lookUp. */
  lookUp(text: string, params?: readonly unknown[], name?: string): Promise<Result> {
    const lookUp = this.#transaction?.query ?? this.#pool.backend.lookUp
    return lookUp(text, params, name).catch(noted)
  }

  /**
   * The database for what only reads and is in no transaction: on the replica when that has all that was
   * committed before this call. See docs/internals/replica.md.
   */
  async forReading(): Promise<Db> {
    const { reading } = this.#pool
    if (!reading) return this
    const isReplica = await reading.replica.hasCaughtUp()
    counts.replica.reads[isReplica ? 'replica' : 'primary']++
    return isReplica ? new Db(reading.onReplica, this.ticket) : this
  }

  /** The replica that `forReading` may choose; undefined without one. */
  get replica(): Replica | undefined {
    return this.#pool.reading?.replica
  }

  /** Several statements in one go, without parameters. */
  script(text: string): Promise<void> {
    return this.#session.script(text)
  }

  /**
   * One statement that may take as long as it needs, such as an index of a large table that is made while
   * others write. Never inside a transaction.
   */
  unhurried(text: string): Promise<Result> {
    if (this.inTransaction) throw new Error('What takes long is done outside of transactions')
    return this.#pool.backend.unhurried(text)
  }

  /**
   * From now to the end of this transaction a statement may take so long; 0: any time, and waits for locks
   * without end. Inside a transaction only.
   */
  async limitStatements(ms: number): Promise<void> {
    if (!this.#transaction) throw new Error('A limit is set inside a transaction')
    await this.#transaction.limit(ms)
  }

  /**
   * All of `work` or nothing. Inside a transaction it simply joins in: the outer one decides. `work` is done
   * again, a few times at most, when Postgres ended it for a deadlock.
   */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    if (this.inTransaction) return work(this)
    return retryDeadlocks(() => this.#pool.backend.transaction((session) => work(this.#inside(session))))
  }

  /**
   * Ends all other connections of pocketsms, of all processes: the last statement of a transaction after
   * which none may go on with what it knew. They connect again by themselves; what they were asked fails as
   * if the database were away. Inside a transaction only.
   */
  async endOthers(): Promise<void> {
    if (!this.#transaction) throw new Error('Other connections are ended inside a transaction')
    await this.#transaction.endOthers()
  }

  #inside(session: TransactionSession): Db {
    return new Db(this.#pool, this.ticket, session)
  }

  /** Hears what any node says with NOTIFY. An empty payload: something may have been missed. */
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>> {
    return this.#pool.backend.listen(channel, heard)
  }
}

function noted(error: unknown): never {
  countSchemaMismatch(error)
  throw error
}

/**
 * The Postgres of `databaseUrl`, else the embedded one in `dataDir`. Waits for a server that is not there yet
 * and says so. Throws a UserError for one that is too old, refuses us, or does not start. `admit`: see
 * Admission.
 */
export async function openDb(config: Config, log: Logger, admit?: Admission): Promise<Database> {
  const embedded = config.databaseUrl ? undefined : await openEmbedded(config.dataDir, log)
  const backend = openPostgres(config.databaseUrl ?? embedded!.url, poolOf(config), log, {
    ...(admit && { admit }),
    listenUrl: config.databaseListenUrl,
  })
  const close = async () => {
    await backend.close()
    await embedded?.close()
  }
  const database = new Database({ ...backend, close }, timeOf(config))
  try {
    await awaitServer(database.forEverybody('server'), log)
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

/**
 * The same for a server: it reads from the replica that the settings name, if it can, and has no connection
 * to a database that it is too old for.
 */
export async function openServingDb(config: Config, log: Logger): Promise<Database> {
  const database = await openDb(config, log, checkServer)
  const db = database.forEverybody('server')
  const { databaseReplicaUrl: url } = config
  if (url) {
    const open = () => new ReplicaConnection(url, poolOf(config), log)
    database.readFrom(new Replica((...statement) => db.lookUp(...statement), open, log), timeOf(config))
  }
  return database
}

/** A third of the connections are for statements that clients shaped. */
const poolOf = ({ databasePool, clientStatementSeconds }: Config): PoolSize => {
  const ofClients = Math.ceil(databasePool / 3)
  return {
    ofClients,
    ofServer: Math.max(1, databasePool - ofClients),
    clientMs: clientStatementSeconds * 1000,
  }
}

const timeOf = (config: Config) => new DatabaseTime(poolOf(config).ofClients)

async function awaitServer(db: Db, log: Logger): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      const { rows } = await db.query('show server_version_num')
      const version = Number(rows[0]?.[0])
      if (version >= OLDEST_SERVER) return
      throw new UserError(
        `Postgres 15 or later is needed; DATABASE_URL leads to version ${Math.floor(version / 10_000)}.`,
      )
    } catch (error) {
      if (error instanceof OutdatedServer) throw new UserError(error.message)
      if (!(error instanceof DatabaseUnavailable)) throw refusal(error)
      const cause = error.cause instanceof Error ? error.cause.message : String(error.cause)
      if (attempt % SAY_EVERY === 0) log.warn(`waiting for the database: ${cause || 'no connection'}`)
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

/**
 * Before anything was asked, whatever is wrong lies in DATABASE_URL or at the server: TLS, a missing
 * password, a name.
 */
function refusal(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UserError) return error
  const code = 'code' in error ? String(error.code) : ''
  return new UserError(
    code.startsWith('28')
      ? `The database refused to let us in: ${error.message}. Check the user and password in DATABASE_URL.`
      : `The database cannot be used: ${error.message}. Check DATABASE_URL.`,
  )
}
