import type { Logger } from '../log.ts'
import { limitTime } from '../tools/deadline.ts'
import { repeatWork } from '../tools/repeat-work.ts'
import { shareQuery } from '../tools/shared-query.ts'
import type { DbSession } from './backend.ts'
import { makeAwayError, type ReplicaConnection } from './replica-connection.ts'

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
export function watchReplica(
  askPrimary: DbSession['query'],
  open: () => ReplicaConnection,
  log: Logger,
) {
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

  const committed = shareQuery(() => ask<number>(COMMITTED, 'committed position'), SAMPLE_REST_MS)
  const position = shareQuery(async () => {
    if (!current) throw makeAwayError()
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
      await limitTime(position(), leftMs).catch(() => {})
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
      systemOfPrimary ??= await limitTime(ask<string>(SYSTEM, 'system identifier'), PATIENCE_MS)
      current ??= open()
      await limitTime(position(), PATIENCE_MS)
      say(isFit ? '' : 'DATABASE_REPLICA_URL is no replica of DATABASE_URL, or was promoted')
    } catch (error) {
      isFit = undefined
      current?.giveUp()
      current = undefined
      say('the replica is unreachable, reading from the primary', error)
    }
  }

  const stopChecking = repeatWork(check, CHECK_MS, log)

  return {
    /** Returns the connection to read from; undefined while the replica must not be used. */
    connection: usable,
    /** Whether the replica has all commits before this call; waits up to CATCH_UP_MS. */
    hasCaughtUp: () => catchUp().catch(() => false),
    /** How far the replica is behind the primary; null if either of them does not answer. */
    async lag() {
      const measured = await limitTime(measure(), LAG_MS).catch(() => ({
        bytes: null,
        seconds: null,
      }))
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
