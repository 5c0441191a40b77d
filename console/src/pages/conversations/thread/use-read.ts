import { useEffect } from 'preact/hooks'
import { pb } from '../../../data/client.ts'
import type { Conversation } from '../../../data/records.ts'

/** Marks a conversation as read while it is visible, at each incoming text. */
export function useRead(conversation: Conversation | undefined): void {
  const id = conversation?.id
  const unread = conversation?.unread ?? 0
  useEffect(() => {
    if (!id || unread === 0) return
    const read = () => {
      if (document.visibilityState !== 'visible') return
      // after a failure it stays unread until the next text tries again
      pb.collection('conversations')
        .update(id, { unread: 0 })
        .catch(() => {})
    }
    read()
    document.addEventListener('visibilitychange', read)
    return () => document.removeEventListener('visibilitychange', read)
  }, [id, unread])
}
