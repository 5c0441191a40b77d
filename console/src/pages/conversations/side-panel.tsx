import { useState } from 'preact/hooks'
import { isSameName } from '#portable/fold-text.ts'
import { E164 } from '#portable/phone/e164.ts'
import { nameChoices } from '../../data/choices.ts'
import { pb } from '../../data/client.ts'
import { describeFields } from '../../data/contact-field-words.ts'
import type {
  Contact,
  ContactField,
  Conversation,
  Device,
  Message,
} from '../../data/record-types.ts'
import { hasTeamRole } from '../../data/session.ts'
import type { People } from '../../data/team/people.ts'
import { readTime } from '../../data/text/message-time.ts'
import { useContactFields } from '../../data/use/use-contact-fields.ts'
import { type Groups, useGroups, useList } from '../../data/use/use-list.ts'
import { useTask } from '../../data/use/use-task.ts'
import { FAILED_FILTER } from '../../data/words/message-states.ts'
import { t } from '../../language/words.ts'
import { askToConfirm } from '../../parts/dialog/dialog.tsx'
import { SelectField } from '../../parts/form/field.tsx'
import { Button, FaultNotice } from '../../parts/form/form.tsx'
import { LinkedContacts } from '../../parts/linked-contacts.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { ContactForm } from '../../parts/rows/contact-form.tsx'
import { formatDateTime } from '../../parts/time.tsx'
import { goToPage, makeConversationPath, makePageHref } from '../../router.ts'
import { assignConversations, changeConversation } from './change.ts'
import { saveConversation } from './save-conversation.ts'
import './side-panel.css'

export interface About {
  readonly number: string
  readonly name: string
  readonly conversation: Conversation | undefined
  readonly contact: Contact | undefined
  /** False until the contact is loaded. If true, an undefined `contact` means that there is none. */
  readonly isContactKnown: boolean
  /** Whether the number has opted out, with or without a contact. */
  readonly isOptedOut: boolean
  readonly people: People
  /** The devices that are on. */
  readonly devices: readonly Device[]
}

export function SidePanel(about: About) {
  const { number, name, conversation, contact, isContactKnown, isOptedOut, people } = about
  const groups = useGroups()
  const fields = useContactFields()
  const isKnown = isContactKnown && !groups.loading && !fields.loading
  // increased to render again after a refused change, so that the field shows the stored assignee
  const [, setAsked] = useState(0)
  return (
    <div class="conversations-about stack">
      {conversation && people.hasTeam && hasTeamRole('agent') && (
        <SelectField
          label={t('Assigned to')}
          name="assignee"
          value={conversation.assignee}
          choices={[['', t('Nobody')], ...nameChoices(people.agents)]}
          onValue={async (assignee) => {
            await assignConversations([conversation], assignee, people)
            setAsked((count) => count + 1)
          }}
        />
      )}
      {hasTeamRole('agent')
        ? isKnown &&
          (contact || E164.test(number)) && (
            <ContactForm
              key={contact?.id}
              contact={contact}
              number={number}
              isOptedOut={isOptedOut}
              groups={groups.items}
              fields={fields.items}
            />
          )
        : contact && <Facts contact={contact} groups={groups} fields={fields.items} />}
      {contact && <a href={makePageHref(`/contacts/${contact.id}`)}>{t('Open the contact')}</a>}
      {conversation && isKnown && hasTeamRole('agent') && <Actions conversation={conversation} />}
      <History number={number} />
      <OnPaper number={number} name={name} conversation={conversation?.id} />
      {contact && <LinkedContacts contact={contact} isBesideTexts />}
      {name && !contact?.person && <Others number={number} name={name} />}
    </div>
  )
}

const Facts = ({
  contact,
  groups,
  fields,
}: {
  contact: Contact
  groups: Groups
  fields: readonly ContactField[]
}) => (
  <dl>
    {describeFields(contact, fields).map(([title, value]) => (
      <div key={title}>
        <dt>{title}</dt>
        <dd>{value}</dd>
      </div>
    ))}
    {contact.groups.length > 0 && (
      <div>
        <dt>{t('Groups')}</dt>
        <dd>{contact.groups.map(groups.findName).join(', ')}</dd>
      </div>
    )}
  </dl>
)

