import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { callFunctionRows } from '../db/call-function.ts'
import type { Db } from '../db/open.ts'
import { queries, writeTimeInSeconds } from '../db/queries.ts'

export interface Job {
  readonly id: number
  readonly holder: string
  readonly key: string
  readonly payload: unknown
  /** Runs since the last success, this one included: 1 unless the previous run failed. */
  readonly attempts: number
  readonly ageMs: number
}

/** Result of a job that is neither done nor failed: it runs again after this time. */
export interface Again {
  readonly inSeconds: number
}

export interface JobKind {
  readonly name: string
  readonly places: number
  readonly placesOfHolder: number
  readonly timeoutSeconds: number
  /** Failed runs in a row after which the job is dead. */
  readonly maxAttempts: number
  /** Runs a job; one that throws is retried. `signal` aborts at the time limit and when the server stops. */
  run(job: Job, signal: AbortSignal): Promise<Again | undefined>
}

/** A job that this node has leased. `runs`: how often it was leased. Only the last lease can end the job. */
export type LeasedJob = Job & { readonly runs: number }

interface PlannedJob {
  readonly kind: string
  readonly holder: string
  readonly key: string
  readonly due_at: RawBuilder<Date>
}

/** Adds a job, or revives the one of its kind and key: due at `due_at`; a run under way ends nothing. */
export const planJob = async (db: Db, job: PlannedJob): Promise<void> => {
  const { due_at } = job
  await queries(db)
    .insertInto('_jobs')
    .values({ ...job })
    .onConflict((found) =>
      found
        .columns(['kind', 'key'])
        .doUpdateSet({ due_at, attempts: 0, dead_at: null, runs: sql<number>`_jobs.runs + 1` }),
    )
    .execute()
}

/** How long a lease lasts. Its node renews it while the job runs: after a kill, the job runs again soon. */
const LEASE_SECONDS = 40

export async function findDueKinds(db: Db, kinds: readonly string[]): Promise<string[]> {
  const due = await queries(db)
    .selectFrom(sql<{ kind: string }>`unnest(${kinds}::text[])`.as<'k'>(sql`k(kind)`))
    .select('k.kind')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('_jobs as j')
          .whereRef('j.kind', '=', 'k.kind')
          .where('j.dead_at', 'is', null)
          .where('j.due_at', '<=', sql<Date>`now()`),
      ),
    )
    .execute()
  return due.map(({ kind }) => kind)
}

/** Leases one due job each for up to `limit` holders (account ids) above `after`. Skips those in `busy`. */
export async function leaseJobs(
  db: Db,
  { name }: JobKind,
  after: string,
  limit: number,
  busy: readonly string[],
): Promise<LeasedJob[]> {
  const first = after === '' ? '' : `${after}\x01`
  const jobs = await callFunctionRows(db, 'jobs_lease', name, first, limit, busy, LEASE_SECONDS)
  return jobs.map((job) => ({ ...job, payload: JSON.parse(job.payload) }))
}

/** Renews the lease of a job, unless it was leased again meanwhile. */
export const renewLease = (db: Db, { id, runs }: LeasedJob) =>
  queries(db)
    .updateTable('_jobs')
    .set({ due_at: writeTimeInSeconds(LEASE_SECONDS) })
    .where('id', '=', id)
    .where('runs', '=', runs)
    .execute()

/** Deletes a job that is done, unless it was leased again meanwhile. */
export const deleteJob = (db: Db, { id, runs }: LeasedJob) =>
  queries(db).deleteFrom('_jobs').where('id', '=', id).where('runs', '=', runs).execute()

/** Ends the lease of a job that must run again, unless it was leased again meanwhile. */
export const returnJob = (
  db: Db,
  { id, runs }: LeasedJob,
  {
    inSeconds: seconds,
    attempts,
    error = '',
    isDead = false,
  }: { inSeconds: number; attempts: number; error?: string; isDead?: boolean },
) =>
  queries(db)
    .updateTable('_jobs')
    .set({ due_at: writeTimeInSeconds(seconds), attempts, error })
    .set({ dead_at: sql<Date | null>`case when ${isDead}::bool then now() end` })
    .where('id', '=', id)
    .where('runs', '=', runs)
    .execute()

export const deleteDeadJobs = (db: Db) =>
  queries(db)
    .deleteFrom('_jobs')
    .where('dead_at', '<', sql<Date>`now() - interval '7 days'`)
    .execute()

export const JOB_FIGURES = z
  .object({
    kind: z.string(),
    open: z.int().min(0).describe('Jobs that wait or run.'),
    dead: z.int().min(0).describe('Jobs that failed too often. They are kept for a week.'),
    oldest_seconds: z.number().min(0).describe('How long the oldest due job has waited.'),
    last_error: z.string().describe('Why a job failed.'),
  })
  .meta({ id: 'JobFigures' })

export const loadJobFigures = (db: Db): Promise<z.output<typeof JOB_FIGURES>[]> =>
  queries(db)
    .selectFrom('_jobs')
    .select(({ fn }) => [
      'kind',
      fn.countAll<number>().filterWhere('dead_at', 'is', null).as('open'),
      fn.count<number>('dead_at').as('dead'),
      sql<number>`coalesce(extract(epoch from now() - min(due_at) filter (
        where dead_at is null and due_at <= now())), 0)::float8`.as('oldest_seconds'),
      sql<string>`coalesce((array_agg(error order by runs desc) filter (where error <> ''))[1], '')`.as(
        'last_error',
      ),
    ])
    .groupBy('kind')
    .orderBy('kind')
    .execute()
