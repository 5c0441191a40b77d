import { pb } from '../../data/client.ts'
import type { Conversation } from '../../data/records.ts'
import { t } from '../../language/words.ts'
import { toast, toastFault } from '../../parts/toast.tsx'

type Values = Partial<Pick<Conversation, 'unread' | 'archived' | 'assignee' | 'blocked' | 'follow_up_at'>>

/** Changes a conversation and says `done`, or what went wrong. `undo`: what brings it back. */
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
