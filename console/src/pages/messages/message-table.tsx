import type { Message } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import { t } from '../../language/words.ts'
import { Icon } from '../../parts/icon.tsx'
import { to } from '../../router.ts'
import { type Around, COLUMNS, type MessageColumn } from './columns.tsx'

/** The messages of a page. A click on a title sorts by its column, a second one reverses the order. */
export function MessageTable({
  messages,
  around,
  sort,
  onSort,
  isOld,
}: {
  messages: readonly Message[]
  around: Around
  sort: string
  onSort: (sort: string) => void
  isOld: boolean
}) {
  const columns = COLUMNS.filter((column) => !column.for || column.for === session.value?.role)
  return (
    <div class={isOld ? 'table-frame messages-table old' : 'table-frame messages-table'} aria-busy={isOld}>
      <table role="table">
        <caption class="unseen">{t('Messages')}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <Title key={column.name} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {messages.map((message) => (
            <tr key={message.id} role="row">
              {columns.map((column) => (
                <Cell key={column.name} column={column} message={message} around={around} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Sorts down by `-created`, up by `created`. The first click sorts times newest first, names from A. */
function Title({
  column,
  sort,
  onSort,
}: {
  column: MessageColumn
  sort: string
  onSort: (sort: string) => void
}) {
  const { name, title, sort: field, kind } = column
  if (!field)
    return (
      <th role="columnheader" scope="col" class={kind} data-column={name}>
        {title}
      </th>
    )
  const order = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : 'none'
  const first = kind === 'end' ? `-${field}` : field
  const other = first === field ? `-${field}` : field
  return (
    <th role="columnheader" scope="col" class={kind} data-column={name} aria-sort={order}>
      <button type="button" class="messages-title" onClick={() => onSort(sort === first ? other : first)}>
        {title}
        <Icon name="down" size={14} />
      </button>
    </th>
  )
}

const Cell = ({ column, message, around }: { column: MessageColumn; message: Message; around: Around }) => {
  const { name, title, kind, cell } = column
  return (
    <td role="cell" class={kind} data-title={kind === 'first' ? undefined : title} data-column={name}>
      {kind === 'first' ? (
        <a href={to(`/messages/${message.id}`)}>{cell(message, around)}</a>
      ) : (
        cell(message, around)
      )}
    </td>
  )
}
