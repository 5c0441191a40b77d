import { useEffect, useMemo, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { saveFile } from '../../data/files/save-file.ts'
import { applyChanges } from '../../data/optimistic.ts'
import type { Contact } from '../../data/record-types.ts'
import { isPhone } from '../../data/use/media-queries.ts'
import { useContactFields } from '../../data/use/use-contact-fields.ts'
import { useGroups, useLabels, useList } from '../../data/use/use-list.ts'
import { useTask } from '../../data/use/use-task.ts'
import { locale } from '../../language/language.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button, ButtonLink, FaultNotice } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { ContactForm } from '../../parts/rows/contact-form.tsx'
import { goToPage, makePageHref, type PageProps } from '../../router.ts'
import { AddMembers } from './add-members.tsx'
import { BY_NAME, MOST_SORTED, makeContactColumns } from './columns.tsx'
import { writeContactsCsv } from './contacts-csv.ts'
import { listFieldColumns } from './field-columns.tsx'
import { ImportContacts } from './import-contacts.tsx'
import { useLastTexts } from './last-texts.ts'
import {
  type Asked,
  ChooseShown,
  findCondition,
  ListHead,
  makeContactsFilter,
} from './list-head.tsx'
import { SelectionBar } from './selection-bar.tsx'
import './page.css'

export function Page({ query }: PageProps) {
  const asked: Asked = {
    group: query.get('group') ?? '',
    sort: query.get('sort') ?? BY_NAME,
    field: query.get('field') ?? '',
    sign: query.get('sign') ?? '',
    value: query.get('value') ?? '',
  }
  const { sort } = asked
  const [text, setText] = useState('')
  const [edited, setEdited] = useState<Contact | 'new'>()
  const [isImporting, setImporting] = useState(false)
  const [isAdding, setAdding] = useState(false)
  const [picked, setPicked] = useState<readonly Contact[]>([])
  const groups = useGroups()
  const labels = useLabels().items
  const fields = useContactFields()
  const shownFields = listFieldColumns(fields.items)
  const condition = findCondition(asked, fields.items)
  const filter = makeContactsFilter(text.trim(), asked.group, condition)
  const group = groups.items.find(({ id }) => id === asked.group)
  const contacts = useList<Contact>('contacts', {
    filter,
    sort,
    byLanguage: sort !== '-created',
    perPage: 500,
    // a condition needs the fields
    ready: asked.field === '' || !fields.loading,
  })
  /** All contacts that the page finds, in the order of the list. */
  const readAll = () =>
    pb
      .collection('contacts')
      .getFullList<Contact>({ filter, batch: 500, sort, sortLanguage: locale })
  const save = useTask(async () =>
    saveFile('contacts.csv', writeContactsCsv(await readAll(), groups.findName, fields.items)),
  )
  const findLast = useLastTexts(contacts.items)
  const isShort = contacts.total <= MOST_SORTED
  useEffect(() => setPicked([]), [filter])
  const pick = (contact: Contact, isPicked: boolean) =>
    setPicked((old) => (isPicked ? [...old, contact] : old.filter(({ id }) => id !== contact.id)))
  const show = (change: Partial<Asked>) => {
    const shown = { ...asked, ...change }
    goToPage('/contacts', { ...shown, sort: shown.sort === BY_NAME ? '' : shown.sort }, true)
  }
  const hasAny = !(filter === '' && contacts.total === 0)
  // on a phone the buttons are beside the title
  const isBrief = isPhone.value && hasAny
  const add = (
    <Button
      kind="primary"
      icon="plus"
      needs="agent"
      iconOnly={isBrief && !group}
      aria-keyshortcuts="N"
      onClick={() => (group ? setAdding(true) : setEdited('new'))}
    >
      {group ? t('Add members') : t('Add a contact')}
    </Button>
  )
  const buttons = (
    <>
      <FaultNotice fault={save.fault} />
      {!group && (
        <Button icon="upload" needs="agent" iconOnly={isBrief} onClick={() => setImporting(true)}>
          {t('Import')}
        </Button>
      )}
      {!group && hasAny && (
        <Button icon="download" iconOnly={isBrief} task={save}>
          {t('Export')}
        </Button>
      )}
      {add}
    </>
  )
  const close = () => setEdited(undefined)
  const columns = useMemo(
    () =>
      makeContactColumns({
        groups,
        labels,
        fields: shownFields,
        picked,
        pick,
        edit: setEdited,
        findLast,
        isShort,
      }),
    [groups.items, labels, picked, isShort, fields.items, shownFields.map(({ id }) => id).join()],
  )
  const isAll = filter === ''
  return (
    <Frame
      title={group ? t('Members of {group}', { group: group.name }) : t('Contacts')}
      back={group && { href: makePageHref(`/groups/${group.id}`), words: t('Group') }}
      actions={hasAny && buttons}
    >
      {hasAny && (
        <ListHead
          all={
            <ChooseShown
              shown={contacts.items}
              picked={picked}
              total={contacts.total}
              onPick={setPicked}
            />
          }
          text={text}
          onText={setText}
          asked={asked}
          condition={condition}
          onAsk={show}
          groups={groups.items}
          labels={labels}
          fields={fields.items}
          columns={isShort ? shownFields : []}
          more={
            <>
              {!isShort && (
                <p class="note">
                  {t(
                    'A list of more than {count} contacts cannot be sorted by groups and fields.',
                    { count: MOST_SORTED },
                  )}
                </p>
              )}
              <ButtonLink icon="edit" needs="admin" href={makePageHref('/contacts/fields')}>
                {t('Fields')}
              </ButtonLink>
            </>
          }
        />
      )}
      {picked.length > 0 && (
        <SelectionBar
          chosen={picked.map((one) =>
            applyChanges(contacts.items.find(({ id }) => id === one.id) ?? one),
          )}
          found={contacts.total}
          readAll={readAll}
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
