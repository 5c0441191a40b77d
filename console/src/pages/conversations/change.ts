import { formatPhone } from '#portable/phone/format-phone.ts'
import { changeRecord } from '../../data/optimistic.ts'
import type { Conversation } from '../../data/record-types.ts'
import { session } from '../../data/session.ts'
import type { People } from '../../data/team/people.ts'
import { inLanes } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'

type Values = Partial<
  Pick<Conversation, 'unread' | 'archived' | 'assignee' | 'blocked' | 'follow_up_at'>
>

const put = (id: string, values: Values) => changeRecord('conversations', id, values)

/** Changes conversations. Then shows `done` with a button that undoes the change, or the first error. */
export async function changeAll(
  all: readonly Conversation[],
  values: Values,
  done: string,
): Promise<void> {
  const before = (conversation: Conversation): Values =>
    Object.fromEntries(
      Object.keys(values).map((name) => [name, conversation[name as keyof Values]]),
    )
  const undo = () =>
    inLanes(all, (each) => put(each.id, before(each))).then(() => toast(t('Undone')), toastFault)
  await inLanes(all, ({ id }) => put(id, values)).then(() => toast(done, undo), toastFault)
}

export const change = (conversation: Conversation, values: Values, done: string): Promise<void> =>
  changeAll([conversation], values, done)

export const whoIs = ({ name, number }: Conversation) => name || formatPhone(number)

export const archive = (conversation: Conversation): Promise<void> =>
  change(
    conversation,
    { archived: !conversation.archived },
    conversation.archived
      ? t('{name} is back in the list', { name: whoIs(conversation) })
      : t('{name} archived', { name: whoIs(conversation) }),
  )

/** Assigns conversations (`assignee` '': to nobody). Asks before taking them from other people. */
export async function assign(
  all: readonly Conversation[],
  assignee: string,
  people: People,
): Promise<void> {
  const me = session.value?.sender
  const others = all.filter((each) => each.assignee !== me && each.assignee !== assignee)
  const theirs = [...new Set(others.map((each) => people.findName(each.assignee)))].filter(Boolean)
  if (theirs.length > 0 && !(await mayTake(theirs))) return
  if (assignee === '') return changeAll(all, { assignee }, t('Assigned to nobody'))
  const isMine = assignee === me
  const words = isMine
    ? t('Assigned to you')
    : t('Assigned to {name}', { name: people.findName(assignee) })
  await changeAll(all, { assignee }, words)
}

const mayTake = ([name = '', ...more]: readonly string[]): Promise<boolean> =>
  confirmed({
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
