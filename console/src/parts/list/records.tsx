import type { ComponentChildren } from 'preact'
import type { List } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { Button } from '../form/button.tsx'
import { Notice } from '../form/form.tsx'
import { Loading } from '../wait.tsx'
import { type Column, Table } from './table.tsx'

/**
 * A list of `useList` as a table with its pager; what to do first (`empty`) when there is nothing; its fault
 * when it cannot be read.
 */
export function Records<T extends { id: string }>({
  list,
  caption,
  columns,
  href,
  empty,
}: {
  list: List<T>
  caption: string
  columns: readonly Column<T>[]
  href?: (row: T) => string
  empty: ComponentChildren
}) {
  if (list.loading) return <Loading />
  return (
    <>
      {list.fault && <Notice kind="wrong">{list.fault.message}</Notice>}
      {list.items.length > 0 && <Table caption={caption} columns={columns} rows={list.items} href={href} />}
      {list.items.length === 0 && !list.fault && empty}
      <Pager {...list} />
    </>
  )
}

/** The pager of a list: page, number of pages, back and forth. Hidden for a single page. */
export function Pager(list: {
  page: number
  pages: number
  /** Undefined until it is counted; `pages` then goes no further than the next. */
  total: number | undefined
  goTo: (page: number) => void
}) {
  const { page, pages, total, goTo } = list
  if (pages <= 1 && page === 1) return null
  return (
    <nav class="pager" aria-label={t('Pages')}>
      <span>
        {total === undefined
          ? t('Page {page}', { page })
          : t('Page {page} of {pages} · {total} in all', { page, pages, total })}
      </span>
      <Button icon="left" disabled={page <= 1} onClick={() => goTo(page - 1)}>
        {t('Previous')}
      </Button>
      <Button icon="right" disabled={page >= pages} onClick={() => goTo(page + 1)}>
        {t('Next')}
      </Button>
    </nav>
  )
}
