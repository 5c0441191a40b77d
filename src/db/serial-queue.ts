import type { Session } from './backend.ts'

/**
 * A session of which several things may be asked at once, though it is made for one at a time: a
 * transaction's.
 */
export function serialSession(session: Session): Session {
  const inTurn = serialQueue()
  return {
    query: (text, params, name) => inTurn(() => session.query(text, params, name)),
    script: (text) => inTurn(() => session.script(text)),
  }
}

/**
 * Does one thing after the other, in the order in which they were asked for; one that fails holds up none.
 */
export function serialQueue() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work)
    last = next.catch(() => {})
    return next
  }
}

/**
 * Lets many things go on at the same time, and one alone: `alone` begins when all that was asked for before
 * it is over, and what is asked for after it waits for it. All begins in the order in which it was asked for.
 */
export function readWriteQueue() {
  let last: Promise<unknown> = Promise.resolve()
  const going = new Set<Promise<unknown>>()
  return {
    together<T>(work: () => Promise<T>): Promise<T> {
      const run = last.then(work)
      const over: Promise<unknown> = run.catch(() => {}).finally(() => going.delete(over))
      going.add(over)
      return run
    },
    alone<T>(work: () => Promise<T>): Promise<T> {
      const run = Promise.all([last, ...going]).then(work)
      going.clear()
      last = run.catch(() => {})
      return run
    },
  }
}
