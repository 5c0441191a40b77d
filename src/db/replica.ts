import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../log.ts'
import { counts } from '../metrics/counts.ts'
import { within } from '../tools/deadline.ts'
import { sharedQuery } from '../tools/shared-query.ts'
import { type Backend, DatabaseUnavailable, isSqlError, type Result, type Session } from './errors.ts'
import { openPostgres, type PoolSize } from './postgres.ts'

interface ReplicaPosition {
  readonly isReplica: boolean
  /** Postgres' system identifier, equal on a primary and its replicas. */
  readonly system: string
  readonly replayed: number
  /** Seconds since the commit of its newest visible transaction. */
  readonly ageSeconds: number
}

const POSITION = `
select pg_is_in_recovery(), (select system_identifier::text from pg_control_system()),
  coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::float8,
  coalesce(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()), 0)::float8`

const SERVER = `
select pg_postmaster_start_time()::text,
  coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::float8`

interface Running {
  fail: ((error: Error) => void) | undefined
}

/** Connections to one replica, given up when one reaches another server or older data. */
export class ReplicaConnection {
  readonly #backend: Backend
  readonly #running = new Set<Running>()
  #server: string | undefined
  #replayed = 0
  #isOver = false

  constructor(url: string, poolSize: PoolSize, log: Logger) {
    this.#backend = openPostgres(url, poolSize, log, {
      admit: (session) => this.#admit(session),
      isReplica: true,
    })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  get replayed(): number {
    return this.#replayed
  }

  async position(): Promise<ReplicaPosition> {
    const { rows } = await this.run(({ lookUp }) => lookUp(POSITION, [], 'position'))
    const [isReplica, system, replayed, ageSeconds] = rows[0] as [boolean, string, number, number]
    this.#replayed = replayed
    return { isReplica, system, replayed, ageSeconds }
  }

  /** Runs work; rejects once the replica is given up, as a dead connection may stay silent for long. */
  run<T>(work: (backend: Backend) => Promise<T>): Promise<T> {
    if (this.#isOver) return Promise.reject(away())
    const entry: Running = { fail: undefined }
    this.#running.add(entry)
    const result = new Promise<T>((resolve, reject) => {
      entry.fail = reject
      work(this.#backend).then(resolve, reject)
    })
    return result.finally(() => {
      // a Set may keep a deleted entry for a while, and `fail` would keep the answer with it
      entry.fail = undefined
      this.#running.delete(entry)
    })
  }

  giveUp(): void {
    this.#isOver = true
    for (const { fail } of this.#running) fail?.(away())
    this.#backend.close().catch(() => {})
  }

  async #admit(session: Session): Promise<void> {
    const { rows } = await session.query(SERVER)
    const [server, replayed] = rows[0] as [string, number]
    this.#server ??= server
    if (server === this.#server && replayed >= this.#replayed) return
    this.giveUp()
    throw away()
  }
}

const away = () => new DatabaseUnavailable(new Error('The replica is away.'))

/** The log position of the last commit. Asynchronous commits may not be flushed yet. */
const COMMITTED = `
select pg_wal_lsn_diff(case when current_setting('synchronous_commit') = 'off'
  then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end, '0/0')::float8`

const SYSTEM = 'select system_identifier::text from pg_control_system()'

const SAMPLE_REST_MS = 1
/** How long a read waits for the replica to catch up before it goes to the primary. */
const CATCH_UP_MS = 20
/** After a read waited in vain, reads go to the primary at once for this time. */
const LATE_MS = 200
/** How often the replica is checked, also without reads, and how long it may take to answer. */
const [CHECK_MS, PATIENCE_MS] = [500, 1_000]
const LAG_MS = 500

/** `unfit`: not a replica of this primary, or promoted. */
export type ReplicaState = 'used' | 'late' | 'away' | 'unfit'

/** A streaming replica. A read may use it once it has all commits before the read. */
export class Replica {
  readonly #askPrimary: Session['query']
  readonly #open: () => ReplicaConnection
  readonly #log: Logger
  readonly #committed: () => Promise<number>
  readonly #position: () => Promise<ReplicaPosition>
  #connection: ReplicaConnection | undefined
  /** Whether it is a replica of the primary; undefined until it has answered. */
  #isFit: boolean | undefined
  #system: string | undefined
  #lateUntilMs = 0
  #said: string | undefined
  readonly #stopping = new AbortController()
  readonly #checking: Promise<void>

  constructor(askPrimary: Session['query'], open: () => ReplicaConnection, log: Logger) {
    this.#askPrimary = askPrimary
    this.#open = open
    this.#log = log
    this.#committed = sharedQuery(() => this.#ask(COMMITTED, 'committed position'), SAMPLE_REST_MS)
    this.#position = sharedQuery(() => this.#askPosition(), SAMPLE_REST_MS)
    this.#checking = this.#watch()
  }

  /** The connection to read from; undefined while the replica must not be used. */
  get connection(): ReplicaConnection | undefined {
    return this.#isFit && !this.#connection?.isOver ? this.#connection : undefined
  }

  get state(): ReplicaState {
    if (this.#isFit === undefined || !this.#connection || this.#connection.isOver) return 'away'
    if (!this.#isFit) return 'unfit'
    return performance.now() < this.#lateUntilMs ? 'late' : 'used'
  }

  /** Whether the replica has all commits before this call; waits up to CATCH_UP_MS. */
  hasCaughtUp(): Promise<boolean> {
    return this.#catchUp().catch(() => false)
  }

  /** How far the replica is behind the primary; null if one of them does not answer. */
  async lag() {
    const measured = await within(this.#measure(), LAG_MS).catch(() => ({ bytes: null, seconds: null }))
    return { state: this.state, ...measured }
  }

  async #measure() {
    const needed = await this.#committed()
    const { replayed, ageSeconds } = await this.#position()
    const bytes = Math.max(0, needed - replayed)
    return { bytes, seconds: bytes > 0 ? ageSeconds : 0 }
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#checking
    this.#connection?.giveUp()
  }

  async #catchUp(): Promise<boolean> {
    if (!this.connection) return false
    const needed = await this.#committed()
    if (this.#shows(needed)) return true
    const startMs = performance.now()
    if (startMs < this.#lateUntilMs) return false
    for (let leftMs = CATCH_UP_MS; leftMs > 0; leftMs = startMs + CATCH_UP_MS - performance.now()) {
      await within(this.#position(), leftMs).catch(() => {})
      if (!this.connection) return false
      if (this.#shows(needed)) return true
    }
    this.#lateUntilMs = performance.now() + LATE_MS
    return false
  }

  #shows(needed: number): boolean {
    const { connection } = this
    return connection !== undefined && needed <= connection.replayed
  }

  async #ask<T>(text: string, name: string): Promise<T> {
    const { rows } = await this.#askPrimary(text, [], name)
    return rows[0]![0] as T
  }

  async #askPosition(): Promise<ReplicaPosition> {
    const connection = this.#connection
    if (!connection) throw new Error('The replica is away.')
    const position = await connection.position()
    this.#isFit = position.isReplica && position.system === this.#system
    return position
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await this.#check()
      await sleep(CHECK_MS, undefined, { signal }).catch(() => {})
    }
  }

  async #check(): Promise<void> {
    try {
      this.#system ??= await within(this.#ask<string>(SYSTEM, 'system identifier'), PATIENCE_MS)
      this.#connection ??= this.#open()
      await within(this.#position(), PATIENCE_MS)
      if (this.#isFit) this.#say('')
      else this.#say('DATABASE_REPLICA_URL is no replica of DATABASE_URL, or was promoted')
    } catch (error) {
      this.#isFit = undefined
      this.#connection?.giveUp()
      this.#connection = undefined
      this.#say('the replica is unreachable, reading from the primary', error)
    }
  }

  #say(fault: string, err?: unknown): void {
    if (fault === this.#said) return
    if (fault) this.#log.warn({ err }, fault)
    else this.#log.info('the replica is in use')
    this.#said = fault
  }
}

/** SQLSTATEs of errors of the replica only: canceled by replay, or the schema is not replayed yet. */
const REPEATED = new Set(['40001', '40P01', '42703', '42P01', '42804', '42883', '0A000', '26000'])

/** Reads from the replica if usable. A read that fails because of the replica is repeated on the primary. */
export function readingBackend(primary: Backend, replica: () => ReplicaConnection | undefined): Backend {
  const read = async (work: (backend: Backend) => Promise<Result>): Promise<Result> => {
    const connection = replica()
    if (!connection) return work(primary)
    try {
      return await connection.run(work)
    } catch (error) {
      if (!isOfReplica(error)) throw error
      counts.replica.repeated++
      return work(primary)
    }
  }
  return {
    ...primary,
    query: (...statement) => read((backend) => backend.query(...statement)),
    lookUp: (...statement) => read((backend) => backend.lookUp(...statement)),
    clientQuery: (...statement) => read((backend) => backend.clientQuery(...statement)),
  }
}

const isOfReplica = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || (isSqlError(error) && REPEATED.has(error.code))
