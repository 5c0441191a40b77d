import type { Logger } from '../log.ts'
import { counts } from '../metrics/counts.ts'
import { within } from '../tools/deadline.ts'
import { repeat } from '../tools/repeat.ts'
import { sharedQuery } from '../tools/shared-query.ts'
import { type Backend, DatabaseUnavailable, isSqlError, type Result, type Session } from './errors.ts'
import { openPostgres, type PoolSize } from './postgres.ts'

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

type ReplicaConnection = ReturnType<typeof openReplica>

/** Connections to one replica. All are given up when one reaches a different server, or older data. */
export function openReplica(url: string, poolSize: PoolSize, log: Logger) {
  const running = new Set<Running>()
  let startOfServer: unknown
  let replayed = 0
  let isOver = false

  async function admit(session: Session): Promise<void> {
    const { rows } = await session.query(SERVER)
    const [start, position] = rows[0] as [string, number]
    startOfServer ??= start
    if (start === startOfServer && position >= replayed) return
    giveUp()
    throw away()
  }
  const backend = openPostgres(url, poolSize, log, { admit, isReplica: true })

  /** Runs work on the replica. Rejects after `giveUp`, because a dead connection may stay silent for long. */
  function run<T>(work: (backend: Backend) => Promise<T>): Promise<T> {
    if (isOver) return Promise.reject(away())
    const entry: Running = { fail: undefined }
    running.add(entry)
    const result = new Promise<T>((resolve, reject) => {
      entry.fail = reject
      work(backend).then(resolve, reject)
    })
    return result.finally(() => {
      // a Set may keep a deleted entry in memory for a while, and `fail` refers to the answer
      entry.fail = undefined
      running.delete(entry)
    })
  }

  function giveUp(): void {
    isOver = true
    for (const { fail } of running) fail?.(away())
    backend.close().catch(() => {})
  }

  /** The replica's position. `system`: a cluster id, as on its primary. `ageSeconds`: newest commit's age. */
  async function position() {
    const { rows } = await run(({ lookUp }) => lookUp(POSITION, [], 'position'))
    const [isReplica, system, newest, ageSeconds] = rows[0] as [boolean, string, number, number]
    replayed = newest
    return { isReplica, system, replayed, ageSeconds }
  }

  return { isOver: () => isOver, replayed: () => replayed, position, run, giveUp }
}

const away = () => new DatabaseUnavailable(new Error('The replica is away.'))

/** The WAL position of the last commit. Asynchronous commits may not be flushed yet. */
const COMMITTED = `
select pg_wal_lsn_diff(case when current_setting('synchronous_commit') = 'off'
  then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end, '0/0')::float8`

const SYSTEM = 'select system_identifier::text from pg_control_system()'

const SAMPLE_REST_MS = 1
/** How long a read waits for the replica to catch up before it uses the primary. */
const CATCH_UP_MS = 20
/** After a read waited in vain, how long other reads use the primary without waiting. */
const LATE_MS = 200
/** How often a server checks the replica, and how long the replica may take to answer. */
const [CHECK_MS, PATIENCE_MS] = [500, 1_000]
const LAG_MS = 500

/** `late`: behind the primary. `away`: unreachable. `unfit`: not a replica of this primary, or promoted. */
export type ReplicaState = 'used' | 'late' | 'away' | 'unfit'

export type Replica = ReturnType<typeof watchReplica>

/** Watches a streaming replica. A read may use it once it has all commits from before the read. */
export function watchReplica(askPrimary: Session['query'], open: () => ReplicaConnection, log: Logger) {
  let current: ReplicaConnection | undefined
  /** Whether `current` is a replica of the primary; undefined until it has answered. */
  let isFit: boolean | undefined
  let systemOfPrimary: string | undefined
  let lateUntilMs = 0
  let said: string | undefined

  async function ask<T>(text: string, name: string): Promise<T> {
    const { rows } = await askPrimary(text, [], name)
    return rows[0]![0] as T
  }

  const committed = sharedQuery(() => ask<number>(COMMITTED, 'committed position'), SAMPLE_REST_MS)
  const position = sharedQuery(async () => {
    if (!current) throw away()
    const found = await current.position()
    isFit = found.isReplica && found.system === systemOfPrimary
    return found
  }, SAMPLE_REST_MS)

  const usable = () => (isFit && !current?.isOver() ? current : undefined)
  const shows = (needed: number) => needed <= (usable()?.replayed() ?? -1)

  function state(): ReplicaState {
    if (isFit === undefined || !current || current.isOver()) return 'away'
    if (!isFit) return 'unfit'
    return performance.now() < lateUntilMs ? 'late' : 'used'
  }

  async function catchUp(): Promise<boolean> {
    if (!usable()) return false
    const needed = await committed()
    if (shows(needed)) return true
    const startMs = performance.now()
    if (startMs < lateUntilMs) return false
    for (let leftMs = CATCH_UP_MS; leftMs > 0; leftMs = startMs + CATCH_UP_MS - performance.now()) {
      await within(position(), leftMs).catch(() => {})
      if (!usable()) return false
      if (shows(needed)) return true
    }
    lateUntilMs = performance.now() + LATE_MS
    return false
  }

  async function measure() {
    const needed = await committed()
    const { replayed, ageSeconds } = await position()
    const bytes = Math.max(0, needed - replayed)
    return { bytes, seconds: bytes > 0 ? ageSeconds : 0 }
  }

  function say(fault: string, err?: unknown): void {
    if (fault === said) return
    if (fault) log.warn({ err }, fault)
    else log.info('the replica is in use')
    said = fault
  }

  async function check(): Promise<void> {
    try {
      systemOfPrimary ??= await within(ask<string>(SYSTEM, 'system identifier'), PATIENCE_MS)
      current ??= open()
      await within(position(), PATIENCE_MS)
      say(isFit ? '' : 'DATABASE_REPLICA_URL is no replica of DATABASE_URL, or was promoted')
    } catch (error) {
      isFit = undefined
      current?.giveUp()
      current = undefined
      say('the replica is unreachable, reading from the primary', error)
    }
  }

  const stopChecking = repeat(check, CHECK_MS, log)

  return {
    /** Returns the connection to read from; undefined while the replica must not be used. */
    connection: usable,
    /** Whether the replica has all commits before this call; waits up to CATCH_UP_MS. */
    hasCaughtUp: () => catchUp().catch(() => false),
    /** How far the replica is behind the primary; null if either of them does not answer. */
    async lag() {
      const measured = await within(measure(), LAG_MS).catch(() => ({ bytes: null, seconds: null }))
      return { state: state(), ...measured }
    },
    get state(): ReplicaState {
      return state()
    },
    async close(): Promise<void> {
      await stopChecking()
      current?.giveUp()
    },
  }
}

/** SQLSTATEs after which the primary repeats a read: the replica canceled it, or lacks a schema change. */
const REPEATED = new Set(['40001', '40P01', '42703', '42P01', '42804', '42883', '0A000', '26000'])

/** Reads from the replica if there is one. Repeats on the primary what fails because of the replica. */
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
