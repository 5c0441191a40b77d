import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { List } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { Button, FaultNotice } from '../form/form.tsx'
import { Loading } from '../page.tsx'
import { type Column, Table } from './table.tsx'
import { useDrawn } from './use-drawn.ts'

/** A section of a page with a title and a table, or with the text `none` if the table has no rows. */
export const TableSection = <T extends { id: string }>({
  title,
  none,
  actions,
  ...table
}: Omit<Parameters<typeof Table<T>>[0], 'caption'> & {
  title: string
  none: string
  actions?: ComponentChildren
}) => (
  <section class="stack">
    <div class="page-head">
      <h2>{title}</h2>
      {actions}
    </div>
    {table.rows.length > 0 ? <Table caption={title} {...table} /> : <p class="muted">{none}</p>}
  </section>
)

/**
 * Shows a list of `useList` as a table that grows, `empty` if it has no items, or the error of the read.
 */
export function Records<T extends { id: string }>({
  list: whole,
  caption,
  columns,
  href,
  onOpen,
  empty,
  isFollowed = false,
  ...order
}: {
  list: List<T>
  caption: string
  columns: readonly Column<T>[]
  href?: (row: T) => string
  onOpen?: (row: T) => void
  empty: ComponentChildren
  /** Whether the page goes on below: the list then grows by a button, so that scrolling reaches the rest. */
  isFollowed?: boolean
  sort?: string
  onSort?: (sort: string) => void
}) {
  const list = useDrawn(whole)
  if (list.loading) return <Loading />
  return (
    <>
      <FaultNotice fault={list.fault} />
      {list.items.length > 0 && (
        <Table
          caption={caption}
          columns={columns}
          href={href}
          onOpen={onOpen}
          {...order}
          rows={list.items}
        />
      )}
      {list.items.length === 0 && !list.fault && empty}
      <Pager {...list} total={list.isCounted ? list.total : undefined} growsByButton={isFollowed} />
    </>
  )
}

/** An element that lets a list grow when it is scrolled to. */
function MoreRows({ grow }: { grow: () => void }) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const observer = new IntersectionObserver(([place]) => place?.isIntersecting && grow())
    observer.observe(element.current!)
    return () => observer.disconnect()
  })
  return (
    <div ref={element}>
      <Loading />
    </div>
  )
}

/** Below a list: what lets it grow, or its pages, back and forth. Nothing if all of it is shown. */
export function Pager(list: {
  page: number
  pages: number
  /** The number of items on all pages; undefined if they are not counted. */
  total: number | undefined
  goTo: (page: number) => void
  grow?: () => void
  growsByButton?: boolean
}) {
  const { page, pages, total, goTo, grow } = list
  if (grow && list.growsByButton)
    return (
      <div class="row">
        <Button onClick={grow}>{t('Show more')}</Button>
      </div>
    )
  if (grow) return <MoreRows grow={grow} />
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
        {t('Next#page')}
      </Button>
    </nav>
  )
}
