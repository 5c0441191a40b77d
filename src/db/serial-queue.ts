import type { Session } from './errors.ts'

/** Runs work one at a time, in the order of calls. A failure does not stop later work. */
export function serialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work)
    last = next.catch(() => {})
    return next
  }
}

/** A session that runs concurrent statements one by one. Once `isOver`, waiting ones fail unsent. */
export function serialSession(session: Session, isOver: () => boolean): Session {
  const queue = serialQueue()
  const inTurn = <T>(work: () => Promise<T>) =>
    queue(() => {
      if (isOver()) throw new Error('The transaction is over')
      return work()
    })
  return {
    query: (text, params, name) => inTurn(() => session.query(text, params, name)),
    script: (text) => inTurn(() => session.script(text)),
  }
}
