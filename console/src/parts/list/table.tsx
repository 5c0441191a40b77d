import type { ComponentChildren } from 'preact'

export interface Column<T> {
  readonly title: string
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
}: {
  caption: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  href?: (row: T) => string
  busy?: boolean
}) {
  return (
    <div class="table-frame" aria-busy={busy}>
      <table role="table">
        <caption class="unseen">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, align, bare }) => (
              <th key={title} role="columnheader" scope="col" class={align}>
                <span class={bare ? 'unseen' : ''}>{title}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={row.id} role="row">
              {columns.map(({ title, cell, align, bare, long, spare }, at) => (
                <td
                  key={title}
                  role="cell"
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
