import { useEffect } from 'preact/hooks'
import { pb } from '../data/client.ts'
import type { Conversation } from '../data/record-types.ts'
import type { Session } from '../data/session.ts'
import { useNotify } from '../data/team/personal-choices.ts'
import { announced, type InboxAnswer, inboxAnswer, isBounded, mentioned } from '../data/unread.ts'
import { useAnswer } from '../data/use/use-answer.ts'
import { useCalm } from '../data/use/use-calm.ts'
import { useList } from '../data/use/use-list.ts'
import { useLive } from '../data/use/use-live.ts'

/** Changes within this time cause one request for the counts. */
const CALM_MS = 600

/** Reads counts, labels and views of the inbox, and shows how many texts are unread on the app's icon. */
export function Counts({ session }: { session: Session }) {
  const notify = useNotify(session)
  const { value, reload } = useAnswer<InboxAnswer>('/api/account/inbox')
  const soon = useCalm(reload, () => CALM_MS)
  useLive<Conversation>('conversations', '*', soon, soon)
  const mine = useUnread(session.sender, notify === 'mine')
  const count = notify === 'all' ? (value?.unread ?? 0) : mine
  useEffect(() => {
    inboxAnswer.value = value
    announced.value = count
    void setBadge(count + mentioned.value)
  }, [value, count, mentioned.value])
  useEffect(
    () => () => {
      inboxAnswer.value = undefined
      announced.value = 0
      void setBadge(0)
    },
    [],
  )
  return null
}

/**
 * Sets the number on the app's icon, or a dot for a bounded count. Some browsers cannot do this, others only
 * for installed apps.
 */
async function setBadge(count: number): Promise<void> {
  const set = () => navigator.setAppBadge?.(isBounded(count) ? undefined : count)
  await (count > 0 ? set() : navigator.clearAppBadge?.())?.catch(() => {})
}

/** How many unread conversations are assigned to the sender or to nobody. */
function useUnread(sender: string, ready: boolean): number {
  const { total } = useList('conversations', {
    filter: pb.filter('archived = false && unread > 0 && (assignee = "" || assignee = {:sender})', {
      sender,
    }),
    sort: '-last_at',
    fields: 'id',
    perPage: 1,
    ready,
  })
  return ready ? total : 0
}
