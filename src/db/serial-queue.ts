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
function serialQueue() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work)
    last = next.catch(() => {})
    return next
  }
}
