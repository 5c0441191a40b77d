import { useEffect } from 'preact/hooks'
import type { Session } from '../data/session.ts'
import { useNotify } from '../data/team/notify.ts'
import { announced, unread } from '../data/unread.ts'
import { useList } from '../data/use/use-list.ts'

/** Keeps the number of unread conversations current, on every page and on the app's icon. */
export function UnreadCount({ session }: { session: Session }) {
  const notify = useNotify(session)
  const all = useUnread('')
  const mine = useUnread(`(assignee = "" || assignee = "${session.sender}")`, notify === 'mine')
  const count = notify === 'all' ? all : mine
  useEffect(() => {
    unread.value = all
    announced.value = count
    void setBadge(count)
  }, [all, count])
  useEffect(
    () => () => {
      unread.value = 0
      announced.value = 0
      void setBadge(0)
    },
    [],
  )
  return null
}

/** Sets the app's badge. Some browsers have none, others only for installed apps. */
async function setBadge(count: number): Promise<void> {
  await (count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.())?.catch(() => {})
}

/** How many unread conversations the filter finds; 0 when not `ready`. */
function useUnread(filter: string, ready = true): number {
  const isUnread = 'archived = false && unread > 0'
  const { total } = useList('conversations', {
    filter: filter ? `${isUnread} && ${filter}` : isUnread,
    sort: '-last_at',
    fields: 'id',
    perPage: 1,
    ready,
  })
  return ready ? total : 0
}
