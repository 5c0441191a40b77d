import type { CollectionField, CollectionModel, RecordModel } from 'pocketbase'
import { useState } from 'preact/hooks'
import type { Choices } from '../../data/choices.ts'
import { pb } from '../../data/client.ts'
import { isObject } from '../../data/is-object.ts'
import { isMultiRelation, isViewField } from '../../data/schema.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { t } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Dialog, deleteRecord } from '../../parts/dialog/dialog.tsx'
import { Segments } from '../../parts/form/choices.tsx'
import { Button, FaultNotice } from '../../parts/form/form.tsx'
import { Loading } from '../../parts/page.tsx'
import type { FieldRow } from '../../parts/rows/form-row.ts'
import { JSON_ROW } from '../../parts/rows/json-row.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import type { Value } from '../../parts/rows/values.ts'
import { RequestCode } from './requests.tsx'

interface Props {
  readonly collection: CollectionModel
  readonly expand: string
  readonly onClose: () => void
  readonly onChanged: () => void
}

export const NEW = 'new'

/** A record as a form, as JSON and as a request. `id`: that of the record, or NEW. */
export const RecordDialog = ({ id, ...props }: Props & { id: string }) => (
  <Dialog title={id === NEW ? t('New record') : id} onClose={props.onClose} wide>
    {id === NEW ? <Editor {...props} /> : <Stored id={id} {...props} />}
  </Dialog>
)

function Stored({ id, ...props }: Props & { id: string }) {
  const { collection, expand } = props
  const path = `/api/collections/${collection.name}/records/${encodeURIComponent(id)}`
  const { value, fault } = useAnswer<RecordModel>(`${path}?${new URLSearchParams({ expand })}`)
  if (fault) return <FaultNotice fault={fault} />
  return value ? <Editor record={value} {...props} /> : <Loading />
}

type Tab = 'form' | 'json' | 'request'

function Editor({
  collection,
  record,
  expand,
  onClose,
  onChanged,
}: Props & { record?: RecordModel }) {
  const isRead = isViewField(collection)
  const [tab, setTab] = useState<Tab>(isRead ? 'json' : 'form')
  const tabs: Choices<Tab> = [
    ['form', t('Form')],
    ['json', t('JSON')],
    ['request', t('Request')],
  ]
  const json = record ? JSON.stringify(record, null, 2) : '{}'
  const save = async (fields: Readonly<Record<string, unknown>>) => {
    const records = pb.collection(collection.name)
    await (record ? records.update(record.id, fields) : records.create(fields))
    onChanged()
    return t('Record saved')
  }
  const form = {
    draftKey: `collection.${tab}.${collection.id}.${record?.id ?? NEW}`,
    onDone: onClose,
    onCancel: onClose,
    children: record && (
      <Button
        kind="quiet"
        icon="trash"
        onClick={() => void deleteShownRecord(record, onChanged, onClose)}
      >
        {t('Delete…')}
      </Button>
    ),
  }
  return (
    <div class="stack">
      <Segments
        legend={t('Show')}
        choices={tabs.filter(([name]) => (name === 'form' ? !isRead : name === 'json' || record))}
        chosen={tab}
        onChoose={setTab}
      />
      {tab === 'form' && (
        <RowsForm
          {...form}
          key="form"
          rows={recordRows(collection, !record)}
          stored={record ?? {}}
          save={(changes, all) => save(confirmPassword(record ? changes : dropEmptyFields(all)))}
        />
      )}
      {tab === 'form' && collection.fields.some(({ type }) => type === 'file') && (
        <p class="note">
          {t('Files are uploaded by the API. Without its name in the JSON, a file is deleted.')}
        </p>
      )}
      {tab === 'json' && isRead && <CodeBlock code={json} />}
      {tab === 'json' && !isRead && (
        <RowsForm
          {...form}
          key="json"
          rows={[
            { name: 'json', label: t('JSON'), rows: 16, spellcheck: false, error: findJsonFault },
          ]}
          stored={{ json }}
          save={(_, { json }) => save(pickChangedFields(record, JSON.parse(String(json))))}
        />
      )}
      {tab === 'request' && record && (
        <RequestCode request={{ collection: collection.name, id: record.id, query: { expand } }} />
      )}
    </div>
  )
}

const deleteShownRecord = (record: RecordModel, onChanged: () => void, onClose: () => void) =>
  deleteRecord(
    record,
    {
      title: t('Delete the record?'),
      text: t(
        'Records that require this record are deleted, too. Deleted records cannot be restored.',
      ),
    },
    t('Record deleted'),
    () => {
      onChanged()
      onClose()
    },
  )

function findJsonFault(typed: Value): string | undefined {
  try {
    return isObject(JSON.parse(String(typed))) ? undefined : t('Write an object: { … }.')
  } catch (error) {
    return t('This is no JSON: {why}', { why: error instanceof Error ? error.message : '' })
  }
}

type Fields = Readonly<Record<string, unknown>>

const filterFields = (fields: Fields, isKept: (name: string, value: unknown) => boolean): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => isKept(name, value)))

/** The server makes ids and other defaults of fields that are not sent. */
const dropEmptyFields = (fields: Fields) =>
  filterFields(fields, (_, value) => value !== '' && value !== null)

const pickChangedFields = (record: RecordModel | undefined, fields: Fields) =>
  filterFields(fields, (name, value) => JSON.stringify(value) !== JSON.stringify(record?.[name]))

const confirmPassword = (fields: Fields): Fields =>
  'password' in fields ? { ...fields, passwordConfirm: fields.password } : fields

const LONG = 255

/** The fields that a person edits: not those that the server writes, nor files. */
const isFieldEdited = ({ type, name, system, hidden }: CollectionField, isNew: boolean) =>
  name === 'id'
    ? isNew
    : !['autodate', 'file'].includes(type) && (!system || !hidden || type === 'password')

/** The rows of a form for a collection's records. */
const recordRows = ({ fields }: CollectionModel, isNew: boolean): readonly FieldRow[] =>
  fields.filter((field) => isFieldEdited(field, isNew)).map(makeRow)

function makeRow(field: CollectionField): FieldRow {
  const { name, type, max } = field
  const row = { name, label: name, spellcheck: false, autocomplete: 'off' }
  if (type === 'number' || type === 'email' || type === 'url') return { ...row, kind: type }
  if (type === 'bool') return { ...row, kind: 'check' }
  if (type === 'password') return { ...row, kind: 'password', autocomplete: 'new-password' }
  if (type === 'date') return { ...row, placeholder: '2026-11-27' }
  if (type === 'json' || type === 'geoPoint') return { ...row, rows: 3, ...JSON_ROW }
  if (type === 'select') {
    const choices = (field.values as string[]).map((value) => [value, value] as const)
    return isMultiRelation(field)
      ? { ...row, kind: 'checks', choices }
      : { ...row, kind: 'select', choices: [['', '–'], ...choices] }
  }
  if (isMultiRelation(field)) return { ...row, kind: 'list' }
  return type === 'editor' || max > LONG ? { ...row, rows: 3 } : row
}
