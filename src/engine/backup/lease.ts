import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { formatNow } from '../fields/parse-date.ts'
import {
  type BackupJob,
  type Done,
  type Failed,
  loadBackupState,
  makeJobFailure,
  type Running,
} from './state.ts'

/** The time after which the lease of a killed node no longer blocks other nodes. */
export const LEASE = sql`interval '30 seconds'`

const RENEW_MS = 10_000

const PROGRESS_MS = 500

/**
 * Takes the lease if it is free. `failure`: what to record if a dead node had it. `until`: null, or for a
 * scheduled backup the `scheduled_until` that the caller has read; this column is then set to now. Returns
 * whether the lease is ours.
 */
async function insertLease(
  db: Db,
  id: string,
  running: Running,
  failure: Failed | null,
  until: string | null,
) {
  const { numUpdatedRows } = await queries(db)
    .updateTable('backup_state')
    .set({ running: JSON.stringify(running), lease: id, lease_until: sql<Date>`now() + ${LEASE}` })
    .set({
      last_failure: sql`case when running is null then last_failure else ${JSON.stringify(failure)}::json end`,
    })
    .$if(until !== null, (query) =>
      query
        .set({ scheduled_until: sql<Date>`now()` })
        .where('scheduled_until', '=', sql<Date>`${until}::timestamptz`),
    )
    .where(sql<boolean>`(running is null or lease_until <= now())`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Renews the lease with the job's progress. Returns whether it is still ours. */
async function renewBackupLease(db: Db, id: string, running: Running): Promise<boolean> {
  const { numUpdatedRows } = await queries(db)
    .updateTable('backup_state')
    .set({ running: JSON.stringify(running), lease_until: sql<Date>`now() + ${LEASE}` })
    .where('lease', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Ends the lease. A success is stored as the last backup or restore, and forgets the last failure. */
const endBackupLease = (db: Db, id: string, failure: Failed | null, done: Done | null) =>
  queries(db)
    .updateTable('backup_state')
    .set({
      running: null,
      lease: null,
      lease_until: null,
      last_failure: failure && JSON.stringify(failure),
    })
    .$if(done?.action === 'backup', (query) => query.set({ last_backup: JSON.stringify(done) }))
    .$if(done?.action === 'restore', (query) => query.set({ last_restore: JSON.stringify(done) }))
    .where('lease', '=', id)
    .execute()

export type BackupLease = NonNullable<Awaited<ReturnType<typeof acquireBackupLease>>>

/** Takes the lease. Undefined while another job runs, or if `scheduledUntil` is no longer the stored one. */
export async function acquireBackupLease(
  db: Db,
  node: string,
  job: BackupJob,
  scheduledUntil: string | null = null,
) {
  const id = randomUUID()
  const started = formatNow()
  let running: Running = { ...job, node, started, step: '', done: 0, total: 0, exclusive: false }
  const { lastFailure } = await loadBackupState(db)
  if (!(await insertLease(db, id, running, lastFailure, scheduledUntil))) return undefined
  const lost = new AbortController()
  let writing: Promise<void> | undefined
  let writtenMs = 0
  const write = () => renewBackupLease(db, id, running)
  /** Renews the lease, one write at a time. Progress reported during a slow write waits for the next one. */
  const renew = () => {
    writtenMs = performance.now()
    writing ??= write()
      .then((isOurs) => {
        if (!isOurs) lost.abort(new Error('Another server has taken over.'))
      })
      // the next renewal may succeed; if none does in time, another node takes the lease
      .catch(() => {})
      .finally(() => {
        writing = undefined
      })
  }
  const timer = setInterval(renew, RENEW_MS).unref()
  return {
    /** Aborts when another node has taken the lease, because this one could not renew it. */
    lost: lost.signal,
    report(step: string, done: number, total: number): void {
      running = { ...running, step, done, total }
      if (performance.now() - writtenMs > PROGRESS_MS) renew()
    },
    /** Marks the job so that other nodes stop using the database until it ends. */
    async makeExclusive(): Promise<void> {
      await writing
      running = { ...running, exclusive: true }
      await write()
    },
    async end(result: { readonly done: Done } | { readonly message: string }): Promise<void> {
      clearInterval(timer)
      await writing
      if ('message' in result)
        await endBackupLease(db, id, makeJobFailure(running, result.message), null)
      else await endBackupLease(db, id, null, result.done)
    },
  }
}
