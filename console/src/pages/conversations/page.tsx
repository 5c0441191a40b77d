import { E164 } from '#portable/phone/e164.ts'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { pb } from '../../data/client.ts'
import type { Label } from '../../data/labels.ts'
import { useOptedOut } from '../../data/opt-out/opted-out.ts'
import { applyChanges } from '../../data/optimistic.ts'
import type { Contact, Conversation, Device } from '../../data/record-types.ts'
import { rememberForPerson } from '../../data/remember-for-person.ts'
import { hasTeamRole } from '../../data/session.ts'
import { type People, usePeople } from '../../data/team/people.ts'
import { hasRoom } from '../../data/use/media-queries.ts'
import { useList, useOne } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { Avatar } from '../../parts/avatar.tsx'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/form.tsx'
import { Icon } from '../../parts/icon.tsx'
import { LabelChips } from '../../parts/labels/label-chip.tsx'
import { LabelMenu } from '../../parts/labels/label-chooser.tsx'
import { Title } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { Badge } from '../../parts/time.tsx'
import { goToPage, makeConversationPath, makePageHref, type PageProps } from '../../router.ts'
import { ConversationList, findRow } from './conversation-list.tsx'
import { FollowUp, HeadActions } from './head-actions.tsx'
import { SidePanel } from './side-panel.tsx'
import { Thread } from './thread/thread.tsx'
import { useInbox } from './use-inbox.ts'
import './page.css'

const MAX_DEVICES = 100

const isPanelOpen = rememberForPerson('conversation-panel', true)

/** The views, the list and the open conversation. On narrow screens the conversation covers the list. */
export function Page({ params: { number = '' }, query }: PageProps) {
  const people = usePeople()
  const inbox = useInbox()
  // read here, so that they are known when the next conversation opens, and its answer box keeps its height
  const devices = useList<Device>('devices', {
    filter: 'enabled = true',
    sort: 'name',
    perPage: MAX_DEVICES,
  })
  return (
    <div class={number ? 'conversations open' : 'conversations'}>
      <ConversationList chosen={number} people={people} inbox={inbox} />
      {number ? (
        <Open
          key={number}
          number={number}
          people={people}
          labels={inbox.labels}
          devices={devices.items}
          at={query.get('at') ?? ''}
          isAsked={query.has('about')}
        />
      ) : (
        <p class="conversations-none muted">{t('Choose a conversation.')}</p>
      )}
    </div>
  )
}

interface OpenProps {
  readonly number: string
  readonly people: People
  readonly labels: readonly Label[]
  readonly devices: readonly Device[]
  readonly at: string
  /** Whether the URL opens the panel about the contact on narrow screens, so that "back" closes it. */
  readonly isAsked: boolean
}

function Open({ number, people, labels, devices, at, isAsked }: OpenProps) {
  const found = useOne<Conversation>('conversations', pb.filter('number = {:number}', { number }))
  const contacts = useOne<Contact>('contacts', pb.filter('phone = {:number}', { number }))
  const conversation = applyChanges(found.loading ? findRow(number) : found.record)
  const contact = contacts.record
  const name = contact?.name || conversation?.name || ''
  const isContactKnown = !contacts.loading && !contacts.fault
  const isOptedOut = useOptedOut(number, contact, isContactKnown)
  const known = { contact, isContactKnown, isOptedOut }
  const about = { number, name, conversation, people, devices, ...known }
  const assignee = people.hasTeam && people.findName(conversation?.assignee ?? '')
  const isBeside = hasRoom.value && isPanelOpen.value
  const toggle = () => {
    if (hasRoom.value) isPanelOpen.value = !isPanelOpen.value
    else goToPage(makeConversationPath(number), { at, about: '1' })
  }
  const saveContact = () => {
    if (!isBeside) toggle()
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>('.about-fact[data-fact="name"] button')?.click(),
    )
  }
  return (
    <>
      <section
        class="conversations-thread"
        aria-label={t('With {name}', { name: name || formatPhone(number) })}
      >
        <header class="conversations-head">
          <a
            class="button quiet icon-only back"
            href={makePageHref('/conversations')}
            title={t('All conversations')}
          >
            <Icon name="left" />
            <span class="unseen">{t('All conversations')}</span>
          </a>
          <Avatar name={name} of={number} />
          <div>
            {/* a narrow window breaks the number at its spaces, not inside its digits */}
            <Title>{name || formatPhone(number).replaceAll('\u00a0', ' ')}</Title>
            <div class="conversations-facts">
              {isOptedOut && <Badge tone="warn">{t('Opted out')}</Badge>}
              {conversation?.blocked && <Badge tone="bad">{t('Blocked')}</Badge>}
              {name && <PhoneNumber number={number} />}
              {!contact && isContactKnown && hasTeamRole('agent') && E164.test(number) && (
                <button type="button" class="conversations-chip" onClick={saveContact}>
                  {t('Save as contact')}
                </button>
              )}
              {assignee && <span>{t('with {name}', { name: assignee })}</span>}
              {conversation && (
                <span class="conversations-labels">
                  {/* first, so that a new label does not move it under the pointer */}
                  {hasTeamRole('agent') && (
                    <LabelMenu records={[conversation]} labels={labels} shortcut="L" iconOnly />
                  )}
                  <LabelChips ids={conversation.labels} labels={labels} />
                </span>
              )}
              {conversation && <FollowUp conversation={conversation} />}
            </div>
          </div>
          {conversation && hasTeamRole('agent') && (
            <HeadActions conversation={conversation} people={people} />
          )}
          <Button kind="quiet" icon="contacts" iconOnly aria-expanded={isBeside} onClick={toggle}>
            {t('About this contact')}
          </Button>
        </header>
        <Thread key={at} about={about} at={at} />
      </section>
      {isBeside && (
        <section class="conversations-panel" aria-label={t('About this contact')}>
          <header>
            <h2>{t('Contact')}</h2>
            <Button kind="quiet" icon="close" iconOnly onClick={toggle}>
              {t('Hide the contact')}
            </Button>
          </header>
          <SidePanel {...about} labels={labels} />
        </section>
      )}
      {isAsked && !hasRoom.value && (
        <Dialog title={t('About this contact')} onClose={() => history.back()}>
          <SidePanel {...about} labels={labels} />
        </Dialog>
      )}
    </>
  )
}
