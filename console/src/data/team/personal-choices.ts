import { UNDO_SECONDS } from '#portable/undo-seconds.ts'
import { findPersonalClient, pb } from '../client.ts'
import { isWithinHours } from '../notifications/is-within-hours.ts'
import type { Conversation, Member, Notify, UserSettings } from '../record-types.ts'
import { rememberSignal } from '../remembered.ts'
import { readUserId, type Session, session } from '../session.ts'
import { useList } from '../use/use-list.ts'
import { ownSettings, saveOwnSettings } from '../user-settings/own.ts'
import { findSettings } from '../user-settings/save.ts'

/** The choices of each person of a team: an owner in the account's settings, a member in the membership. */
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

/** The choice that was read last, for answers without a connection. */
const lastUndo = rememberSignal('undo-seconds', { sender: '', seconds: 0 })
/** An answer waits so long at most for the choice of its person. */
const CHOICE_MS = 1_000

/**
 * For how long the person can take an answer back; 0: not at all. Asks the server if this window has not read
 * the choice yet. Without an answer, it is as this browser read it last. `members`: of the person's team.
 */
export async function findUndoSeconds(members: readonly Member[]): Promise<number> {
  const { team, sender = '' } = session.value ?? {}
  const mine = team === 'owner' ? ownSettings.value : members.find(({ id }) => id === sender)
  const known = mine === undefined ? await loadChoices(sender, team === 'owner') : mine
  if (known !== undefined) lastUndo.value = { sender, seconds: known?.undo_seconds ?? UNDO_SECONDS }
  return lastUndo.value.sender === sender ? lastUndo.value.seconds : 0
}

/** The choices on the server; null if the person has saved none, undefined if it does not answer. */
async function loadChoices(
  sender: string,
  isOwner: boolean,
): Promise<PersonalChoices | null | undefined> {
  const options = { signal: AbortSignal.timeout(CHOICE_MS) }
  try {
    if (isOwner) return (await findSettings(readUserId(), options)) ?? null
    return await pb.collection<Member>('members').getOne(sender, options)
  } catch {
    return undefined
  }
}

export const savePersonalChoices = (
  { team, sender }: Session,
  change: Partial<PersonalChoices>,
): Promise<unknown> =>
  team === 'owner'
    ? saveOwnSettings(change)
    : findPersonalClient().collection('members').update(sender, change)

/** Whether now is within the hours in which the person wants to be notified. */
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
