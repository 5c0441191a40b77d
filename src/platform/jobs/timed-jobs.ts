import type { Logger } from '../log.ts'

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
