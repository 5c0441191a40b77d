import { useEffect, useMemo, useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { nameChoices } from '../../data/choices.ts'
import { pb } from '../../data/client.ts'
import type { Label } from '../../data/labels.ts'
import { applyChanges } from '../../data/optimistic.ts'
import { defaultCountry } from '../../data/phone/default-country.ts'
import type { Contact } from '../../data/record-types.ts'
import { writeContactFilter } from '../../data/search/filters.ts'
import { useContactFields } from '../../data/use/use-contact-fields.ts'
import { type Groups, useGroups, useLabels, useList } from '../../data/use/use-list.ts'
import { t, tn } from '../../language/words.ts'
import { Dialog, deleteRecord } from '../../parts/dialog/dialog.tsx'
import { Options } from '../../parts/form/field.tsx'
import { Button, ButtonLink } from '../../parts/form/form.tsx'
import { LabelChips } from '../../parts/labels/label-chip.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import { SearchField } from '../../parts/list/search-field.tsx'
import { type Column, makeActionsColumn } from '../../parts/list/table.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { ContactForm } from '../../parts/rows/contact-form.tsx'
import { Badge } from '../../parts/time.tsx'
import { goToPage, makeConversationPath, makePageHref, type PageProps } from '../../router.ts'
import { AddMembers } from './add-members.tsx'
import { ExportContacts } from './export-contacts.tsx'
import { ImportContacts } from './import-contacts.tsx'
import { SelectionBar } from './selection-bar.tsx'
import './page.css'

const OPTED_OUT = 'opted-out'
/** Before the id of a label in the choice of what is shown. */
const LABEL = 'label:'
const BY_NAME = 'name'
/** The server sorts more contacts by their first group too slowly. */
const MOST_BY_GROUP = 20_000

export function Page({ query }: PageProps) {
  const chosen = query.get('group') ?? ''
  const [text, setText] = useState('')
  const [edited, setEdited] = useState<Contact | 'new'>()
  const [isImporting, setImporting] = useState(false)
  const [isAdding, setAdding] = useState(false)
  const [picked, setPicked] = useState<readonly Contact[]>([])
  const groups = useGroups()
  const labels = useLabels().items
  const fields = useContactFields()
  const filter = makeContactsFilter(text.trim(), chosen)
  const sort = query.get('sort') ?? BY_NAME
  const group = groups.items.find(({ id }) => id === chosen)
  const contacts = useList<Contact>('contacts', {
    filter,
    sort,
    byLanguage: sort !== '-created',
    perPage: 500,
  })
  useEffect(() => setPicked([]), [filter])
  const pick = (contact: Contact, isPicked: boolean) =>
    setPicked((old) => (isPicked ? [...old, contact] : old.filter(({ id }) => id !== contact.id)))
  const show = (change: { group?: string; sort?: string }) => {
    const shown = { group: chosen, sort, ...change }
    goToPage('/contacts', { ...shown, sort: shown.sort === BY_NAME ? '' : shown.sort }, true)
  }
  const hasAny = !(filter === '' && contacts.total === 0)
  const buttons = group ? (
    <Button
      kind="primary"
      icon="plus"
      needs="agent"
      aria-keyshortcuts="N"
      onClick={() => setAdding(true)}
    >
      {t('Add members')}
    </Button>
  ) : (
    <>
      <ButtonLink icon="edit" needs="admin" href={makePageHref('/contacts/fields')}>
        {t('Fields')}
      </ButtonLink>
      <Button icon="upload" needs="agent" onClick={() => setImporting(true)}>
        {t('Import')}
      </Button>
      {hasAny && (
        <ExportContacts filter={filter} sort={sort} groups={groups} fields={fields.items} />
      )}
      <Button
        kind="primary"
        icon="plus"
        needs="agent"
        aria-keyshortcuts="N"
        onClick={() => setEdited('new')}
      >
        {t('Add a contact')}
      </Button>
    </>
  )
  const close = () => setEdited(undefined)
  const columns = useMemo(
    () =>
      makeContactColumns(groups, labels, setEdited, picked, pick, contacts.total <= MOST_BY_GROUP),
    [groups.items, labels, picked, contacts.total <= MOST_BY_GROUP],
  )
  const isAll = filter === ''
  return (
    <Frame
      title={group ? t('Members of {group}', { group: group.name }) : t('Contacts')}
      back={group && { href: makePageHref(`/groups/${group.id}`), words: t('Group') }}
      actions={hasAny && buttons}
    >
      {hasAny && (
        <div class="contacts-search">
          <SearchField label={t('Name or number')} value={text} onValue={setText} />
          <select
            aria-label={t('Show')}
            value={chosen}
            onChange={(event) => show({ group: event.currentTarget.value })}
          >
            <option value="">{t('All contacts')}</option>
            <option value={OPTED_OUT}>{t('Opted out')}</option>
            <Options choices={nameChoices(groups.items)} />
            {labels.length > 0 && (
              <optgroup label={t('Labels')}>
                <Options choices={labels.map(({ id, name }) => [LABEL + id, name] as const)} />
              </optgroup>
            )}
          </select>
          <select
            class="contacts-order"
            aria-label={t('Order')}
            value={sort}
            onChange={(event) => show({ sort: event.currentTarget.value })}
          >
            <Options choices={listOrders()} />
          </select>
        </div>
      )}
      {contacts.items.length > 0 && (
        <ChooseShown
          shown={contacts.items}
          picked={picked}
          total={contacts.total}
          onPick={setPicked}
        />
      )}
      {picked.length > 0 && (
        <SelectionBar
          chosen={picked.map((one) =>
            applyChanges(contacts.items.find(({ id }) => id === one.id) ?? one),
          )}
          found={contacts.total}
          filter={filter}
          sort={sort}
          groups={groups}
          labels={labels}
          fields={fields.items}
          onChoose={setPicked}
        />
      )}
      <Records
        list={contacts}
        caption={t('Contacts')}
        columns={columns}
        sort={sort}
        onSort={(sort) => show({ sort })}
        empty={
          isAll ? (
            <Empty
              icon="contacts"
              title={t('No contacts yet')}
              action={<div class="row">{buttons}</div>}
            >
              {t(
                'A contact has a name, a number and groups. Add the first contact, or import a file.',
              )}
            </Empty>
          ) : (
            <Empty icon="search" title={t('No contact found')}>
              {text || !group
                ? t(
                    'No contact matches. Search for a part of the name or number, or show all contacts.',
                  )
                : t('Nobody is in this group yet.')}
            </Empty>
          )
        }
      />
      {edited && (
        <Dialog
          title={edited === 'new' ? t('Add a contact') : t('Change a contact')}
          onClose={close}
        >
          <ContactForm
            contact={edited === 'new' ? undefined : edited}
            groups={groups.items}
            fields={fields.items}
            onClose={close}
          />
        </Dialog>
      )}
      {isAdding && group && <AddMembers group={group} onClose={() => setAdding(false)} />}
      {isImporting && (
        <ImportContacts
          groups={groups.items}
          fields={fields.items}
          onClose={() => setImporting(false)}
        />
      )}
    </Frame>
  )
}

function makeContactsFilter(text: string, chosen: string): string {
  const parts: string[] = []
  if (text) parts.push(`(${writeContactFilter(text, defaultCountry.value)})`)
  if (chosen === OPTED_OUT) parts.push('opted_out = true')
  else if (chosen.startsWith(LABEL))
    parts.push(pb.filter('labels:each ?= {:id}', { id: chosen.slice(LABEL.length) }))
  else if (chosen) parts.push(pb.filter('groups.id ?= {:chosen}', { chosen }))
  return parts.join(' && ')
}

/** The orders on a phone, where the table has no titles to press. */
const listOrders = () =>
  [
    [BY_NAME, t('Name, A to Z')],
    ['-name', t('Name, Z to A')],
    ['phone', t('By number')],
    ['-opted_out', t('Opted out first')],
    ['-created', t('Newest first')],
  ] as const

/** A box that chooses the contacts of the list, or none, with the count of all that were found. */
function ChooseShown({
  shown,
  picked,
  total,
  onPick,
}: {
  shown: readonly Contact[]
  picked: readonly Contact[]
  total: number
  onPick: (contacts: readonly Contact[]) => void
}) {
  const isAll = picked.length >= shown.length
  return (
    <label class="contacts-all">
      <input
        type="checkbox"
        aria-label={t('Choose all contacts of the list')}
        checked={isAll}
        indeterminate={picked.length > 0 && !isAll}
        onChange={() => onPick(isAll ? [] : shown)}
      />
      <span>{tn('1 contact', '{count} contacts', total)}</span>
    </label>
  )
}

const makeContactColumns = (
  groups: Groups,
  labels: readonly Label[],
  edit: (contact: Contact) => void,
  picked: readonly Contact[],
  pick: (contact: Contact, isPicked: boolean) => void,
  sortsByGroup: boolean,
): readonly Column<Contact>[] => [
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
        <a href={makePageHref(`/contacts/${contact.id}`)}>
          {contact.name || <PhoneNumber number={contact.phone} />}
        </a>
        <LabelChips ids={contact.labels} labels={labels} most={3} />
      </span>
    ),
  },
  {
    title: t('Number'),
    sort: 'phone',
    spare: ({ name }) => !name,
    cell: ({ phone }) => <PhoneNumber number={phone} />,
  },
  {
    title: t('Groups'),
    ...(sortsByGroup && { sort: 'groups.name' }),
    long: true,
    minor: true,
    spare: (contact) => contact.groups.length === 0,
    cell: (contact) =>
      contact.groups.map(groups.findName).filter(Boolean).join(', ') || (
        <span class="muted">–</span>
      ),
  },
  {
    title: t('State'),
    sort: 'opted_out',
    spare: ({ opted_out }) => !opted_out,
    cell: ({ opted_out }) =>
      opted_out ? <Badge tone="warn">{t('Opted out')}</Badge> : <span class="muted">–</span>,
  },
  makeActionsColumn((row) => {
    const contact = nameContact(row)
    const href = makePageHref(makeConversationPath(row.phone))
    const needs = 'agent'
    return [
      { icon: 'conversations', words: t('Conversation with {contact}', { contact }), href },
      { icon: 'edit', words: t('Change {contact}', { contact }), needs, onClick: () => edit(row) },
      {
        icon: 'trash',
        words: t('Delete {contact}', { contact }),
        needs,
        onClick: () => deleteContact(row),
      },
    ]
  }),
]

const nameContact = ({ name, phone }: Contact) => name || formatPhone(phone)

const deleteContact = (contact: Contact) =>
  deleteRecord(
    contact,
    {
      title: t('Delete the contact?'),
      text: contact.opted_out
        ? t('{contact} goes; the messages stay, and the number stays opted out.', {
            contact: nameContact(contact),
          })
        : t('{contact} goes; the messages stay.', { contact: nameContact(contact) }),
      action: t('Delete'),
    },
    t('Contact deleted'),
  )
