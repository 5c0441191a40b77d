import { useState } from 'preact/hooks'
import { findField, readFields } from '../../data/contact-fields.ts'
import type { Contact, ContactField } from '../../data/record-types.ts'
import { dropRepeatedNames } from '../../data/text/variables.ts'
import { useContactFields } from '../../data/use/use-contact-fields.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/form.tsx'
import { makeActionsColumn } from '../../parts/list/actions-column.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Card, Page as Frame } from '../../parts/page.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { makePageHref } from '../../router.ts'
import { askToDelete } from './delete-field.tsx'
import { ValuesDialog } from './values-dialog.tsx'

const TYPES = {
  text: t('Text'),
  number: t('Number (12.5)'),
  date: t('Date'),
  choice: t('Choice'),
} as const satisfies Record<ContactField['type'], string>

/** The subject of the dialog: a field, or a new one with this name. */
type Edited = ContactField | { readonly name: string }

/** The fields that contacts of the account have, with their types. */
export function Page() {
  const fields = useContactFields()
  const [edited, setEdited] = useState<Edited>()
  const [checked, setChecked] = useState<{ field: ContactField; isQuiet: boolean }>()
  const add = (
    <Button
      kind="primary"
      icon="plus"
      aria-keyshortcuts="N"
      onClick={() => setEdited({ name: '' })}
    >
      {t('New field')}
    </Button>
  )
  return (
    <Frame
      title={t('Fields of contacts')}
      back={{ href: makePageHref('/contacts'), words: t('Contacts') }}
      text={t(
        'What you store about contacts beside name and number. The server checks the values.',
      )}
      actions={fields.total > 0 && add}
    >
      <Records
        list={fields}
        caption={t('Fields of contacts')}
        isFollowed
        columns={makeColumns(setEdited, (field) => setChecked({ field, isQuiet: false }))}
        onOpen={setEdited}
        empty={
          <Empty icon="contacts" title={t('No fields yet')} action={add}>
            {t('A field is a text, a number, a date or a choice, such as a customer number.')}
          </Empty>
        }
      />
      {!fields.loading && (
        <Untyped fields={fields.items} onDefine={(name) => setEdited({ name })} />
      )}
      {edited && (
        <FieldDialog
          edited={edited}
          onClose={() => setEdited(undefined)}
          onSaved={(field) => {
            setEdited(undefined)
            if (field.type !== 'text') setChecked({ field, isQuiet: true })
          }}
        />
      )}
      {checked && <ValuesDialog {...checked} onClose={() => setChecked(undefined)} />}
    </Frame>
  )
}

const makeColumns = (
  edit: (field: ContactField) => void,
  check: (field: ContactField) => void,
): readonly Column<ContactField>[] => [
  { title: t('Name'), cell: ({ name }) => name },
  {
    title: t('Type'),
    cell: ({ type, choices }) =>
      type === 'choice'
        ? t('{name}: {text}', { name: TYPES.choice, text: (choices ?? []).join(', ') })
        : TYPES[type],
    long: true,
  },
  { title: t('In templates'), cell: ({ name }) => <code class="breaks">{`{{${name}}}`}</code> },
  makeActionsColumn(
    (field) => [
      ...(field.type === 'text'
        ? []
        : [
            {
              icon: 'check' as const,
              words: t('Check the values of {name}', field),
              onClick: () => check(field),
            },
          ]),
      { icon: 'edit', words: t('Change {name}', field), onClick: () => edit(field) },
      {
        icon: 'trash',
        words: t('Delete {name}', field),
        onClick: () => void askToDelete(field),
      },
    ],
    'admin',
  ),
]

function FieldDialog({
  edited,
  onClose,
  onSaved,
}: {
  edited: Edited
  onClose: () => void
  onSaved: (field: ContactField) => void
}) {
  const field = 'id' in edited ? edited : undefined
  return (
    <Dialog title={field ? t('Change the field') : t('New field')} onClose={onClose}>
      <RecordForm
        collection="contact_fields"
        record={field}
        draftKey={`contact_fields.${field?.id ?? `new.${edited.name}`}`}
        blank={{ name: edited.name, type: 'text' }}
        rows={[
          {
            name: 'name',
            label: t('Name'),
            autofocus: true,
            hint: field
              ? t('Values stay. Templates and imports find the field by {names}, too.', {
                  names: [field.key, ...(field.former ?? [])].join(', '),
                })
              : undefined,
          },
          {
            name: 'type',
            label: t('Type'),
            choices: Object.entries(TYPES),
            hint: ({ type, choices }) =>
              [
                type !== 'choice' && choices
                  ? t('If you save now, the values to choose from are lost.')
                  : field && t('Values that do not fit stay until somebody changes them.'),
                (type === 'number' || type === 'date') &&
                  t('Texts show the value as usual in your language and country.'),
              ]
                .filter(Boolean)
                .join(' '),
          },
          {
            name: 'choices',
            label: t('Values to choose from'),
            kind: 'area',
            rows: 4,
            hint: t('One on each line.'),
            shown: ({ type }) => type === 'choice',
            read: (stored) => ((stored as readonly string[] | null) ?? []).join('\n'),
            write: (typed, { type }) =>
              type === 'choice'
                ? String(typed)
                    .split('\n')
                    .filter((line) => line.trim())
                : null,
            error: (typed) => (String(typed).trim() ? undefined : t('Fill this in.')),
          },
        ]}
        saved={field ? t('Field changed') : t('Field created')}
        onSaved={(saved) => onSaved(saved as ContactField)}
        onClose={onClose}
      />
    </Dialog>
  )
}

/** Names are read from this many contacts, the most recently changed ones. */
const SAMPLE = 200

/** Names of values that contacts have, by an import or a program, without a defined field. */
function Untyped({
  fields,
  onDefine,
}: {
  fields: readonly ContactField[]
  onDefine: (name: string) => void
}) {
  const options = { fields: 'id,data', sort: '-updated', perPage: SAMPLE, live: false }
  const { items } = useList<Contact>('contacts', options)
  const found = items.flatMap((contact) => readFields(contact).map(([name]) => name))
  const names = dropRepeatedNames(found).filter((name) => !findField(fields, name))
  if (names.length === 0) return null
  return (
    <Card title={t('Values without a field')}>
      <p>{t('These values come from imports and programs. A field gives them a type.')}</p>
      <div class="row">
        {names.map((name) => (
          <Button key={name} icon="plus" onClick={() => onDefine(name)}>
            {name}
          </Button>
        ))}
      </div>
    </Card>
  )
}
