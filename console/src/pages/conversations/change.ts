import { pb } from '../../data/client.ts'
import type { Conversation } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import type { People } from '../../data/team/people.ts'
import { t } from '../../language/words.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'

type Values = Partial<Pick<Conversation, 'unread' | 'archived' | 'assignee' | 'blocked' | 'follow_up_at'>>

/** Changes a conversation and shows `done` or the error. `undo`: the change that reverts it. */
export async function change(
  { id }: Pick<Conversation, 'id'>,
  values: Values,
  done: string,
  undo?: Values,
): Promise<void> {
  try {
    await pb.collection('conversations').update(id, values)
    toast(done, undo && (() => void change({ id }, undo, t('Undone'))))
  } catch (error) {
    toastFault(error)
  }
}

export const archive = (conversation: Conversation): Promise<void> =>
  conversation.archived
    ? change(conversation, { archived: false }, t('Back in the list'))
    : change(conversation, { archived: true }, t('Archived'), { archived: false })

/** Assigns a conversation, '' to nobody; asks first if it is another person's. */
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
