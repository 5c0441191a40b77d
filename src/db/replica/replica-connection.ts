import type { Logger } from '../../log.ts'
import { type Backend, DatabaseUnavailable, type Session } from '../errors.ts'
import { openPostgres, type PoolSize } from '../postgres/postgres.ts'

export interface ReplicaPosition {
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
