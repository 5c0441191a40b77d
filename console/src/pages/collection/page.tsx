import type { CollectionModel, RecordModel } from 'pocketbase'
import { useMemo, useState } from 'preact/hooks'
import {
  type Collections,
  findExpandFault,
  findPathFault,
  isViewField,
  useCollections,
} from '../../data/schema.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useList } from '../../data/use/use-list.ts'
import { t, tn } from '../../language/words.ts'
import { checkFilter, findFault, QueryField } from '../../parts/filter/query-field.tsx'
import { Segments } from '../../parts/form/choices.tsx'
import { Button } from '../../parts/form/form.tsx'
import { More } from '../../parts/form/more.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import { Page as Frame, Reading } from '../../parts/page.tsx'
import { goToPage, makePageHref, type PageProps } from '../../router.ts'
import { completeFilter, completePath } from './complete.ts'
import { ColumnsMenu, chosenColumns, makeRecordColumns } from './record-columns.tsx'
import { NEW, RecordDialog } from './record-dialog.tsx'
import { RequestCode } from './requests.tsx'
import { Schema } from './schema.tsx'
import './page.css'

const VIEWS = [
  ['', t('Records')],
  ['schema', t('Fields and rules')],
] as const

/** A collection: its records, and its fields, rules and indexes. */
export function Page({ params: { name = '' }, query }: PageProps) {
  const { value, fault } = useCollections()
  const collection = value?.items.find((one) => one.name === name)
  const view = query.get('view') ?? ''
  const path = `/collections/${name}`
  return (
    <Frame
      title={name}
      back={{ href: makePageHref('/collections'), words: t('Collections') }}
      actions={
        collection &&
        !isViewField(collection) && (
          <Button
            kind="primary"
            icon="plus"
            aria-keyshortcuts="N"
            onClick={() => goToPage(path, { ...readAskedQuery(query), record: NEW })}
          >
            {t('New record')}
          </Button>
        )
      }
    >
      <Reading value={value} fault={fault} />
      {value && !collection && (
        <Empty icon="collections" title={t('No collection has this name')}>
          {t('It was renamed or deleted.')}
        </Empty>
      )}
      {collection && (
        <Segments
          legend={t('Show')}
          choices={VIEWS}
          chosen={view}
          onChoose={(next) => goToPage(path, { view: next }, true)}
        />
      )}
      {collection && view === '' && (
        <Found key={name} collection={collection} query={query} all={value!.items} />
      )}
      {collection && view !== '' && <Schema collection={collection} all={value!.items} />}
    </Frame>
  )
}

const readAskedQuery = (query: URLSearchParams) => {
  const get = (name: string) => query.get(name) ?? ''
  return { filter: get('filter'), sort: get('sort'), expand: get('expand') }
}

const listNames = (list: string) =>
  list
    .split(',')
    .map((one) => one.trim().replace(/^[-+]/, ''))
    .filter(Boolean)

function Found({
  collection,
  query,
  all,
}: {
  collection: CollectionModel
  query: URLSearchParams
  all: Collections
}) {
  const { name } = collection
  const path = `/collections/${name}`
  const { filter, sort, expand } = readAskedQuery(query)
  const ask = (change: Partial<ReturnType<typeof readAskedQuery>>) =>
    goToPage(path, { ...readAskedQuery(query), ...change })
  const newestFirst = collection.type === 'view' ? '' : '-@rowid'
  const list = useList<RecordModel>(name, {
    filter,
    sort: sort || newestFirst,
    expand,
    live: false,
    isCounted: false,
  })
  const faultOfName = (field: string) => findPathFault(all, collection, field)
  const faultOfRelation = (field: string) => findExpandFault(all, collection, field)
  const columns = useMemo(
    () => makeRecordColumns(all, collection),
    [all, collection, chosenColumns.value],
  )
  const record = query.get('record')
  const [reads, setReads] = useState(0)
  const reload = () => {
    setReads(reads + 1)
    void list.reload()
  }
  const close = () => goToPage(path, readAskedQuery(query))
  return (
    <>
      <search class="stack">
        <QueryField
          label={t('Filter')}
          icon="filter"
          placeholder={`created >= "${new Date().getFullYear()}-01-01" && id != ""`}
          applied={filter}
          onApply={(filter) => ask({ filter })}
          refusal={list.fault?.message}
          find={(before) => completeFilter(all, collection, before)}
          check={(filter) => checkFilter(filter, faultOfName)}
        />
        <div class="pairs">
          <QueryField
            label={t('Sort')}
            placeholder={`-${collection.fields.at(-1)?.name}`}
            applied={sort}
            onApply={(sort) => ask({ sort })}
            find={(before) => completePath(all, collection, before)}
            check={(sort) => findFault(sort, listNames(sort), faultOfName)}
          />
          <QueryField
            label={t('Expand')}
            placeholder={collection.fields.find(({ type }) => type === 'relation')?.name ?? ''}
            applied={expand}
            onApply={(expand) => ask({ expand })}
            find={(before) => completePath(all, collection, before, true)}
            check={(expand) => findFault(expand, listNames(expand), faultOfRelation)}
          />
        </div>
      </search>
      <div class="row collection-tools">
        <ColumnsMenu collection={collection} />
        <Button icon="again" onClick={reload}>
          {t('Refresh')}
        </Button>
        {!list.fault && !list.loading && <Count key={reads} name={name} filter={filter} />}
      </div>
      <Records
        list={list}
        caption={name}
        columns={columns}
        sort={sort}
        onSort={(sort) => ask({ sort })}
        href={({ id }) => makePageHref(path, { ...readAskedQuery(query), record: id })}
        empty={
          <Empty icon="collections" title={t('No records')}>
            {filter ? t('No record matches the filter.') : t('The collection is empty.')}
          </Empty>
        }
      />
      <More summary={t('The request as code')} isWrong={false}>
        <RequestCode request={{ collection: name, query: { filter, sort, expand } }} />
      </More>
      {record && (
        <RecordDialog
          key={record}
          collection={collection}
          expand={expand}
          id={record}
          onClose={close}
          onChanged={reload}
        />
      )}
    </>
  )
}

/** How many records the filter finds. Counted after they are shown, because a count of many takes long. */
function Count({ name, filter }: { name: string; filter: string }) {
  const query = new URLSearchParams({ filter, perPage: '1', fields: 'id' })
  const { value } = useAnswer<{ totalItems: number }>(`/api/collections/${name}/records?${query}`)
  return <span role="status">{value && tn('One record', '{count} records', value.totalItems)}</span>
}
