import { Button } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Time } from '../../parts/time.tsx'
import { Loading } from '../../parts/wait.tsx'
import { to } from '../../router.ts'
import { isUnread } from './read-until.ts'
import type { Conversation, Conversations } from './use-conversations.ts'

/** The conversations, the newest first. */
export function ConversationList({
  items,
  loading,
  fault,
  more,
  chosen,
  nameOf,
}: Conversations & { chosen: string; nameOf: (number: string) => string }) {
  return (
    <nav class="conversations-list" aria-label="Conversations">
      {loading && <Loading />}
      {fault && <Notice kind="wrong">{fault.message}</Notice>}
      <ul>
        {items.map((conversation) => (
          <li key={conversation.number}>
            <Line
              conversation={conversation}
              name={nameOf(conversation.number)}
              isChosen={conversation.number === chosen}
            />
          </li>
        ))}
      </ul>
      {more && <Button onClick={more}>Look further back</Button>}
    </nav>
  )
}

function Line({
  conversation: { number, last, heardAt },
  name,
  isChosen,
}: {
  conversation: Conversation
  name: string
  isChosen: boolean
}) {
  const isNew = isUnread(number, heardAt) && !isChosen
  return (
    <a
      href={to(`/conversations/${encodeURIComponent(number)}`)}
      aria-current={isChosen ? 'page' : undefined}
      class={isNew ? 'unread' : ''}
    >
      <span class="conversations-who">{name || number}</span>
      <Time at={last.created} />
      <span class="conversations-last">
        {last.message_type === 'outgoing' && (last.status === 'failed' ? 'Failed: ' : 'You: ')}
        {last.body}
      </span>
      {isNew && <span class="unseen">New</span>}
    </a>
  )
}
