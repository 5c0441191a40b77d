import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { TeamRole } from '../../data/session.ts'
import type { List } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { Button, ButtonLink, Notice } from '../form/form.tsx'
import { Icon, type IconName } from '../icon.tsx'
import { Loading, Page } from '../page.tsx'
import { moveFocus } from './arrows.ts'
import { Empty } from './empty.tsx'

export interface Column<T> {
  readonly title: string
  /** The attribute `data-column` of the cells, for CSS. */
  readonly name?: string
  /** The field to sort by when the user clicks on the title. Only used in tables with `onSort`. */
  readonly sort?: string
  readonly cell: (row: T) => ComponentChildren
  /** `end` for numbers and buttons. */
  readonly align?: 'end'
  /** Only screen readers get the title, for example of a column of buttons. */
  readonly bare?: boolean
  /** Long text: cut with an ellipsis where there is no room. */
  readonly long?: boolean
  /** True for a row whose cell is hidden on phones, for example because it is empty. */
  readonly spare?: (row: T) => boolean
}

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
 * A table. On a phone each row is a card: the first cell is its head, the other cells are lines with titles.
 * `href` makes the first cell a link. `caption` names the table for screen readers.
 */
export function Table<T extends { id: string }>({
  caption,
  columns,
  rows,
  href,
  busy,
  sort,
  onSort,
}: {
  caption: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  href?: (row: T) => string
  busy?: boolean
  sort?: string
  onSort?: (sort: string) => void
}) {
  return (
    <div class="table-frame" aria-busy={busy}>
      <table role="table">
        <caption class="unseen">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <Title key={column.title} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" onKeyDown={moveFocus}>
          {rows.map((row) => (
            <tr key={row.id} role="row" class={href && 'linked'} onClick={href && openRow}>
              {columns.map(({ title, name, cell, align, bare, long, spare }, at) => (
                <td
                  key={title}
                  role="cell"
                  data-column={name}
                  data-title={bare || at === 0 ? undefined : title}
                  class={`${align ?? ''} ${long ? 'long' : ''} ${at === 0 ? 'first' : ''} ${spare?.(row) ? 'spare' : ''}`}
                >
                  {at === 0 && href ? <a href={href(row)}>{cell(row)}</a> : cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A click anywhere in a row presses the link in its first cell, unless it selects text. */
function openRow(event: MouseEvent): void {
  const isOwn = (event.target as Element).closest('a, button, input, label, select')
  if (isOwn || getSelection()?.isCollapsed === false) return
  const link = (event.currentTarget as Element).querySelector('a')
  if (event.ctrlKey || event.metaKey) open(link?.href)
  else link?.click()
}

/** A column's title. A click sorts by it: first descending if `align` is `end`, otherwise ascending. */
function Title<T>({
  column: { title, name, align, bare, sort: field },
  sort,
  onSort,
}: {
  column: Column<T>
  sort: string | undefined
  onSort: ((sort: string) => void) | undefined
}) {
  const order = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : 'none'
  const [first, other] = align === 'end' ? [`-${field}`, field] : [field, `-${field}`]
  const isSorted = field && onSort
  return (
    <th
      role="columnheader"
      scope="col"
      class={align}
      data-column={name}
      aria-sort={isSorted ? order : undefined}
    >
      {isSorted ? (
        <button type="button" class="table-sort" onClick={() => onSort(sort === first ? other! : first!)}>
          {title}
          <Icon name="down" size={14} />
        </button>
      ) : (
        <span class={bare ? 'unseen' : ''}>{title}</span>
      )}
    </th>
  )
}

interface ListPageProps<T extends { id: string }> {
  readonly title: string
  readonly text?: string
  readonly list: List<T>
  /** The table's name for screen readers; by default the page's title. */
  readonly caption?: string
  /** The columns, or a function that returns them. Its argument `edit` opens a row's dialog. */
  readonly columns: readonly Column<T>[] | ((edit: (row: T) => void) => readonly Column<T>[])
  readonly href?: (row: T) => string
  readonly icon: IconName
  /** The title of an empty list, and a sentence on what to do first. */
  readonly none: readonly [title: string, text: string]
  /** The label of the button that opens the dialog of a new record; absent: no button. */
  readonly add?: string | false
  /** The URL of the page that creates a new record, if no dialog does. */
  readonly addHref?: string
  readonly needs?: TeamRole
  /** Renders the dialog of a row, or of a new record if `row` is undefined. */
  readonly dialog?: (row: T | undefined, close: () => void) => ComponentChildren
  /** Whether the dialog of a new record is open at first. */
  readonly isAdding?: boolean
  readonly children?: ComponentChildren
  readonly after?: ComponentChildren
}

export function ListPage<T extends { id: string }>(props: ListPageProps<T>) {
  const { title, text, list, columns, href, icon, none, needs, dialog, children } = props
  const [edited, setEdited] = useState<T | 'new' | undefined>(props.isAdding ? 'new' : undefined)
  const look = { kind: 'primary', needs, children: props.add, 'aria-keyshortcuts': 'N' } as const
  const add =
    props.add &&
    (props.addHref ? (
      <ButtonLink icon="send" href={props.addHref} {...look} />
    ) : (
      <Button icon="plus" onClick={() => setEdited('new')} {...look} />
    ))
  return (
    <Page title={title} text={text} actions={list.total > 0 && add}>
      {children}
      <Records
        list={list}
        caption={props.caption ?? title}
        columns={typeof columns === 'function' ? columns(setEdited) : columns}
        href={href}
        empty={
          <Empty icon={icon} title={none[0]} action={add}>
            {none[1]}
          </Empty>
        }
      />
      {props.after}
      {edited && dialog?.(edited === 'new' ? undefined : edited, () => setEdited(undefined))}
    </Page>
  )
}

export interface RowAction {
  readonly icon?: IconName
  readonly words: string
  /** The URL of a link. Set either `href` or `onClick`. */
  readonly href?: string
  readonly onClick?: () => unknown
  readonly needs?: TeamRole | undefined
  readonly disabled?: boolean
  /** False: shows the words beside the icon. Without an icon, the words are always shown. */
  readonly iconOnly?: boolean
}

/** A column of buttons, for example to change or delete a row. `least`: the lowest role that sees them. */
export const actionsColumn = <T,>(
  actionsOf: (row: T) => readonly RowAction[],
  least?: TeamRole,
): Column<T> => ({
  title: t('Actions'),
  bare: true,
  align: 'end',
  cell: (row) => (
    <div class="row-actions">
      {actionsOf(row).map(({ words, href, onClick, needs = least, ...look }) => {
        const props = { kind: 'quiet', needs, iconOnly: look.icon !== undefined, ...look } as const
        return href ? (
          <ButtonLink key={words} href={href} {...props}>
            {words}
          </ButtonLink>
        ) : (
          <Button key={words} onClick={onClick} {...props}>
            {words}
          </Button>
        )
      })}
    </div>
  ),
})

/**
 * Shows a list of `useList` as a table with a pager, `empty` if it has no items, or the error of the read.
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
  /** The number of items on all pages; undefined if they are not counted. */
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
