import { findPersonalClient } from '../client.ts'
import { isWithinHours } from '../notifications/is-within-hours.ts'
import type { Conversation, Member, Notify, UserSettings } from '../record-types.ts'
import { type Session, session } from '../session.ts'
import { useList } from '../use/use-list.ts'
import { ownSettings, saveOwnSettings } from '../user-settings/own.ts'

/** What each person of a team chooses: an owner in the account's settings, a member in the membership. */
type PersonalChoices = Pick<
  Member & UserSettings,
  'notify' | 'notify_from' | 'notify_to' | 'notify_zone' | 'notify_silent' | 'undo_seconds'
>

/** The person's choices; undefined until they are read, and for an owner who has saved none. */
export function usePersonalChoices({ team, sender }: Session): PersonalChoices | undefined {
  const { items } = useList<Member>('members', {
    filter: `id = "${sender}"`,
    perPage: 1,
    ready: team !== 'owner',
  })
  return (team === 'owner' ? ownSettings.value : items[0]) ?? undefined
}

export const useNotify = (session: Session): Notify => usePersonalChoices(session)?.notify || 'all'

/** For how long the person can take an answer back; 0: not at all. `members`: of the person's team. */
export function readUndoSeconds(members: readonly Member[]): number {
  const { team, sender } = session.value ?? {}
  const mine = team === 'owner' ? ownSettings.value : members.find(({ id }) => id === sender)
  return mine?.undo_seconds ?? 0
}

export const savePersonalChoices = (
  { team, sender }: Session,
  change: Partial<PersonalChoices>,
): Promise<unknown> =>
  team === 'owner'
    ? saveOwnSettings(change)
    : findPersonalClient().collection('members').update(sender, change)

/** Whether it is within the hours in which the person wants to be notified. */
export function isNotifiedNow(choices: PersonalChoices | undefined): boolean {
  const { notify_from = '', notify_to = '', notify_zone } = choices ?? {}
  const zone = notify_zone || ownSettings.value?.time_zone || 'UTC'
  return isWithinHours(notify_from, notify_to, zone, new Date())
}

/** Whether texts of this conversation notify the person. */
export const isNotifiedAbout = (
  { assignee }: Conversation,
  notify: Notify,
  { sender }: Session,
): boolean => notify === 'all' || (notify === 'mine' && (assignee === '' || assignee === sender))
