import type { Logger } from '../log.ts'

/** A periodic job that every node runs. Running it twice must do no harm. */
export interface Job {
  readonly id: string
  readonly expression: string
  readonly everyMs: number
  run(): Promise<unknown>
}

/** Starts the timer of each job and returns the stop, which waits for running ones. Failures are logged. */
export function startJobs(jobs: readonly Job[], log: Logger): () => Promise<void> {
  const running = new Set<Promise<unknown>>()
  const start = (job: Job) => {
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
