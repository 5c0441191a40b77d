import { useEffect } from 'preact/hooks'
import { unread } from '../data/unread.ts'
import { useList } from '../data/use/use-list.ts'

/** Keeps the number of unread conversations true, on every page. */
export function UnreadCount() {
  const filter = 'archived = false && unread > 0'
  const { total } = useList('conversations', { filter, sort: '-last_at', fields: 'id', perPage: 1 })
  useEffect(() => {
    unread.value = total
  }, [total])
  useEffect(
    () => () => {
      unread.value = 0
    },
    [],
  )
  return null
}
