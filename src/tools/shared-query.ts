import { setTimeout as sleep } from 'node:timers/promises'

/** Shares a query between callers; no answer is older than the call. Rests `restMs` between queries. */
export function sharedQuery<T>(ask: () => Promise<T>, restMs: number): () => Promise<T> {
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
