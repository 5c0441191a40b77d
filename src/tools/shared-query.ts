import { setTimeout as sleep } from 'node:timers/promises'

/**
 * A question that many ask at once, and whose answer must not be older than the one who asks: all who came
 * since the last one was sent share the next one. It is sent at once if none runs, and else `restMs` after
 * that one was answered.
 */
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
