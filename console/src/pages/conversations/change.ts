import { formatPhone } from '#portable/phone/format.ts'
import { changeRecord } from '../../data/optimistic.ts'
import type { Conversation } from '../../data/record-types.ts'
import { session } from '../../data/session.ts'
import type { People } from '../../data/team/people.ts'
import { t } from '../../language/words.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'

type Values = Partial<Pick<Conversation, 'unread' | 'archived' | 'assignee' | 'blocked' | 'follow_up_at'>>

const put = (id: string, values: Values) => changeRecord('conversations', id, values)

/** Changes a conversation. Then shows `done` with a button that undoes the change, or the error. */
export async function change(conversation: Conversation, values: Values, done: string): Promise<void> {
  const before = Object.keys(values).map((name) => [name, conversation[name as keyof Values]])
  const undo = () =>
    put(conversation.id, Object.fromEntries(before)).then(() => toast(t('Undone')), toastFault)
  await put(conversation.id, values).then(() => toast(done, undo), toastFault)
}

const whoIs = ({ name, number }: Conversation) => name || formatPhone(number)

export const archive = (conversation: Conversation): Promise<void> =>
  change(
    conversation,
    { archived: !conversation.archived },
    conversation.archived
      ? t('{name} is back in the list', { name: whoIs(conversation) })
      : t('{name} archived', { name: whoIs(conversation) }),
  )

/** Assigns a conversation (`assignee` '': to nobody). Asks before taking it from another person. */
export async function assign(conversation: Conversation, assignee: string, people: People): Promise<void> {
  const me = session.value?.sender
  const theirs = conversation.assignee !== me && people.nameOf(conversation.assignee)
  if (theirs && !(await mayTake(theirs))) return
  if (assignee === '') return change(conversation, { assignee }, t('Assigned to nobody'))
  const isMine = assignee === me
  const words = isMine ? t('Assigned to you') : t('Assigned to {name}', { name: people.nameOf(assignee) })
  await change(conversation, { assignee }, words)
}

const mayTake = (name: string): Promise<boolean> =>
  confirmed({
    title: t('Take it from {name}?', { name }),
    text: t('{name} takes care of this conversation.', { name }),
    action: t('Take it'),
    careful: true,
  })
