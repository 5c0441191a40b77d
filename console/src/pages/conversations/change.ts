import { formatPhone } from '#portable/phone/format-phone.ts'
import { changeRecord } from '../../data/optimistic.ts'
import type { Conversation } from '../../data/record-types.ts'
import { session } from '../../data/session.ts'
import type { People } from '../../data/team/people.ts'
import { workInParallel } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { askToConfirm } from '../../parts/dialog/dialog.tsx'
import { showToast, showToastFault } from '../../parts/toast.tsx'

type Values = Partial<
  Pick<Conversation, 'unread' | 'archived' | 'assignee' | 'blocked' | 'follow_up_at'>
>

const putConversation = (id: string, values: Values) => changeRecord('conversations', id, values)

/** Changes conversations. Then shows `done` with a button that undoes the change, or the first error. */
export async function changeConversations(
  all: readonly Conversation[],
  values: Values,
  done: string,
): Promise<void> {
  const before = (conversation: Conversation): Values =>
    Object.fromEntries(
      Object.keys(values).map((name) => [name, conversation[name as keyof Values]]),
    )
  const undo = () =>
    workInParallel(all, (each) => putConversation(each.id, before(each))).then(
      () => showToast(t('Undone')),
      showToastFault,
    )
  await workInParallel(all, ({ id }) => putConversation(id, values)).then(
    () => showToast(done, undo),
    showToastFault,
  )
}

export const changeConversation = (
  conversation: Conversation,
  values: Values,
  done: string,
): Promise<void> => changeConversations([conversation], values, done)

export const nameConversation = ({ name, number }: Conversation) => name || formatPhone(number)

export const archiveConversation = (conversation: Conversation): Promise<void> =>
  changeConversation(
    conversation,
    { archived: !conversation.archived },
    conversation.archived
      ? t('{name} is back in the list', { name: nameConversation(conversation) })
      : t('{name} archived', { name: nameConversation(conversation) }),
  )

/** Assigns conversations (`assignee` '': ends the assignment). Asks before taking them from other people. */
export async function assignConversations(
  all: readonly Conversation[],
  assignee: string,
  people: People,
): Promise<void> {
  const me = session.value?.sender
  const others = all.filter((each) => each.assignee !== me && each.assignee !== assignee)
  const theirs = [...new Set(others.map((each) => people.findName(each.assignee)))].filter(Boolean)
  if (theirs.length > 0 && !(await mayTakeConversation(theirs))) return
  if (assignee === '') return changeConversations(all, { assignee }, t('Assigned to nobody'))
  const isMine = assignee === me
  const words = isMine
    ? t('Assigned to you')
    : t('Assigned to {name}', { name: people.findName(assignee) })
  await changeConversations(all, { assignee }, words)
}

const mayTakeConversation = ([name = '', ...more]: readonly string[]): Promise<boolean> =>
  askToConfirm({
    title:
      more.length > 0
        ? t('Take them from {names}?', { names: [name, ...more].join(', ') })
        : t('Take it from {name}?', { name }),
    text:
      more.length > 0
        ? t('They take care of these conversations.')
        : t('{name} takes care of this conversation.', { name }),
    action: t('Take it'),
    careful: true,
  })
