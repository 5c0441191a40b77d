import { setTimeout as sleep } from 'node:timers/promises'

/** Concurrent callers share a query, which begins after their calls. `restMs`: pause between queries. */
export function shareQuery<T>(ask: () => Promise<T>, restMs: number): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | undefined
  const send = () => {
    next = undefined
    const answer = ask()
    running = answer.catch(() => {}).then(() => sleep(restMs))
    return answer
  }
  return () => {
    next ??= running.then(send)
    return next
  }
}

/** An answer is kept this many times as long as its query took: queries run at most 5 % of the time. */
const REST = 20
const MAX_MS = 15_000

/** Shares a query. Its answer is kept for `atLeastMs`, or longer if the query was slow. */
export function cacheQuery<T>(ask: () => Promise<T>, atLeastMs: number): () => Promise<T> {
  let answer: Promise<T> | undefined
  let untilMs = 0
  return () => {
    if (answer && performance.now() < untilMs) return answer
    const beganMs = performance.now()
    untilMs = Number.POSITIVE_INFINITY // until it answers, calls share it
    const keep = (ms: number) => {
      untilMs = performance.now() + ms
    }
    answer = ask()
    const restMs = () => Math.min(MAX_MS, (performance.now() - beganMs) * REST)
    answer.then(() => keep(Math.max(atLeastMs, restMs()))).catch(() => keep(atLeastMs))
    return answer
  }
}
