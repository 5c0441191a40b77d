import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../db/open.ts'
import { inSeconds, queries } from '../db/queries.ts'
import type { Logger } from '../log.ts'
import { counts, increment } from '../metrics/counts.ts'
import { repeat, WakeSignal } from '../tools/repeat.ts'

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

const CHANNEL = 'pocketsms_jobs'

/** A job that this node has leased. `runs`: how often it was leased. Only the last lease can end the job. */
type LeasedJob = Job & { readonly runs: number }

const LEASE_MARGIN_SECONDS = 30

/** SQL: whether the account `holder` (an SQL expression) has fewer than `max` jobs of this kind. */
export const hasRoomSql = (kind: string, holder: string, max: number) => `not exists (
  select from _jobs j where j.kind = '${kind}' and j.holder = ${holder} and j.dead_at is null offset ${max - 1})`

/** Those of these kinds that have a due job. */
async function findDueKinds(db: Db, kinds: readonly string[]): Promise<string[]> {
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
async function leaseJobs(
  db: Db,
  { name, timeoutSeconds }: JobKind,
  after: string,
  limit: number,
  busy: readonly string[],
): Promise<LeasedJob[]> {
  const first = after === '' ? '' : `${after}\x01`
  const seconds = timeoutSeconds + LEASE_MARGIN_SECONDS
  const lease = sql<
    Omit<LeasedJob, 'payload'> & { payload: string }
  >`jobs_lease(${name}, ${first}, ${limit}::int, ${busy}::text[], ${seconds}::float8)`
  const jobs = await queries(db).selectFrom(lease.as('leased')).selectAll().execute()
  return jobs.map((job) => ({ ...job, payload: JSON.parse(job.payload) }))
}

/** Deletes a job that is done, unless it was leased again meanwhile. */
const deleteJob = (db: Db, { id, runs }: LeasedJob) =>
  queries(db).deleteFrom('_jobs').where('id', '=', id).where('runs', '=', runs).execute()

/** Ends the lease of a job that must run again, unless it was leased again meanwhile. */
const returnJob = (
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
    .set({ due_at: inSeconds(seconds), attempts, error })
    .set({ dead_at: sql<Date | null>`case when ${isDead}::bool then now() end` })
    .where('id', '=', id)
    .where('runs', '=', runs)
    .execute()

export const deleteDeadJobs = (db: Db) =>
  queries(db).deleteFrom('_jobs').where('dead_at', '<', sql<Date>`now() - interval '7 days'`).execute()

export const JOB_FIGURES = z
  .object({
    kind: z.string(),
    open: z.int().min(0).describe('Jobs that wait or run.'),
    dead: z.int().min(0).describe('Jobs that failed too often. They are kept for a week.'),
    oldest_seconds: z.number().min(0).describe('How long the oldest due job has waited.'),
    last_error: z.string().describe('Why a job failed.'),
  })
  .meta({ id: 'JobFigures' })

export const readJobFigures = (db: Db): Promise<z.output<typeof JOB_FIGURES>[]> =>
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

/** How often the queue is read for jobs that have become due. A new job wakes the worker immediately. */
const POLL_MS = 1_000
/** How long jobs may still run when the server stops. Then they are aborted and given back. */
const STOP_MS = 3_000
/** Seconds from the first failure to the next run. Each further failure in a row doubles them. */
const RETRY_SECONDS = 5
const MAX_RETRY_SECONDS = 3_600
const MAX_ERROR = 500
/** Maximum pause after a job. The pause is as long as the job ran, which leaves requests half of the time. */
const MAX_REST_MS = 1_000

interface Lane {
  readonly kind: JobKind
  readonly running: Map<LeasedJob, Promise<void>>
  lastHolder: string
}

const roomOf = ({ kind, running }: Lane): number => kind.places - running.size

function busyOf({ kind, running }: Lane): string[] {
  const jobs = Map.groupBy(running.keys(), ({ holder }) => holder)
  return [...jobs].filter(([, own]) => own.length >= kind.placesOfHolder).map(([holder]) => holder)
}

/** Runs jobs on this node. Accounts take turns, with a job at a time. If a node dies, its jobs run again. */
export function makeWorker(db: Db, kinds: readonly JobKind[], log: Logger) {
  const lanes = new Map(
    kinds.map((kind): [string, Lane] => [kind.name, { kind, running: new Map(), lastHolder: '' }]),
  )
  const wake = new WakeSignal()
  const stopping = new AbortController()
  const ending = new AbortController()

  const idle = () => Promise.all([...lanes.values()].flatMap(({ running }) => [...running.values()]))

  async function round(): Promise<boolean> {
    let started = 0
    for (const kind of await findDueKinds(db, [...lanes.keys()])) started += await fill(lanes.get(kind)!)
    return started > 0
  }

  async function fill(lane: Lane): Promise<number> {
    let started = 0
    for (let room = roomOf(lane); room > 0; room = roomOf(lane)) {
      const after = lane.lastHolder
      const jobs = await leaseJobs(db, lane.kind, after, room, busyOf(lane))
      for (const job of jobs) startJob(lane, job)
      started += jobs.length
      if (jobs.length === 0 && after === '') break
      const holders = jobs.map(({ holder }) => holder).sort()
      // fewer jobs than asked for: the last holder is reached, so begin with the first one again
      lane.lastHolder = jobs.length < room ? '' : holders.at(-1)!
    }
    return started
  }

  function startJob({ kind, running }: Lane, job: LeasedJob): void {
    const begin = performance.now()
    const done = runJob(kind, job)
      .catch((err) => log.error({ err, kind: kind.name }, 'could not end a job, it will run again'))
      .then(() => pause(Math.min(performance.now() - begin, MAX_REST_MS)))
      .finally(() => {
        running.delete(job)
        wake.notify()
      })
    running.set(job, done)
  }

  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {})

  async function runJob(kind: JobKind, job: LeasedJob): Promise<void> {
    const late = AbortSignal.timeout(kind.timeoutSeconds * 1000)
    const signal = AbortSignal.any([late, ending.signal])
    try {
      // the runs so far neither failed nor succeeded: their processes died, perhaps because of this job
      if (job.attempts > kind.maxAttempts) throw new Error('No run of the job has ended.')
      const again = await Promise.race([kind.run(job, signal), rejection(signal)])
      if (again) await returnJob(db, job, { ...again, attempts: 0 })
      else await deleteJob(db, job)
    } catch (error) {
      if (ending.signal.aborted) await returnJob(db, job, { inSeconds: 0, attempts: job.attempts - 1 })
      else await fail(kind, job, late.aborted ? new Error('The job took too long.') : error)
    }
  }

  async function fail({ name, maxAttempts }: JobKind, job: LeasedJob, err: unknown): Promise<void> {
    const { holder, key, attempts } = job
    const isDead = attempts >= maxAttempts
    increment(counts.jobFailures, name)
    const said = isDead ? 'a job failed, no more retries' : 'a job failed, retrying'
    log[isDead ? 'error' : 'warn']({ err, kind: name, holder, key, attempts }, said)
    await returnJob(db, job, {
      inSeconds: Math.min(RETRY_SECONDS * 2 ** (attempts - 1), MAX_RETRY_SECONDS),
      attempts,
      error: String((err as Error)?.message ?? err).slice(0, MAX_ERROR),
      isDead,
    })
  }

  return {
    async start(): Promise<() => Promise<void>> {
      const stopListening = await db.listen(CHANNEL, wake.notifier)
      const stopLoop = repeat(round, (ended) => wake.wait(POLL_MS, ended), log, 'could not read jobs')
      return async () => {
        stopping.abort()
        await stopLoop()
        await stopListening()
        const late = setTimeout(() => ending.abort(), STOP_MS)
        await idle()
        clearTimeout(late)
      }
    },
    async drain(): Promise<void> {
      while (await round()) await idle()
    },
  }
}

const rejection = async (signal: AbortSignal): Promise<never> => {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}

/** A periodic job that every node runs. Running it twice must do no harm. */
export interface TimedJob {
  readonly id: string
  readonly expression: string
  readonly everyMs: number
  run(): Promise<unknown>
}

/** Starts a timer for each job. Returns a function that stops them and waits for running jobs. */
export function startJobs(jobs: readonly TimedJob[], log: Logger): () => Promise<void> {
  const running = new Set<Promise<unknown>>()
  const start = (job: TimedJob) => {
    const run = job
      .run()
      .catch((error) => log.error({ err: error, job: job.id }, 'a job failed'))
      .finally(() => running.delete(run))
    running.add(run)
  }
  const timers = jobs.map((job) => setInterval(start, job.everyMs, job))
  return async () => {
    timers.forEach(clearInterval)
    await Promise.all(running)
  }
}
