import { z } from 'zod'
import type { Db } from '../db/open.ts'
import { flag, list, number, run, statement, text, textsOf } from '../db/statement.ts'

export interface Job {
  readonly id: string
  readonly holder: string
  readonly key: string
  readonly payload: unknown
  /** Runs in a row that failed, with this one. */
  readonly attempts: number
  readonly ageMs: number
}

/** The job is neither done nor failed: it runs again after this time. */
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

export const CHANNEL = 'pocketsms_jobs'

/** A job leased to this node. Each lease adds to `runs`; ending an older lease does nothing. */
export type LeasedJob = Job & { readonly runs: number }

const LEASE_MARGIN_SECONDS = 30

/** SQL: the account has fewer than `max` jobs of this kind. `holder` is SQL, too. */
export const hasRoomSql = (kind: string, holder: string, max: number) => `not exists (
  select from _jobs j where j.kind = '${kind}' and j.holder = ${holder} and j.dead_at is null offset ${max - 1})`

const DUE_KINDS = `
select k from unnest($1::text[]) k
where exists (select from _jobs j where j.kind = k and j.dead_at is null and j.due_at <= now())`

export async function dueKinds(db: Db, kinds: readonly string[]): Promise<Set<string>> {
  return new Set(textsOf(await db.query(DUE_KINDS, [kinds], 'job kinds')))
}

const KIND = text('kind')
/** Leases the first due job of each holder from `from` on. Steps through the index from holder to holder. */
const LEASE = statement('job lease', {
  ...{ id: 'string', holder: 'string', key: 'string', payload: 'string' },
  ...{ runs: 'number', attempts: 'number', ageMs: 'number' },
})`
with recursive holders(holder) as (
  (select holder from _jobs where kind = ${KIND} and dead_at is null and holder >= ${text('from')} order by holder limit 1)
  union all
  select n.holder from holders h cross join lateral (
    select j.holder from _jobs j where j.kind = ${KIND} and j.dead_at is null and j.holder > h.holder order by j.holder limit 1
  ) n
), found as materialized (
  select n.id from holders h cross join lateral (
    select j.id from _jobs j
    where j.kind = ${KIND} and j.holder = h.holder and j.dead_at is null and j.due_at <= now()
    order by j.due_at, j.id limit 1 for update skip locked
  ) n
  where h.holder <> all(${list('busy')}::text[]) limit ${number('limit')}
)
update _jobs set due_at = now() + ${number('seconds')}::float8 * interval '1 second', runs = runs + 1, attempts = attempts + 1
where id in (select id from found)
returning id::text, holder, key, payload::text, runs, attempts, extract(epoch from now() - created)::float8 * 1000 as "ageMs"`

/** Leases one job each of at most `limit` holders that come after `after` and are not `busy`. */
export async function leaseJobs(
  db: Db,
  { name, timeoutSeconds }: JobKind,
  after: string,
  limit: number,
  busy: readonly string[],
): Promise<LeasedJob[]> {
  const from = after === '' ? '' : `${after}\x01`
  const seconds = timeoutSeconds + LEASE_MARGIN_SECONDS
  const jobs = await run(db, LEASE, { kind: name, from, limit, busy, seconds })
  return jobs.map((job) => ({ ...job, payload: JSON.parse(job.payload) }))
}

/** Deletes a job that is done, unless another node has leased it since. */
export const deleteJob = (db: Db, { id, runs }: LeasedJob) =>
  db.query('delete from _jobs where id = $1 and runs = $2', [id, runs], 'job delete')

const RETURN = statement('job return', {})`
update _jobs set due_at = now() + ${number('inSeconds')}::float8 * interval '1 second', attempts = ${number('attempts')},
  error = ${text('error')}, dead_at = case when ${flag('isDead')} then now() end
where id = ${text('id')} and runs = ${number('runs')}`

/** Ends the lease of a job that is not done, unless another node has leased it since. */
export const returnJob = (
  db: Db,
  { id, runs }: LeasedJob,
  next: { inSeconds: number; attempts: number; error?: string; isDead?: boolean },
) => run(db, RETURN, { id, runs, error: '', isDead: false, ...next })

/** Deletes jobs that have been dead for a week. */
export const deleteDeadJobs = (db: Db) =>
  db.query(`delete from _jobs where dead_at < now() - interval '7 days'`)

export const JOB_FIGURES = z
  .object({
    kind: z.string(),
    open: z.int().min(0).describe('Jobs that wait or run.'),
    dead: z.int().min(0).describe('Jobs that failed too often. They are kept for a week.'),
    oldest_seconds: z.number().min(0).describe('How long the oldest due job has waited.'),
    last_error: z.string().describe('Why a job failed.'),
  })
  .meta({ id: 'JobFigures' })

const FIGURES = statement('job figures', JOB_FIGURES)`
select kind, count(*) filter (where dead_at is null) as open, count(dead_at) as dead,
  coalesce(extract(epoch from now() - min(due_at) filter (where dead_at is null and due_at <= now())), 0)::float8
    as oldest_seconds,
  coalesce((array_agg(error order by runs desc) filter (where error <> ''))[1], '') as last_error
from _jobs group by kind order by kind`

export const readJobFigures = (db: Db) => run(db, FIGURES, {})
