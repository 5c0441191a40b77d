import type { RecordModel, RecordSubscription } from 'pocketbase'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { listenToTopic } from './shared-subscription.ts'

/**
 * Calls `hear` for each change of a collection's records that the session may see. `topic`: a record's id, or
 * `*`; undefined subscribes to nothing. Calls `miss` after subscribing and after each reconnection: earlier
 * changes are not delivered, so the caller must read the records again.
 */
export function useLive<T extends RecordModel>(
  collection: string,
  topic: string | undefined,
  hear: (event: RecordSubscription<T>) => void,
  miss: () => void,
): void {
  const latest = useRef({ hear, miss })
  latest.current = { hear, miss }
  // Layout effects here and in lists: Preact cleans up other effects only after the next paint. Until then, a
  // timer or an event would make the page of one account read with the session of another.
  useLayoutEffect(() => {
    if (topic === undefined) return
    let joined = false
    let left = false
    const changes = listenToTopic<RecordSubscription<T>>(`${collection}/${topic}`, (event) =>
      latest.current.hear(event),
    )
    changes.subscribed.then(
      () => {
        joined = true
        if (!left) latest.current.miss()
      },
      () => {}, // unsubscribed before the connection was made
    )
    const connections = listenToTopic('PB_CONNECT', () => {
      if (joined) latest.current.miss()
    })
    return () => {
      left = true
      changes.leave()
      connections.leave()
    }
  }, [collection, topic])
}
