import type { ComponentChildren } from 'preact'
import { Icon } from '../icon.tsx'

export interface Column<T> {
  readonly title: string
  /** For styles: `data-column`. */
  readonly name?: string
  /** The field that a press on the title sorts by, in lists that can be sorted. */
  readonly sort?: string
  readonly cell: (row: T) => ComponentChildren
  /** `end` for numbers and buttons. */
  readonly align?: 'end'
  /** The title is for screen readers alone, as over a row's buttons. */
  readonly bare?: boolean
  /** Long text: cut with an ellipsis where there is no room. */
  readonly long?: boolean
  /** True for a row without a value: a phone's card leaves the line out. */
  readonly spare?: (row: T) => boolean
}

/** A part of a page with a table, or with `none` when it has no rows. */
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
 * Rows of things; on a phone each row is a card, its cells lines with their titles, the first cell its head.
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
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={row.id} role="row">
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

/** Sorts down by `-created`, up by `created`. The first press sorts times newest first, names from A. */
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
