import type { CollectionModel } from 'pocketbase'
import { useState } from 'preact/hooks'
import { useCollections } from '../../data/schema.ts'
import { t } from '../../language/words.ts'
import { Empty } from '../../parts/list/empty.tsx'
import { SearchField } from '../../parts/list/search-field.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Page as Frame, Reading } from '../../parts/page.tsx'
import { makePageHref } from '../../router.ts'

const TYPES: Readonly<Record<string, string>> = {
  base: t('Records'),
  auth: t('Records that sign in'),
  view: t('Query of other records'),
}

const COLUMNS: readonly Column<CollectionModel>[] = [
  { title: t('Name'), cell: ({ name }) => <span class="mono">{name}</span> },
  {
    title: t('Type'),
    cell: ({ type, system }) =>
      system ? t('{type}, of the system', { type: TYPES[type]! }) : TYPES[type],
  },
  { title: t('Fields'), align: 'end', cell: ({ fields }) => fields.length },
  { title: t('Indexes'), align: 'end', cell: ({ indexes }) => indexes.length },
]

/** All collections, for superusers. */
export function Page() {
  const [words, setWords] = useState('')
  const { value, fault } = useCollections()
  const found = value?.items.filter(({ name }) => name.includes(words.trim().toLowerCase()))
  return (
    <Frame
      title={t('Collections')}
      text={t('All records of the server, as PocketBase’s API shows them, with fields and rules.')}
    >
      <SearchField label={t('Name')} value={words} onValue={setWords} />
      <Reading value={value} fault={fault} />
      {found?.length === 0 && (
        <Empty icon="collections" title={t('Nothing found')}>
          {t('No collection has a name with these letters.')}
        </Empty>
      )}
      {found && found.length > 0 && (
        <Table
          caption={t('Collections')}
          columns={COLUMNS}
          rows={found}
          href={({ name }) => makePageHref(`/collections/${name}`)}
        />
      )}
    </Frame>
  )
}
