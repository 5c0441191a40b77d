import type { Logger } from '../log.ts'

/** Runs `work` now and again `ms` after each end. The returned function stops it. */
export function repeat(work: () => Promise<unknown>, ms: number, log: Logger): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let isStopped = false
  let isFailing = false
  const once = async () => {
    try {
      await work()
      isFailing = false
    } catch (error) {
      // Logged once while the database is unavailable.
      if (!isFailing) log.error({ err: error }, 'a regular job failed, it is tried again')
      isFailing = true
    }
    if (!isStopped) timer = setTimeout(run, ms)
  }
  const run = () => {
    running = once()
  }
  run()
  return async () => {
    isStopped = true
    clearTimeout(timer)
    await running
  }
}
