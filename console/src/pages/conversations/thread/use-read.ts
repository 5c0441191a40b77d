import { useEffect } from 'preact/hooks'
import { pb } from '../../../data/client.ts'
import type { Conversation } from '../../../data/record-types.ts'

/** Marks an unread conversation as read: now if the page is visible, else when it becomes visible. */
export function useRead(conversation: Conversation | undefined): void {
  const id = conversation?.id
  const unread = conversation?.unread ?? 0
  useEffect(() => {
    if (!id || unread === 0) return
    const read = () => {
      if (document.visibilityState !== 'visible') return
      // after a failure, this runs again at the next incoming text or when the page becomes visible again
      pb.collection('conversations')
        .update(id, { unread: 0 })
        .catch(() => {})
    }
    read()
    document.addEventListener('visibilitychange', read)
    return () => document.removeEventListener('visibilitychange', read)
  }, [id, unread])
}
