import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { formatPhone } from '../../data/phone/phone-numbers.ts'
import type { Conversation } from '../../data/records.ts'
import { useNames } from '../../data/use/use-known.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import type { PageProps } from '../../pages.ts'
import { Button, ButtonLink } from '../../parts/form/button.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { to } from '../../router.ts'
import { ConversationList } from './conversation-list.tsx'
import { NewConversation } from './new-conversation.tsx'
import { Thread } from './thread.tsx'
import './page.css'

/** What was said with each number, both ways; on a phone the list or one conversation, else both. */
export function Page({ params }: PageProps) {
  const number = params.number ?? ''
  const any = useList<Conversation>('conversations', { perPage: 1, fields: 'id', sort: '-last_at' })
  const open = useList<Conversation>('conversations', {
    filter: pb.filter('number = {:number}', { number }),
    perPage: 1,
    ready: number !== '',
  })
  const conversation = open.items.find((each) => each.number === number)
  const nameOf = useNames([number])
  const name = conversation?.name || nameOf(number)
  const [isStarting, setStarting] = useState(false)
  const start = (
    <Button kind="primary" icon="plus" onClick={() => setStarting(true)}>
      {t('New conversation')}
    </Button>
  )
  const isEmpty = !any.loading && !any.fault && any.total === 0 && number === ''
  return (
    <Frame
      title={number ? name || formatPhone(number) : t('Conversations')}
      actions={number ? <Back /> : !isEmpty && start}
    >
      {isEmpty ? (
        <Empty icon="conversations" title={t('No conversations yet')} action={start}>
          {t(
            'Texts that come in on your devices appear here, with your answers. Or write to somebody first.',
          )}
        </Empty>
      ) : (
        <div class={number ? 'conversations open' : 'conversations'}>
          <ConversationList chosen={number} />
          {number ? (
            <Thread key={number} number={number} name={name} conversation={conversation} />
          ) : (
            <p class="conversations-none muted">{t('Choose a conversation.')}</p>
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
      {t('All conversations')}
    </ButtonLink>
  </div>
)
