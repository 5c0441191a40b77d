import { randomUUID } from 'node:crypto'
import type { Db } from '../../db/open.ts'
import { formatDate } from '../../fields/types/date.ts'
import type { Done, Failed, Job, Running } from './state.ts'
import { failed, readState } from './state.ts'

/** A killed node blocks the others for this time. */
const LEASE = `interval '30 seconds'`
const RENEW_MS = 10_000
/** Between two writes of the progress. */
const PROGRESS_MS = 500

/**
 * Takes the lease if it is free. A job whose node died becomes the last failure ($3). $4: fails unless the
 * schedule was served up to this time, and sets that to now.
 */
const TAKE = `
update backup_state set running = $1::json, lease = $2::uuid, lease_until = now() + ${LEASE},
  last_failure = case when running is null then last_failure else $3::json end,
  scheduled_until = case when $4::timestamptz is null then scheduled_until else now() end
where (running is null or lease_until <= now()) and ($4::timestamptz is null or scheduled_until = $4::timestamptz)`

const RENEW = `update backup_state set running = $2::json, lease_until = now() + ${LEASE} where lease = $1::uuid`

const END = `
update backup_state set running = null, lease = null, lease_until = null, last_failure = $2::json,
  last_backup = coalesce($3::json, last_backup), last_restore = coalesce($4::json, last_restore)
where lease = $1::uuid`

/** The right to make or restore a backup. One node has it at a time. */
export class Lease {
  /** Aborts when another node has taken the lease, since this one could not renew it. */
  readonly lost: AbortSignal
  readonly #db: Db
  readonly #id: string
  readonly #lost = new AbortController()
  readonly #timer: NodeJS.Timeout
  #running: Running
  #writing: Promise<void> | undefined
  #writtenMs = 0

  private constructor(db: Db, id: string, running: Running) {
    this.lost = this.#lost.signal
    this.#db = db
    this.#id = id
    this.#running = running
    this.#timer = setInterval(() => this.#renew(), RENEW_MS).unref()
  }

  /** Undefined while another job runs. `scheduledUntil`: see TAKE. */
  static async take(
    db: Db,
    node: string,
    job: Job,
    scheduledUntil: string | null = null,
  ): Promise<Lease | undefined> {
    const id = randomUUID()
    const started = formatDate(new Date())
    const running: Running = { ...job, node, started, step: '', done: 0, total: 0, exclusive: false }
    const { lastFailure } = await readState(db)
    const values = [JSON.stringify(running), id, JSON.stringify(lastFailure), scheduledUntil]
    const { count } = await db.query(TAKE, values)
    return count > 0 ? new Lease(db, id, running) : undefined
  }

  /** Notes how far the job is. */
  readonly report = (step: string, done: number, total: number): void => {
    this.#running = { ...this.#running, step, done, total }
    if (performance.now() - this.#writtenMs > PROGRESS_MS) this.#renew()
  }

  /** Notes that only this job may use the database, on all nodes. */
  async makeExclusive(): Promise<void> {
    await this.#writing
    this.#running = { ...this.#running, exclusive: true }
    await this.#db.query(RENEW, [this.#id, JSON.stringify(this.#running)])
  }

  /** Gives the lease back, with what became of the job. */
  async end(result: { readonly done: Done } | { readonly message: string }): Promise<void> {
    clearInterval(this.#timer)
    await this.#writing
    const failure: Failed | null = 'message' in result ? failed(this.#running, result.message) : null
    const done = 'done' in result ? JSON.stringify(result.done) : null
    const isBackup = this.#running.action === 'backup'
    const values = [failure && JSON.stringify(failure), isBackup ? done : null, isBackup ? null : done]
    await this.#db.query(END, [this.#id, ...values])
  }

  /** One write at a time: while the database is busy, only the newest progress counts. */
  #renew(): void {
    this.#writtenMs = performance.now()
    this.#writing ??= this.#db
      .query(RENEW, [this.#id, JSON.stringify(this.#running)])
      .then(({ count }) => {
        if (count === 0) this.#lost.abort(new Error('Another server has taken over.'))
      })
      // the next renewal may succeed; without one in time another node takes the lease
      .catch(() => {})
      .finally(() => {
        this.#writing = undefined
      })
  }
}