function Actions({ conversation }: { conversation: Conversation }) {
  const { blocked, unread } = conversation
  const markUnread = async () => {
    // leave the thread first: an open thread marks its conversation as read
    goToPage('/conversations')
    await changeConversation(conversation, { unread: 1 }, t('Marked as unread'))
  }
  const block = async () => {
    const sure =
      blocked ||
      (await askToConfirm({
        title: t('Block this number?'),
        text: t(
          'Texts from this number are kept under Blocked: nobody is notified, and no automatic answer is sent.',
        ),
        action: t('Block'),
        danger: true,
      }))
    if (sure)
      await changeConversation(
        conversation,
        { blocked: !blocked },
        blocked ? t('Unblocked') : t('Blocked'),
      )
  }
  return (
    <div class="row">
      <Button disabled={unread > 0} onClick={() => void markUnread()}>
        {t('Mark unread')}
      </Button>
      <Button kind={blocked ? 'plain' : 'danger'} onClick={() => void block()}>
        {blocked ? t('Unblock') : t('Block')}
      </Button>
    </div>
  )
}

const LEFT = 'status = "sent" || status = "delivered"'
const NOT_CANCELED = `status != "failed" || (${FAILED_FILTER})`

/**
 * How many texts were exchanged with the number, without canceled ones, and the first that was received or
 * has left.
 */
function History({ number }: { number: string }) {
  const incoming = useList<Message>('sms_messages', {
    filter: pb.filter('message_type = "incoming" && from = {:number}', { number }),
    sort: 'created',
    perPage: 1,
  })
  const outgoing = useList<Message>('sms_messages', {
    filter: pb.filter(`message_type = "outgoing" && to = {:number} && (${NOT_CANCELED})`, {
      number,
    }),
    sort: 'created',
    perPage: 1,
  })
  const left = useList<Message>('sms_messages', {
    filter: pb.filter(`to = {:number} && (${LEFT})`, { number }),
    sort: 'created',
    perPage: 1,
    isCounted: false,
  })
  if (incoming.loading || outgoing.loading || left.loading) return null
  const [first] = [...incoming.items, ...left.items].sort((a, b) =>
    a.created < b.created ? -1 : 1,
  )
  return (
    <section>
      <h2>{t('History')}</h2>
      <p>
        {t('{received} received, {outgoing} outgoing', {
          received: incoming.total,
          outgoing: outgoing.total,
        })}
      </p>
      {first && (
        <p class="muted">
          {t('First on {day}: {text}', { day: formatDateTime(readTime(first)), text: first.body })}
        </p>
      )}
    </section>
  )
}

/** Buttons that save the conversation as a text file, and print what the page shows of it. */
function OnPaper({
  number,
  name,
  conversation,
}: {
  number: string
  name: string
  conversation: string | undefined
}) {
  const save = useTask(() => saveConversation(number, name, conversation))
  return (
    <div class="row">
      <Button icon="download" task={save}>
        {t('Save as a text file')}
      </Button>
      <Button onClick={() => print()}>{t('Print')}</Button>
      <FaultNotice fault={save.fault} />
    </div>
  )
}

const MOST_OTHERS = 5
/** Conversations whose names contain the name, as `Anna Berg` contains `Anna`. */
const MOST_ALIKE = 50

function Others({ number, name }: { number: string; name: string }) {
  const { items } = useList<Conversation>('conversations', {
    filter: pb.filter('name:fold ~ {:name} && number != {:number}', { name, number }),
    sort: '-last_at',
    perPage: MOST_ALIKE,
    live: false,
  })
  const others = items.filter((other) => isSameName(other.name, name)).slice(0, MOST_OTHERS)
  if (others.length === 0) return null
  return (
    <section>
      <h2>{t('Other numbers of {name}', { name })}</h2>
      <ul>
        {others.map((other) => (
          <li key={other.id}>
            <a href={makePageHref(makeConversationPath(other.number))}>
              <PhoneNumber number={other.number} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
