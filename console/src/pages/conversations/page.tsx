import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { formatPhone } from '../../data/phone/phone-numbers.ts'
import type { Contact, Conversation } from '../../data/records.ts'
import { remembered } from '../../data/remembered.ts'
import { may } from '../../data/session.ts'
import { usePeople } from '../../data/team/people.ts'
import { isPhone, isWide } from '../../data/use/media.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import type { PageProps } from '../../pages.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { Badge } from '../../parts/status.tsx'
import { to } from '../../router.ts'
import { ConversationList } from './conversation-list.tsx'
import { HeadActions } from './head-actions.tsx'
import { NewConversation } from './new-conversation.tsx'
import { SidePanel } from './side-panel.tsx'
import { Thread } from './thread/thread.tsx'
import './page.css'
import './thread/thread.css'

/** Whether the side panel is open where there is room for it. */
const isPanelOpen = remembered('conversation-panel', true)

/** The conversations and the open one; on a phone one of the two. */
export function Page({ params, query }: PageProps) {
  const number = params.number ?? ''
  return number ? <Open key={number} number={number} at={query.get('at') ?? ''} /> : <Overview />
}

function Overview() {
  const people = usePeople()
  const any = useList<Conversation>('conversations', { perPage: 1, fields: 'id', sort: '-last_at' })
  const [isStarting, setStarting] = useState(false)
  const isEmpty = !any.loading && !any.fault && any.total === 0
  const start = may('agent') && (
    <Button kind="primary" icon="plus" iconOnly={isPhone.value && !isEmpty} onClick={() => setStarting(true)}>
      {t('New conversation')}
    </Button>
  )
  return (
    <Frame title={t('Conversations')} actions={!isEmpty && start}>
      {isEmpty ? (
        <Empty icon="conversations" title={t('No conversations yet')} action={start}>
          {t(
            'Texts that come in on your devices appear here, with your answers. Or write to somebody first.',
          )}
        </Empty>
      ) : (
        <div class="conversations">
          <ConversationList chosen="" people={people} />
          <p class="conversations-none muted">{t('Choose a conversation.')}</p>
        </div>
      )}
      {isStarting && <NewConversation onClose={() => setStarting(false)} />}
    </Frame>
  )
}

function Open({ number, at }: { number: string; at: string }) {
  const people = usePeople()
  const found = useList<Conversation>('conversations', {
    filter: pb.filter('number = {:number}', { number }),
    perPage: 1,
  })
  const conversation = found.items[0]
  const contacts = useList<Contact>('contacts', {
    filter: pb.filter('phone = {:number}', { number }),
    perPage: 1,
  })
  const contact = contacts.items[0]
  const name = contact?.name || conversation?.name || ''
  const [isDrawer, setDrawer] = useState(false)
  const about = {
    number,
    name,
    conversation,
    contact,
    isContactKnown: !contacts.loading && !contacts.fault,
    people,
  }
  const assignee = people.hasTeam && people.nameOf(conversation?.assignee ?? '')
  const isOptedOut = contact?.opted_out
  const isBlocked = conversation?.blocked
  const facts = (name || isOptedOut || isBlocked || assignee) && (
    <>
      {isOptedOut && <Badge tone="warn">{t('Opted out')}</Badge>}{' '}
      {isBlocked && <Badge tone="bad">{t('Blocked')}</Badge>} {name && <PhoneNumber number={number} />}{' '}
      {assignee && t('with {name}', { name: assignee })}
    </>
  )
  const isBeside = isWide.value && isPanelOpen.value
  const toggle = () => {
    if (isWide.value) isPanelOpen.value = !isPanelOpen.value
    else setDrawer(true)
  }
  return (
    <Frame
      title={name || formatPhone(number)}
      back={{ href: to('/conversations'), words: t('All conversations') }}
      text={facts}
      actions={
        <>
          {conversation && may('agent') && <HeadActions conversation={conversation} people={people} />}
          <Button icon="contacts" iconOnly={isPhone.value} aria-expanded={isBeside} onClick={toggle}>
            {t('About this contact')}
          </Button>
        </>
      }
    >
      <div class={isBeside ? 'conversations open beside' : 'conversations open'}>
        <ConversationList chosen={number} people={people} />
        <Thread key={at} {...about} at={at} />
        {isBeside && (
          <section class="conversations-panel" aria-label={t('About this contact')}>
            <SidePanel {...about} />
          </section>
        )}
      </div>
      {isDrawer && !isWide.value && (
        <Dialog title={t('About this contact')} onClose={() => setDrawer(false)}>
          <SidePanel {...about} />
        </Dialog>
      )}
    </Frame>
  )
}
