import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { isSameName } from '#portable/fold-text.ts'
import { E164 } from '#portable/phone/e164.ts'
import { nameChoices } from '../../data/choices.ts'
import { pb } from '../../data/client.ts'
import { describeFields } from '../../data/contact-field-words.ts'
import type { Label } from '../../data/labels.ts'
import type { ConsentState, Contact, Conversation, Device, Note } from '../../data/record-types.ts'
import { hasTeamRole } from '../../data/session.ts'
import type { People } from '../../data/team/people.ts'
import { hasRoom } from '../../data/use/media-queries.ts'
import { useContactFields } from '../../data/use/use-contact-fields.ts'
import { useGroups, useList } from '../../data/use/use-list.ts'
import { useTask } from '../../data/use/use-task.ts'
import { CONSENT_STATES, describePurpose } from '../../data/words/consent-words.ts'
import { t } from '../../language/words.ts'
import { askToConfirm } from '../../parts/dialog/dialog.tsx'
import { SelectField } from '../../parts/form/field.tsx'
import { Button, FaultNotice } from '../../parts/form/form.tsx'
import { Icon } from '../../parts/icon.tsx'
import { LabelChips } from '../../parts/labels/label-chip.tsx'
import { LinkedContacts } from '../../parts/linked-contacts.tsx'
import { Menu } from '../../parts/list/menu.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { ContactForm, makeOwnName } from '../../parts/rows/contact-form.tsx'
import { formatDay } from '../../parts/time.tsx'
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

/** Facts about a number. A press on a row changes it in its place. */
export function SidePanel({ labels, ...about }: About & { readonly labels: readonly Label[] }) {
  const { number, name, conversation, contact, isContactKnown, people } = about
  // increased to render again after a refused change, so that the field shows the stored assignee
  const [, setAsked] = useState(0)
  return (
    <div class="conversations-about stack" tabIndex={-1} data-focus="true">
      <PanelMenu about={about} />
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
      {isContactKnown && <Facts about={about} labels={labels} />}
      {contact && <LinkedContacts contact={contact} isBesideTexts />}
      {name && !contact?.person && <Others number={number} name={name} />}
    </div>
  )
}

const MOST_NOTES = 3
/** The row whose press opens the menu in the head, which is beside the panel. */
const LABELS = 'labels'
const LABEL_MENU = '.conversations-labels .menu > .button'

interface Shown {
  /** The row of the form that changes it; absent: something else does. */
  readonly name?: string | undefined
  readonly title: string
  readonly value: ComponentChildren
}

