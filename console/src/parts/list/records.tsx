import type { ComponentChildren } from 'preact'
import type { List } from '../../data/use/use-list.ts'
import { Notice } from '../form/form.tsx'
import { Loading } from '../wait.tsx'
import { Pager } from './pager.tsx'
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
