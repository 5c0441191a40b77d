import type { Logger } from '../log.ts'
import { counts } from '../tools/process-counters.ts'
import type { Backend, DbSession, Result } from './backend.ts'
import { DatabaseUnavailable, isSqlError } from './database-errors.ts'
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

export type ReplicaConnection = ReturnType<typeof openReplica>

/** Connections to one replica. All are given up when one reaches a different server, or older data. */
export function openReplica(url: string, poolSize: PoolSize, log: Logger) {
  const running = new Set<Running>()
  let startOfServer: unknown
  let replayed = 0
  let isOver = false

  async function admit(session: DbSession): Promise<void> {
    const { rows } = await session.query(SERVER)
    const [start, position] = rows[0] as [string, number]
    startOfServer ??= start
    if (start === startOfServer && position >= replayed) return
    giveUp()
    throw makeAwayError()
  }
  const backend = openPostgres(url, poolSize, log, { admit, isReplica: true })

  /** Runs work on the replica. Rejects after `giveUp`, because a dead connection may stay silent for long. */
  function run<T>(work: (backend: Backend) => Promise<T>): Promise<T> {
    if (isOver) return Promise.reject(makeAwayError())
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
    for (const { fail } of running) fail?.(makeAwayError())
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

export const makeAwayError = () => new DatabaseUnavailable(new Error('The replica is away.'))

/** SQLSTATEs after which the primary repeats a read: the replica canceled it, or lacks a schema change. */
const REPEATED = new Set(['40001', '40P01', '42703', '42P01', '42804', '42883', '0A000', '26000'])

/** Reads from the replica if there is one. Repeats on the primary what fails because of the replica. */
export function makeReadingBackend(
  primary: Backend,
  replica: () => ReplicaConnection | undefined,
): Backend {
  const read = async (work: (backend: Backend) => Promise<Result>): Promise<Result> => {
    const connection = replica()
    if (!connection) return work(primary)
    try {
      return await connection.run(work)
    } catch (error) {
      if (!isReplicaError(error)) throw error
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

const isReplicaError = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || (isSqlError(error) && REPEATED.has(error.code))
