import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../db/open.ts'
import type { Logger } from '../log.ts'
import { counts, increment } from '../metrics/counts.ts'
import { repeat } from '../tools/repeat.ts'
import { WakeSignal } from '../tools/wake-signal.ts'
import { CHANNEL, deleteJob, dueKinds, type JobKind, type LeasedJob, leaseJobs, returnJob } from './queue.ts'

/** How often the queue is read for jobs whose time has come. New jobs notify. */
const POLL_MS = 1_000
/** How long jobs may still run when the server stops. Then they are given back. */
const STOP_MS = 3_000
/** Seconds until the first new attempt of a failed job; each later one waits twice as long. */
const RETRY_SECONDS = 5
const MAX_RETRY_SECONDS = 3_600
const MAX_ERROR = 500
/** Maximum pause after a job. It lasts as long as the job ran, so that requests get half of the time. */
const MAX_REST_MS = 1_000

class Lane {
  readonly kind: JobKind
  readonly running = new Map<LeasedJob, Promise<void>>()
  lastHolder = ''

  constructor(kind: JobKind) {
    this.kind = kind
  }

  get room(): number {
    return this.kind.places - this.running.size
  }

  get busy(): string[] {
    const jobs = Map.groupBy(this.running.keys(), ({ holder }) => holder)
    return [...jobs].filter(([, own]) => own.length >= this.kind.placesOfHolder).map(([holder]) => holder)
  }
}

/** Runs this node's jobs. Holders take turns, one job each. A job whose node dies runs again. */
export class Worker {
  readonly #db: Db
  readonly #log: Logger
  readonly #lanes: ReadonlyMap<string, Lane>
  readonly #wake = new WakeSignal()
  readonly #stopping = new AbortController()
  readonly #ending = new AbortController()

  constructor(db: Db, kinds: readonly JobKind[], log: Logger) {
    this.#db = db
    this.#log = log
    this.#lanes = new Map(kinds.map((kind) => [kind.name, new Lane(kind)]))
  }

  async start(): Promise<() => Promise<void>> {
    const stopListening = await this.#db.listen(CHANNEL, this.#wake.notifier)
    const rest = (ended: AbortSignal) => this.#wake.wait(POLL_MS, ended)
    const stopLoop = repeat(() => this.#round(), rest, this.#log, 'could not read jobs')
    return async () => {
      this.#stopping.abort()
      await stopLoop()
      await stopListening()
      const late = setTimeout(() => this.#ending.abort(), STOP_MS)
      await this.#idle()
      clearTimeout(late)
    }
  }

  async drain(): Promise<void> {
    while (await this.#round()) await this.#idle()
  }

  async #idle(): Promise<void> {
    await Promise.all([...this.#lanes.values()].flatMap(({ running }) => [...running.values()]))
  }

  async #round(): Promise<boolean> {
    const due = await dueKinds(this.#db, [...this.#lanes.keys()])
    let started = 0
    for (const kind of due) started += await this.#fill(this.#lanes.get(kind)!)
    return started > 0
  }

  async #fill(lane: Lane): Promise<number> {
    let started = 0
    for (let room = lane.room; room > 0; room = lane.room) {
      const after = lane.lastHolder
      const jobs = await leaseJobs(this.#db, lane.kind, after, room, lane.busy)
      for (const job of jobs) this.#start(lane, job)
      started += jobs.length
      if (jobs.length === 0 && after === '') break
      // jobs of fewer holders than asked for: the next turn begins with the first holder
      const holders = jobs.map(({ holder }) => holder).sort()
      lane.lastHolder = jobs.length < room ? '' : holders.at(-1)!
    }
    return started
  }

  #start(lane: Lane, job: LeasedJob): void {
    const begin = performance.now()
    const run = this.#run(lane.kind, job)
      .catch((err) =>
        this.#log.error({ err, kind: lane.kind.name }, 'could not end a job, it will run again'),
      )
      .then(() => this.#rest(performance.now() - begin))
      .finally(() => {
        lane.running.delete(job)
        this.#wake.notify()
      })
    lane.running.set(job, run)
  }

  async #rest(ms: number): Promise<void> {
    await sleep(Math.min(ms, MAX_REST_MS), undefined, { signal: this.#stopping.signal }).catch(() => {})
  }

  async #run(kind: JobKind, job: LeasedJob): Promise<void> {
    const late = AbortSignal.timeout(kind.timeoutSeconds * 1000)
    const signal = AbortSignal.any([late, this.#ending.signal])
    try {
      // every run so far ended with its process, perhaps because of this job
      if (job.attempts > kind.maxAttempts) throw new Error('No run of the job has ended.')
      const again = await Promise.race([kind.run(job, signal), rejection(signal)])
      if (again) await returnJob(this.#db, job, { ...again, attempts: 0 })
      else await deleteJob(this.#db, job)
    } catch (error) {
      if (this.#ending.signal.aborted)
        await returnJob(this.#db, job, { inSeconds: 0, attempts: job.attempts - 1 })
      else await this.#fail(kind, job, late.aborted ? new Error('The job took too long.') : error)
    }
  }

  async #fail({ name, maxAttempts }: JobKind, job: LeasedJob, err: unknown): Promise<void> {
    const { holder, key, attempts } = job
    const isDead = attempts >= maxAttempts
    increment(counts.jobFailures, name)
    const said = isDead ? 'a job failed, no more retries' : 'a job failed, retrying'
    this.#log[isDead ? 'error' : 'warn']({ err, kind: name, holder, key, attempts }, said)
    await returnJob(this.#db, job, {
      inSeconds: Math.min(RETRY_SECONDS * 2 ** (attempts - 1), MAX_RETRY_SECONDS),
      attempts,
      error: String((err as Error)?.message ?? err).slice(0, MAX_ERROR),
      isDead,
    })
  }
}

const rejection = async (signal: AbortSignal): Promise<never> => {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}
