import type { ComponentChildren } from 'preact'
import { useCallback, useMemo, useRef } from 'preact/hooks'
import { Icon } from '../icon.tsx'
import { memoizeComponent } from '../memo.tsx'
import { moveFocus } from './arrows.ts'
import './table.css'

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
  /** Hidden where a wide screen has no room for all columns, such as beside the navigation. */
  readonly minor?: boolean
  /** True for a row whose cell is hidden on phones, for example because it is empty. */
  readonly spare?: (row: T) => boolean
}

/**
 * A table. On a phone each row is a card: the first cell is its head, the other cells are lines with titles.
 * `href` makes the first cell a link, `onOpen` a button; of a row without a URL only `onOpen` is used.
 * `below` is shown below a row that is open in its place, and undefined for others. `caption` names the table
 * for screen readers. A cell may depend on its row, on signals, and on the array `columns`: a change of one
 * of them draws a row again.
 */
export function Table<T extends { id: string }>({
  caption,
  columns,
  rows,
  href,
  onOpen,
  below,
  busy,
  sort,
  onSort,
}: {
  caption: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  href?: (row: T) => string | undefined
  onOpen?: (row: T) => void
  below?: (row: T) => ComponentChildren
  busy?: boolean
  sort?: string
  onSort?: (sort: string) => void
}) {
  const latest = useRef(onOpen)
  latest.current = onOpen
  const open = useCallback((row: T) => latest.current?.(row), [])
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
          {cutIntoBlocks(rows).map((block, at) => (
            <Block
              key={at}
              rows={block}
              columns={columns as readonly Column<never>[]}
              href={href as ((row: never) => string | undefined) | undefined}
              onOpen={onOpen && open}
              below={below as ((row: never) => ComponentChildren) | undefined}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const BLOCK_ROWS = 25

const cutIntoBlocks = <T,>(rows: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(rows.length / BLOCK_ROWS) }, (_, at) =>
    rows.slice(at * BLOCK_ROWS, (at + 1) * BLOCK_ROWS),
  )

interface BlockProps extends Pick<RowProps, 'columns' | 'onOpen'> {
  readonly rows: readonly { id: string }[]
  readonly href: ((row: never) => string | undefined) | undefined
  readonly below: ((row: never) => ComponentChildren) | undefined
}

/** Some rows. A list that grows compares those that it has already by block, not one by one. */
function Block({ rows: given, columns, href, onOpen, below }: BlockProps) {
  const last = useRef(given)
  if (!isSameList(last.current, given)) last.current = given
  const rows = last.current
  return useMemo(
    () => (
      <>
        {rows.map((row) => (
          <Row
            key={row.id}
            row={row}
            columns={columns}
            href={href?.(row as never)}
            onOpen={onOpen}
            below={below?.(row as never)}
            unfolds={below !== undefined}
          />
        ))}
      </>
    ),
    [rows, columns, href, onOpen, below],
  )
}

const isSameList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((each, at) => each === other[at])

const MOST_LETTERS = 40

/** Gives a long name one line. */
const cutText = (content: ComponentChildren): ComponentChildren =>
  typeof content === 'string' && content.length > MOST_LETTERS ? (
    <span class="cut">{content}</span>
  ) : (
    content
  )

interface RowProps {
  readonly row: { id: string }
  readonly columns: readonly Column<never>[]
  readonly href: string | undefined
  readonly onOpen: ((row: never) => void) | undefined
  readonly below: ComponentChildren
  /** Whether `onOpen` opens the row in its place. */
  readonly unfolds: boolean
}

const Row = memoizeComponent(({ row: given, columns, href, onOpen, below, unfolds }: RowProps) => {
  const row = given as never // a table's columns are for its rows
  const shown = (
    <tr role="row" class={href || onOpen ? 'linked' : undefined} onClick={openRow}>
      {columns.map(({ title, name, cell, align, bare, long, minor, spare }, at) => (
        <td
          key={title}
          role="cell"
          data-column={name}
          data-title={bare || at === 0 ? undefined : title}
          class={`${align ?? ''} ${long ? 'long' : ''} ${minor ? 'minor' : ''} ${at === 0 ? 'first' : ''} ${spare?.(row) ? 'spare' : ''}`}
        >
          {at === 0 && href ? (
            <a href={href}>{cutText(cell(row))}</a>
          ) : at === 0 && onOpen ? (
            <button
              type="button"
              aria-expanded={unfolds ? below !== undefined : undefined}
              onClick={() => onOpen(row)}
            >
              {cutText(cell(row))}
            </button>
          ) : (
            cutText(cell(row))
          )}
        </td>
      ))}
    </tr>
  )
  if (below === undefined) return shown
  return (
    <>
      {shown}
      <tr role="row" class="table-below">
        <td role="cell" colSpan={columns.length}>
          {below}
        </td>
      </tr>
    </>
  )
})

/** A click anywhere in a row presses the link or button in its first cell, unless it selects text. */
function openRow(event: MouseEvent): void {
  const isOwn = (event.target as Element).closest('a, button, input, label, select')
  if (isOwn || getSelection()?.isCollapsed === false) return
  const opener = (event.currentTarget as Element).querySelector<HTMLElement>(
    'td.first :is(a, button)',
  )
  if (opener instanceof HTMLAnchorElement && (event.ctrlKey || event.metaKey)) open(opener.href)
  else opener?.click()
}

/** A column's title. A click sorts by it: first descending if `align` is `end`, otherwise ascending. */
function Title<T>({
  column: { title, name, align, bare, minor, sort: field },
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
      class={`${align ?? ''} ${minor ? 'minor' : ''}`}
      data-column={name}
      aria-sort={isSorted ? order : undefined}
    >
      {isSorted ? (
        <button
          type="button"
          class="table-sort"
          onClick={() => onSort(sort === first ? other! : first!)}
        >
          {title}
          <Icon name="down" size={14} />
        </button>
      ) : (
        <span class={bare ? 'unseen' : ''}>{title}</span>
      )}
    </th>
  )
}
