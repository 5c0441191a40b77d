import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../db/open.ts'
import type { Logger } from '../log.ts'
import { counts, incrementCount } from '../tools/process-counters.ts'
import { repeatWork, WakeSignal } from '../tools/repeat-work.ts'
import {
  deleteJob,
  findDueKinds,
  type JobKind,
  type LeasedJob,
  leaseJobs,
  renewLease,
  returnJob,
} from './job-queue.ts'

const CHANNEL = 'pocketsms_jobs'

/** How often the queue is read for jobs that have become due. A new job wakes the worker immediately. */
const POLL_MS = 1_000

/** How often the lease of a running job is renewed. */
const RENEW_MS = 10_000

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

const countFreePlaces = ({ kind, running }: Lane): number => kind.places - running.size

function listFullHolders({ kind, running }: Lane): string[] {
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

  const idle = () =>
    Promise.all([...lanes.values()].flatMap(({ running }) => [...running.values()]))

  async function round(): Promise<boolean> {
    let started = 0
    for (const kind of await findDueKinds(db, [...lanes.keys()]))
      started += await fill(lanes.get(kind)!)
    return started > 0
  }

  async function fill(lane: Lane): Promise<number> {
    let started = 0
    for (let room = countFreePlaces(lane); room > 0; room = countFreePlaces(lane)) {
      const after = lane.lastHolder
      const jobs = await leaseJobs(db, lane.kind, after, room, listFullHolders(lane))
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
      const again = await withLease(job, () =>
        Promise.race([kind.run(job, signal), rejectOnAbort(signal)]),
      )
      if (again) await returnJob(db, job, { ...again, attempts: 0 })
      else await deleteJob(db, job)
    } catch (error) {
      if (ending.signal.aborted)
        await returnJob(db, job, { inSeconds: 0, attempts: job.attempts - 1 })
      else await fail(kind, job, late.aborted ? new Error('The job took too long.') : error)
    }
  }

  /** Renews the lease of a job while `work` runs. */
  async function withLease<T>(job: LeasedJob, work: () => Promise<T>): Promise<T> {
    let last: Promise<unknown> = Promise.resolve()
    const timer = setInterval(() => {
      last = renewLease(db, job).catch((err) =>
        log.warn({ err }, 'could not renew the lease of a job'),
      )
    }, RENEW_MS)
    try {
      return await work()
    } finally {
      clearInterval(timer)
      await last
    }
  }

  async function fail({ name, maxAttempts }: JobKind, job: LeasedJob, err: unknown): Promise<void> {
    const { holder, key, attempts } = job
    const isDead = attempts >= maxAttempts
    incrementCount(counts.jobFailures, name)
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
      const stopLoop = repeatWork(
        round,
        (ended) => wake.wait(POLL_MS, ended),
        log,
        'could not read jobs',
      )
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

const rejectOnAbort = async (signal: AbortSignal): Promise<never> => {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}
