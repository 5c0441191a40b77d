import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../log.ts'
import { within } from '../../tools/deadline.ts'
import { sharedQuery } from '../../tools/shared-query.ts'
import type { Session } from '../errors.ts'
import type { ReplicaConnection, ReplicaPosition } from './replica-connection.ts'

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
