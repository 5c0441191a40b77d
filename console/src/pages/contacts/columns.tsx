import { describeField } from '../../data/contact-field-words.ts'
import type { Label } from '../../data/labels.ts'
import { nameContact } from '../../data/name-contact.ts'
import type { Contact, ContactField } from '../../data/record-types.ts'
import type { Groups } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { deleteRecord } from '../../parts/dialog/dialog.tsx'
import { LabelChips } from '../../parts/labels/label-chip.tsx'
import { ActionsMenu } from '../../parts/list/actions-column.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { Badge, Time } from '../../parts/time.tsx'
import { makeConversationPath, makePageHref } from '../../router.ts'
import { nameSort } from './field-filter.ts'
import type { LastText } from './last-texts.ts'

export const BY_NAME = 'name'
/** The server sorts more contacts by their first group or by a field too slowly. */
export const MOST_SORTED = 20_000

interface Shown {
  readonly groups: Groups
  readonly labels: readonly Label[]
  /** The fields that have a column. */
  readonly fields: readonly ContactField[]
  readonly picked: readonly Contact[]
  readonly pick: (contact: Contact, isPicked: boolean) => void
  readonly edit: (contact: Contact) => void
  readonly findLast: (number: string) => LastText | undefined
  /** Whether groups and fields sort the list. */
  readonly isShort: boolean
}

export const makeContactColumns = ({
  groups,
  labels,
  fields,
  picked,
  pick,
  edit,
  findLast,
  isShort,
}: Shown): readonly Column<Contact>[] => [
  {
    title: t('Name'),
    sort: BY_NAME,
    cell: (contact) => (
      <span class="contacts-name">
        <label>
          <input
            type="checkbox"
            aria-label={t('Choose {contact}', { contact: nameContact(contact) })}
            checked={picked.some(({ id }) => id === contact.id)}
            onChange={(event) => pick(contact, event.currentTarget.checked)}
          />
        </label>
        <a class="cut" href={makePageHref(`/contacts/${contact.id}`)}>
          {contact.name || <PhoneNumber number={contact.phone} />}
        </a>
        {contact.opted_out && <Badge tone="warn">{t('Opted out')}</Badge>}
        <LabelChips ids={contact.labels} labels={labels} most={2} />
      </span>
    ),
  },
  {
    title: t('Number'),
    name: 'number',
    sort: 'phone',
    spare: ({ name }) => !name,
    cell: ({ phone }) => <PhoneNumber number={phone} />,
  },
  ...fields.map((field) => makeFieldColumn(field, isShort)),
  {
    title: t('Groups'),
    name: 'groups',
    ...(isShort && { sort: 'groups.name' }),
    long: true,
    minor: true,
    spare: (contact) => contact.groups.length === 0,
    cell: (contact) => contact.groups.map(groups.findName).filter(Boolean).join(', ') || <None />,
  },
  {
    title: t('Last text'),
    name: 'last',
    long: true,
    cell: ({ phone }) => <Last text={findLast(phone)} number={phone} />,
  },
  {
    title: t('Actions'),
    name: 'menu',
    bare: true,
    align: 'end',
    cell: (row) => (
      <ActionsMenu
        words={t('Actions of {name}', { name: nameContact(row) })}
        quiet
        actions={[
          {
            icon: 'conversations',
            words: t('Conversation'),
            href: makePageHref(makeConversationPath(row.phone)),
          },
          { icon: 'edit', words: t('Change'), needs: 'agent', onClick: () => edit(row) },
          {
            icon: 'trash',
            words: t('Delete'),
            kind: 'danger',
            needs: 'agent',
            onClick: () => deleteContact(row),
          },
        ]}
      />
    ),
  },
]

/** The last text of a conversation, and its time; on a phone the number, while there is none. */
const Last = ({ text, number }: { text: LastText | undefined; number: string }) =>
  text?.last_text ? (
    <span class="contacts-last">
      <bdi class="cut" title={text.last_text}>
        {text.last_text}
      </bdi>
      <Time at={text.last_at} />
    </span>
  ) : (
    <span class="contacts-none">
      <PhoneNumber number={number} />
    </span>
  )

function makeFieldColumn(field: ContactField, isShort: boolean): Column<Contact> {
  const sort = isShort ? nameSort(field) : undefined
  return {
    title: field.name,
    ...(sort && { sort }),
    ...(field.type === 'number' ? { align: 'end' } : { long: field.type === 'text' }),
    spare: (contact) => describeField(contact, field) === '',
    cell: (contact) => describeField(contact, field) || <None />,
  }
}

const None = () => <span class="muted">–</span>

const deleteContact = (contact: Contact) =>
  deleteRecord(
    contact,
    {
      title: t('Delete the contact?'),
      text: contact.opted_out
        ? t('{contact} is deleted; the messages stay, and the number stays opted out.', {
            contact: nameContact(contact),
          })
        : t('{contact} is deleted; the messages stay.', { contact: nameContact(contact) }),
      action: t('Delete'),
    },
    t('Contact deleted'),
  )
