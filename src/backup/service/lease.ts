import { randomUUID } from 'node:crypto'
import type { Db } from '../../db/open.ts'
import { formatDate } from '../../fields/types/date.ts'
import { type Done, failed, type Job, type Running, readState } from './state.ts'

/** The time after which the lease of a killed node no longer blocks other nodes. */
const LEASE = `interval '30 seconds'`
const RENEW_MS = 10_000
const PROGRESS_MS = 500

/**
 * Takes the lease if it is free. $3: the failure of a dead node's job. $4: the time up to which the schedule
 * must have been served; it then becomes now.
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

export type Lease = NonNullable<Awaited<ReturnType<typeof takeLease>>>

/** Takes the lease; undefined while another job runs. `scheduledUntil`: see $4 of TAKE. */
export async function takeLease(db: Db, node: string, job: Job, scheduledUntil: string | null = null) {
  const id = randomUUID()
  const started = formatDate(new Date())
  let running: Running = { ...job, node, started, step: '', done: 0, total: 0, exclusive: false }
  const { lastFailure } = await readState(db)
  const values = [JSON.stringify(running), id, JSON.stringify(lastFailure), scheduledUntil]
  if ((await db.query(TAKE, values)).count === 0) return undefined
  const lost = new AbortController()
  let writing: Promise<void> | undefined
  let writtenMs = 0
  const write = () => db.query(RENEW, [id, JSON.stringify(running)])
  /** One write at a time: while the database is busy, only the newest progress counts. */
  const renew = () => {
    writtenMs = performance.now()
    writing ??= write()
      .then(({ count }) => {
        if (count === 0) lost.abort(new Error('Another server has taken over.'))
      })
      // the next renewal may succeed; if none does in time, another node takes the lease
      .catch(() => {})
      .finally(() => {
        writing = undefined
      })
  }
  const timer = setInterval(renew, RENEW_MS).unref()
  return {
    /** Aborts when another node has taken the lease, since this one could not renew it. */
    lost: lost.signal,
    report(step: string, done: number, total: number): void {
      running = { ...running, step, done, total }
      if (performance.now() - writtenMs > PROGRESS_MS) renew()
    },
    /** Marks the job as the only one that may use the database, on all nodes. */
    async makeExclusive(): Promise<void> {
      await writing
      running = { ...running, exclusive: true }
      await write()
    },
    async end(result: { readonly done: Done } | { readonly message: string }): Promise<void> {
      clearInterval(timer)
      await writing
      const failure = 'message' in result ? JSON.stringify(failed(running, result.message)) : null
      const done = 'done' in result ? JSON.stringify(result.done) : null
      const isBackup = job.action === 'backup'
      await db.query(END, [id, failure, isBackup ? done : null, isBackup ? null : done])
    },
  }
}