/** The contact's rows, of which agents change one at a time. */
function Facts({ about, labels }: { about: About; labels: readonly Label[] }) {
  const { number, contact, conversation, isOptedOut } = about
  const groups = useGroups()
  const fields = useContactFields()
  const [changed, setChanged] = useState('')
  const notes = useList<Note>('conversation_notes', {
    filter: pb.filter('conversation = {:id}', { id: conversation?.id ?? '' }),
    perPage: MOST_NOTES,
    isCounted: false,
    ready: conversation !== undefined,
  })
  const proof = useList<ConsentState>('consent_states', {
    filter: pb.filter('number = {:number}', { number }),
    sort: '-since',
    expand: 'group',
  })
  if (groups.loading || fields.loading) return null
  const change = (name: string) => {
    if (name === LABELS) document.querySelector<HTMLElement>(LABEL_MENU)?.click()
    else setChanged(name)
  }
  const mayChange = hasTeamRole('agent') && (contact !== undefined || E164.test(number))
  const described = contact ? describeFields(contact, fields.items) : []
  const titles = new Set([
    ...fields.items.map((field) => field.name),
    ...described.map(([one]) => one),
  ])
  const rows: readonly (Shown | false)[] = [
    { name: 'name', title: t('Name'), value: contact?.name && <bdi>{contact.name}</bdi> },
    { title: t('Number'), value: <PhoneNumber number={number} /> },
    conversation !== undefined && {
      name: hasRoom.value ? LABELS : undefined,
      title: t('Labels'),
      value: conversation.labels.length > 0 && (
        <LabelChips ids={conversation.labels} labels={labels} />
      ),
    },
    groups.items.length > 0 && {
      name: 'groups',
      title: t('Groups'),
      value: contact?.groups.map(groups.findName).join(', '),
    },
    ...[...titles].map((title) => ({
      name: makeOwnName(fields.items.find((field) => field.name === title)?.key ?? title),
      title,
      value: described.find(([one]) => one === title)?.[1],
    })),
    contact !== undefined && {
      name: 'opted_out',
      title: t('Opted out'),
      value: isOptedOut ? t('Yes') : t('No'),
    },
  ]
  return (
    <div class="about-facts">
      {rows.map((row) => {
        if (!row) return null
        const { name, title, value } = row
        if (name && changed === name)
          return (
            <ContactForm
              key={name}
              contact={contact}
              number={number}
              isOptedOut={isOptedOut}
              groups={groups.items}
              fields={fields.items}
              only={name}
              onClose={() => setChanged('')}
            />
          )
        if (!value && !mayChange) return null
        return (
          <Fact
            key={title}
            title={title}
            name={name}
            onChange={name && mayChange ? change : undefined}
          >
            {value || <span class="muted">–</span>}
          </Fact>
        )
      })}
      {notes.items.map(({ id, text }) => (
        <Fact key={id} title={t('Note')}>
          <a href={makePageHref(makeConversationPath(number), { at: `conversation_notes/${id}` })}>
            <bdi>{text}</bdi>
          </a>
        </Fact>
      ))}
      {proof.items.length > 0 && (
        <Fact title={t('Proof of consent')}>
          {proof.items.map((state) => (
            <p key={state.id}>
              {describePurpose(state)}: {CONSENT_STATES[state.state][1]}, {formatDay(state.since)}
            </p>
          ))}
        </Fact>
      )}
    </div>
  )
}

/** A title and its value. With `onChange` a press anywhere on the row changes it. */
const Fact = ({
  title,
  name = '',
  onChange,
  children,
}: {
  title: string
  name?: string | undefined
  onChange?: ((name: string) => void) | undefined
  children: ComponentChildren
}) => (
  <div class="about-fact" data-fact={name}>
    <span class="about-title">{title}</span>
    <span class="about-value">{children}</span>
    {onChange && (
      <button type="button" onClick={() => onChange(name)}>
        <Icon name="edit" size={14} />
        <span class="unseen">{t('Change {name}', { name: title })}</span>
      </button>
    )}
  </div>
)

/** Rare actions on a conversation. */
function PanelMenu({ about: { number, name, conversation, contact } }: { about: About }) {
  const save = useTask(() => saveConversation(number, name, conversation?.id))
  return (
    <div class="about-menu">
      {contact && <a href={makePageHref(`/contacts/${contact.id}`)}>{t('Open the contact')}</a>}
      <Menu words={t('Actions')} icon="dots" iconOnly quiet floats>
        {(close) => (
          <div class="row-menu">
            {conversation && hasTeamRole('agent') && (
              <Actions conversation={conversation} onClose={close} />
            )}
            <Button kind="quiet" icon="download" task={save}>
              {t('Save as a text file')}
            </Button>
            <Button
              kind="quiet"
              onClick={() => {
                close()
                print()
              }}
            >
              {t('Print')}
            </Button>
            <FaultNotice fault={save.fault} />
          </div>
        )}
      </Menu>
    </div>
  )
}

function Actions({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const { blocked, unread } = conversation
  const markUnread = async () => {
    // leave the thread first: an open thread marks its conversation as read
    goToPage('/conversations')
    await changeConversation(conversation, { unread: 1 }, t('Marked as unread'))
  }
  const block = async () => {
    onClose()
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
    <>
      <Button kind="quiet" disabled={unread > 0} onClick={() => void markUnread()}>
        {t('Mark as unread')}
      </Button>
      <Button kind="quiet" onClick={() => void block()}>
        {blocked ? t('Unblock') : t('Block')}
      </Button>
    </>
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
