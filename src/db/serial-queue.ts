import type { Session } from './backend.ts'

/**
 * A session that takes several statements at once, though its connection takes one at a time: a
 * transaction's. A statement that fails holds up none. Once `isOver`, those that wait fail unsent.
 */
export function serialSession(session: Session, isOver = () => false): Session {
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(() => {
      if (isOver()) throw new Error('The transaction is over')
      return work()
    })
    last = next.catch(() => {})
    return next
  }
  return {
    query: (text, params, name) => inTurn(() => session.query(text, params, name)),
    script: (text) => inTurn(() => session.script(text)),
  }
}
