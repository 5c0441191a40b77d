import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../db/open.ts'
import { queries } from '../db/queries.ts'
import type { Tables } from '../db/tables.ts'
import { formatDate } from '../fields/date.ts'
import type { Logger } from '../log.ts'

const JOB = z.object({
  action: z.enum(['backup', 'restore']),
  key: z.string(),
  by: z.string().describe('An email address, or `schedule`.'),
})

export type Job = z.output<typeof JOB>

/** A running job. `step`, `done` and `total`: its progress; empty and 0 until known. */
export const RUNNING = JOB.extend({
  node: z.string().describe('The server that does it.'),
  started: z.string(),
  step: z.string(),
  done: z.number(),
  total: z.number(),
  exclusive: z.boolean().describe('True while a restore replaces the data.'),
})

type Running = z.output<typeof RUNNING>

export const DONE = JOB.extend({ at: z.string(), size: z.int().min(0) })

export type Done = z.output<typeof DONE>

export const FAILED = JOB.extend({ at: z.string(), message: z.string() })

export type Failed = z.output<typeof FAILED>

/** The channel notified when a restore begins to replace the data, and when it ends. */
const RESTORE_CHANNEL = 'pocketsms_restore'

const INTERRUPTED = 'The server ended before it was done.'

export type State = Awaited<ReturnType<typeof readState>>

/** The state of backups, shared by all nodes. A job of a dead node counts as failed. */
export async function readState(db: Db) {
  const row = await queries(db)
    .selectFrom('backup_state')
    .select(['since', 'running', 'last_backup', 'last_restore', 'last_failure', 'restores', 'schedule'])
    .select([
      sql<boolean>`coalesce(lease_until > now(), false)`.as('isHeld'),
      sql<string>`scheduled_until::text`.as('until'),
      sql<number>`extract(epoch from scheduled_until)::float8 * 1000`.as('untilMs'),
    ])
    .executeTakeFirstOrThrow()
  const { since, isHeld, restores, schedule: cron, until, untilMs } = row
  const running = parsed<Running>(row.running)
  return {
    since,
    running: isHeld ? running : null,
    lastBackup: parsed<Done>(row.last_backup),
    lastRestore: parsed<Done>(row.last_restore),
    /** The last failure; null once a backup or restore has succeeded since then. */
    lastFailure: running && !isHeld ? failed(running, INTERRUPTED) : parsed<Failed>(row.last_failure),
    restores,
    /** The next backup is due at the first time after `until` that matches `cron`. */
    schedule: { cron, until, untilMs },
  }
}

const parsed = <T>(json: string | null): T | null => (json === null ? null : (JSON.parse(json) as T))

const failed = ({ action, key, by }: Job, message: string): Failed => ({
  action,
  key,
  by,
  at: formatDate(new Date()),
  message,
})

export async function exportState(db: Db): Promise<string> {
  const { row } = await queries(db)
    .selectFrom('backup_state as s')
    .select(sql<string>`row_to_json(s)::text`.as('row'))
    .executeTakeFirstOrThrow()
  return row
}

/** Writes the saved row of `backup_state` back during a restore. The commit notifies all nodes. */
export async function importState(tx: Db, row: string): Promise<void> {
  await queries(tx).deleteFrom('backup_state').execute()
  const saved = sql<
    Selectable<Tables['backup_state']>
  >`json_populate_record(null::backup_state, ${row}::json)`
  await queries(tx)
    .insertInto('backup_state')
    .expression((from) => from.selectFrom(saved.as('saved')).selectAll())
    .execute()
  const leaseUntil = sql<Date>`clock_timestamp() + ${LEASE}`
  await queries(tx)
    .updateTable('backup_state')
    .set({ restores: sql<number>`restores + 1`, lease_until: leaseUntil })
    .execute()
  await notifyRestore(tx)
}

/** Makes all nodes check whether a restore began or ended. */
export async function notifyRestore(db: Db): Promise<void> {
  await queries(db).selectNoFrom(sql`pg_notify(${RESTORE_CHANNEL}, '')`.as('notified')).execute()
}

export async function beginSchedule(db: Db, cron: string): Promise<void> {
  await queries(db)
    .updateTable('backup_state')
    .set({ schedule: cron, scheduled_until: sql<Date>`now()` })
    .where('schedule', '<>', cron)
    .execute()
}

/** The time after which the lease of a killed node no longer blocks other nodes. */
const LEASE = sql`interval '30 seconds'`

const RENEW_MS = 10_000

const PROGRESS_MS = 500

/**
 * Takes the lease if it is free. `failure`: what to record if a dead node had it. `until`: null, or for a
 * scheduled backup the `scheduled_until` that the caller has read; this column is then set to now. Returns
 * whether the lease is ours.
 */
async function take(db: Db, id: string, running: Running, failure: Failed | null, until: string | null) {
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
async function renewLease(db: Db, id: string, running: Running): Promise<boolean> {
  const { numUpdatedRows } = await queries(db)
    .updateTable('backup_state')
    .set({ running: JSON.stringify(running), lease_until: sql<Date>`now() + ${LEASE}` })
    .where('lease', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Ends the lease. A success is stored as the last backup or restore, and forgets the last failure. */
const endLease = (db: Db, id: string, failure: Failed | null, done: Done | null) =>
  queries(db)
    .updateTable('backup_state')
    .set({ running: null, lease: null, lease_until: null, last_failure: failure && JSON.stringify(failure) })
    .$if(done?.action === 'backup', (query) => query.set({ last_backup: JSON.stringify(done) }))
    .$if(done?.action === 'restore', (query) => query.set({ last_restore: JSON.stringify(done) }))
    .where('lease', '=', id)
    .execute()

export type Lease = NonNullable<Awaited<ReturnType<typeof takeLease>>>

/** Takes the lease. Undefined while another job runs, or if `scheduledUntil` is no longer the stored one. */
export async function takeLease(db: Db, node: string, job: Job, scheduledUntil: string | null = null) {
  const id = randomUUID()
  const started = formatDate(new Date())
  let running: Running = { ...job, node, started, step: '', done: 0, total: 0, exclusive: false }
  const { lastFailure } = await readState(db)
  if (!(await take(db, id, running, lastFailure, scheduledUntil))) return undefined
  const lost = new AbortController()
  let writing: Promise<void> | undefined
  let writtenMs = 0
  const write = () => renewLease(db, id, running)
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
      if ('message' in result) await endLease(db, id, failed(running, result.message), null)
      else await endLease(db, id, null, result.done)
    },
  }
}

const POLL_MS = 500

/** Restarts this node when another one restores a backup. `seen`: the number of restores at its start. */
export function followRestores(
  db: Db,
  node: string,
  log: Logger,
  seen: () => number,
  exclusively: (work: () => Promise<void>) => Promise<void>,
): Promise<() => Promise<void>> {
  const look = async () => {
    const { running, restores } = await readState(db)
    if (running?.node === node) return
    if (running?.exclusive || restores !== seen()) await exclusively(() => otherRestoreIsOver(db, node))
  }
  let looking = Promise.resolve()
  return db.listen(RESTORE_CHANNEL, () => {
    looking = looking.then(look).catch((err) => log.error({ err }, 'could not read the state of restores'))
  })
}

/** Waits until no other node restores a backup; the restore of a dead node ends with its lease. */
export async function otherRestoreIsOver(db: Db, node: string): Promise<void> {
  for (;;) {
    const state = await readState(db).catch(() => undefined)
    if (state && !(state.running?.exclusive && state.running.node !== node)) return
    await sleep(POLL_MS)
  }
}
