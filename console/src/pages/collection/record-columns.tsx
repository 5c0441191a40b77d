import type { CollectionField, CollectionModel, RecordModel } from 'pocketbase'
import type { ComponentChildren } from 'preact'
import { cutBetweenGraphemes } from '#portable/cut-text.ts'
import { rememberForPerson } from '../../data/remember-for-person.ts'
import type { Collections } from '../../data/schema.ts'
import { t } from '../../language/words.ts'
import { CheckList } from '../../parts/form/choices.tsx'
import { Menu } from '../../parts/list/menu.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Time } from '../../parts/time.tsx'
import { makePageHref } from '../../router.ts'

const FIRST = 6
/** More columns than these are left out where there is no room, unless a person chose the columns. */
const ALWAYS = 4
const CUT = 80
/** Types that a table shows only if a person chooses their columns. */
const LARGE: ReadonlySet<string> = new Set(['json', 'editor', 'password', 'file'])

/** The columns that a person chose, by collection. */
export const chosenColumns = rememberForPerson<Readonly<Record<string, readonly string[]>>>(
  'collection-columns',
  {},
)

const listNameFields = ({ name, fields }: CollectionModel): readonly string[] => {
  const plain = fields
    .filter(({ type, hidden }) => !hidden && !LARGE.has(type))
    .map((field) => field.name)
  return (
    chosenColumns.value[name] ?? [
      ...plain.slice(0, FIRST),
      ...plain.slice(FIRST).filter((one) => one === 'created'),
    ]
  )
}

export const ColumnsMenu = ({ collection }: { collection: CollectionModel }) => (
  <Menu words={t('Columns')} icon="more">
    {() => (
      <CheckList
        legend={t('Columns')}
        name="column"
        choices={collection.fields
          .filter(({ name }) => name !== 'id')
          .map(({ name }) => [name, name] as const)}
        chosen={listNameFields(collection)}
        onChosen={(names) => {
          chosenColumns.value = { ...chosenColumns.value, [collection.name]: names }
        }}
      />
    )}
  </Menu>
)

/** The id, whose cell opens the record, and the chosen fields. */
export const makeRecordColumns = (
  all: Collections,
  collection: CollectionModel,
): readonly Column<RecordModel>[] =>
  collection.fields
    .filter(({ name }) => name === 'id' || listNameFields(collection).includes(name))
    .map((field, at) => {
      const target = all.find(({ id }) => id === field.collectionId)?.name
      return {
        title: field.name,
        sort: field.name,
        minor: at >= ALWAYS && !(collection.name in chosenColumns.value),
        ...(field.type === 'number' && { align: 'end' as const }),
        cell: (record) => renderValue(field, record, target),
      }
    })

function renderValue(
  { name, type }: CollectionField,
  record: RecordModel,
  target: string | undefined,
): ComponentChildren {
  const value: unknown = record[name]
  if (type === 'date' || type === 'autodate') return <Time at={String(value)} />
  const values = [value].flat().filter((one) => one !== '' && one !== null && one !== undefined)
  if (values.length === 0) return <span class="muted">–</span>
  if (target)
    return values
      .slice(0, FIRST)
      .map((id) => <Related key={id} id={String(id)} name={name} record={record} target={target} />)
  const text = values
    .map((one) => (typeof one === 'object' ? JSON.stringify(one) : String(one)))
    .join(', ')
  return (
    <span class={type === 'json' ? 'mono' : ''}>
      {text.length > CUT ? `${cutBetweenGraphemes(text, CUT)}…` : text}
    </span>
  )
}

/** A link to a related record: by its id or, if it is expanded, by what names it. */
function Related({
  id,
  name,
  record,
  target,
}: {
  id: string
  name: string
  record: RecordModel
  target: string
}) {
  const found = [record.expand?.[name]].flat().find((one) => one?.id === id)
  return (
    <>
      <a href={makePageHref(`/collections/${target}`, { record: id })}>
        {found?.name || found?.email || id}
      </a>{' '}
    </>
  )
}
