import type { Conversation, Member, Notify } from '../record-types.ts'
import type { Session } from '../session.ts'
import { useList } from '../use/use-list.ts'
import { ownSettings } from '../user-settings/own.ts'

export function useNotify({ team, sender }: Session): Notify {
  const { items } = useList<Member>('members', {
    filter: `id = "${sender}"`,
    perPage: 1,
    ready: team !== 'owner',
  })
  return (team === 'owner' ? ownSettings.value?.notify : items[0]?.notify) || 'all'
}

/** Whether texts of this conversation notify the person. */
export const isNotifiedAbout = (
  { assignee }: Conversation,
  notify: Notify,
  { sender }: Session,
): boolean => notify === 'all' || (notify === 'mine' && (assignee === '' || assignee === sender))
