import { DatabaseTime } from '../admission/database-time.ts'
import type { Ticket } from '../admission/ticket.ts'
import type { Config } from '../config.ts'
import { counts } from '../counts.ts'
import { UserError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { Backend, PoolUse, Result, Session, TransactionSession } from './backend.ts'
import { isDeadlock, retryDeadlocks } from './deadlocks.ts'
import { openEmbedded } from './embedded/embedded.ts'
import { countSchemaMismatch, DatabaseUnavailable } from './errors.ts'
import { openPostgres, type PoolSize } from './postgres/postgres.ts'
import { readingBackend } from './replica/reading-backend.ts'
import { Replica } from './replica/replica.ts'
import { ReplicaConnection } from './replica/replica-connection.ts'

const OLDEST_SERVER = 150_000
const RETRY_MS = 1_000
const SAY_EVERY = 10

/** A replica, and this database as it is read there. */
interface Reading {
  readonly replica: Replica
  readonly onReplica: Db
}

/** The database, or one running transaction of it: whoever gets a Db need not know which. */
export class Db {
  readonly #backend: Backend
  readonly #session: Session
  readonly #transaction: TransactionSession | undefined
  readonly #time: DatabaseTime | undefined
  #reading: Reading | undefined

  constructor(backend: Backend, time?: DatabaseTime, transaction?: TransactionSession) {
    this.#backend = backend
    this.#session = transaction ?? backend
    this.#transaction = transaction
    this.#time = time
  }

  get inTransaction(): boolean {
    return this.#transaction !== undefined
  }

  /** False where NOTIFY does not arrive. */
  get hears(): boolean {
    return this.#backend.hears() !== false
  }

  /** What the pool of connections does. */
  get use(): PoolUse {
    return this.#backend.use()
  }

  /** Client-shaped statements that run and wait. */
  get clientUse(): DatabaseTime['use'] | undefined {
    return this.#time?.use
  }

  /** One statement, rows as arrays. See Session.query for values and `name`. */
  query(text: string, params?: readonly unknown[], name?: string): Promise<Result> {
    return this.#session.query(text, params, name).catch((error: unknown) => {
      if (this.inTransaction || !isDeadlock(error)) return noted(error)
      return retryDeadlocks(() => this.#session.query(text, params, name)).catch(noted)
    })
  }

  /**
   * The same for a statement on a ticket, which only reads: it takes its turn (see DatabaseTime) and fails
   * with SQLSTATE 57014 after CLIENT_STATEMENT_SECONDS. A transaction runs it like any other.
   */
  queryFor(
    ticket: Ticket | undefined,
    text: string,
    params?: readonly unknown[],
    name?: string,
  ): Promise<Result> {
    if (!ticket || !this.#time || this.inTransaction) return this.query(text, params, name)
    const query = ticket.isSuperuser ? this.#backend.query : this.#backend.clientQuery
    return this.#time.run(ticket, () => query(text, params, name)).catch(noted)
  }

  /** The same as `query` for a statement that reads rows by their keys: see Backend.lookUp. */
  lookUp(text: string, params?: readonly unknown[], name?: string): Promise<Result> {
    const lookUp = this.inTransaction ? this.#session.query : this.#backend.lookUp
    return lookUp(text, params, name).catch(noted)
  }

  /**
   * The database for what only reads and is in no transaction: on the replica when that has all that was
   * committed before this call. See docs/internals/replica.md.
   */
  async forReading(): Promise<Db> {
    if (!this.#reading) return this
    const isReplica = await this.#reading.replica.hasCaughtUp()
    counts.replica.reads[isReplica ? 'replica' : 'primary']++
    return isReplica ? this.#reading.onReplica : this
  }

  /** The replica that `forReading` may choose; undefined without one. */
  get replica(): Replica | undefined {
    return this.#reading?.replica
  }

  /** Lets `forReading` choose a replica from now on. It is closed with this database. */
  readFrom(replica: Replica, time: DatabaseTime): void {
    const backend = readingBackend(this.#backend, () => replica.connection)
    this.#reading = { replica, onReplica: new Db(backend, time) }
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
    return this.#backend.unhurried(text)
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
    return retryDeadlocks(() =>
      this.#backend.transaction((session) => work(new Db(this.#backend, undefined, session))),
    )
  }

  /**
   * A transaction in which `work` makes all tables anew. Plans of other connections would not fit them: just
   * before the commit those of pocketsms are closed, of all processes, and connect again by themselves. What
   * they were asked fails as if the database were away.
   */
  overhaul<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return retryDeadlocks(() =>
      this.#backend.overhaul((session) => work(new Db(this.#backend, undefined, session))),
    )
  }

  /** Hears what any node says with NOTIFY. An empty payload: something may have been missed. */
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>> {
    return this.#backend.listen(channel, heard)
  }

  async close(): Promise<void> {
    await this.#reading?.replica.close()
    await this.#backend.close()
  }
}

function noted(error: unknown): never {
  countSchemaMismatch(error)
  throw error
}

/**
 * The Postgres of `databaseUrl`, else the embedded one in `dataDir`. Waits for a server that is not there yet
 * and says so. Throws a UserError for one that is too old, refuses us, or does not start.
 */
export async function openDb(config: Config, log: Logger): Promise<Db> {
  const embedded = config.databaseUrl ? undefined : await openEmbedded(config.dataDir, log)
  const backend = openPostgres(config.databaseUrl ?? embedded!.url, poolOf(config), log, {
    listenUrl: config.databaseListenUrl,
  })
  const close = async () => {
    await backend.close()
    await embedded?.close()
  }
  const db = new Db({ ...backend, close }, timeOf(config))
  try {
    await awaitServer(db, log)
  } catch (error) {
    await db.close()
    throw error
  }
  return db
}

/** The same for a server, which reads from the replica that the settings name, if it can. */
export async function openServingDb(config: Config, log: Logger): Promise<Db> {
  const db = await openDb(config, log)
  const { databaseReplicaUrl: url } = config
  if (url) {
    const open = () => new ReplicaConnection(url, poolOf(config), log)
    db.readFrom(new Replica((...statement) => db.lookUp(...statement), open, log), timeOf(config))
  }
  return db
}

/** A third of the connections are for statements that clients shaped. */
const poolOf = ({ databasePool, clientStatementSeconds }: Config): PoolSize => {
  const ofClients = Math.max(1, Math.floor(databasePool / 3))
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
