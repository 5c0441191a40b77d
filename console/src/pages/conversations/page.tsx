import { useState } from 'preact/hooks'
import { useNames } from '../../data/use/use-known.ts'
import type { PageProps } from '../../pages.ts'
import { Button, ButtonLink } from '../../parts/form/button.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { to } from '../../router.ts'
import { ConversationList } from './conversation-list.tsx'
import { NewConversation } from './new-conversation.tsx'
import { Thread } from './thread.tsx'
import { useConversations } from './use-conversations.ts'
import './page.css'

/** What was said with each number, both ways; on a phone the list or one conversation, else both. */
export function Page({ params }: PageProps) {
  const number = params.number ?? ''
  const conversations = useConversations()
  const nameOf = useNames([number, ...conversations.items.map((each) => each.number)])
  const [isStarting, setStarting] = useState(false)
  const start = (
    <Button kind="primary" icon="plus" onClick={() => setStarting(true)}>
      New conversation
    </Button>
  )
  const isEmpty = !conversations.loading && conversations.items.length === 0 && number === ''
  return (
    <Frame
      title={number ? nameOf(number) || number : 'Conversations'}
      actions={number ? <Back /> : !isEmpty && start}
    >
      {isEmpty ? (
        <Empty icon="conversations" title="No conversations yet" action={start}>
          Texts that come in on your devices appear here, with your answers. Or write to somebody first.
        </Empty>
      ) : (
        <div class={number ? 'conversations open' : 'conversations'}>
          <ConversationList {...conversations} chosen={number} nameOf={nameOf} />
          {number ? (
            <Thread key={number} number={number} name={nameOf(number)} />
          ) : (
            <p class="conversations-none muted">Choose a conversation.</p>
          )}
        </div>
      )}
      {isStarting && <NewConversation onClose={() => setStarting(false)} />}
    </Frame>
  )
}

const Back = () => (
  <div class="conversations-back">
    <ButtonLink icon="left" href={to('/conversations')}>
      All conversations
    </ButtonLink>
  </div>
)
