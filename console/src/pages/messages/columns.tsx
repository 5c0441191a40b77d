import type { ComponentChildren } from 'preact'
import type { Message } from '../../data/records.ts'
import { MessageParty } from '../../parts/message-party.tsx'
import { MessageStatus } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'

/** What cells need beside the message. */
export interface Around {
  /** A contact's name by number, or ''. */
  nameOf(number: string): string
}

/** A column of the table; on a phone a line of a card. */
export interface MessageColumn {
  readonly title: string
  readonly cell: (message: Message, around: Around) => ComponentChildren
  /** The field that a press on the title sorts by. */
  readonly sort?: string
  readonly kind?: 'first' | 'long' | 'end'
  readonly for?: 'superuser'
}

/** All columns, in their order. */
export const COLUMNS: readonly MessageColumn[] = [
  {
    title: 'To or from',
    kind: 'first',
    cell: (message, { nameOf }) => <MessageParty message={message} nameOf={nameOf} />,
  },
  {
    title: 'Text',
    kind: 'long',
    cell: ({ body, error_message }) => (
      <>
        {error_message && <span class="messages-reason">{error_message} · </span>}
        {body || <span class="muted">(removed)</span>}
      </>
    ),
  },
  {
    title: 'State',
    sort: 'status',
    cell: ({ status, error_message }) => (
      <span class="messages-state" title={error_message || undefined}>
        <MessageStatus status={status} />
        {error_message && <span class="messages-why">{error_message}</span>}
      </span>
    ),
  },
  { title: 'Segments', sort: 'segments', kind: 'end', cell: ({ segments }) => segments || '–' },
  {
    title: 'Device',
    sort: 'device.name',
    cell: ({ expand }) => expand?.device?.name ?? <span class="muted">–</span>,
  },
  {
    title: 'User',
    sort: 'user.email',
    for: 'superuser',
    cell: ({ expand }) => expand?.user?.email ?? <span class="muted">–</span>,
  },
  { title: 'Time', sort: 'created', kind: 'end', cell: ({ created }) => <Time at={created} /> },
]

/** Orders for a phone, where there are no titles to press. */
export const SORTS: readonly (readonly [sort: string, words: string])[] = [
  ['-created', 'Newest first'],
  ['created', 'Oldest first'],
  ['status', 'By state'],
  ['device.name', 'By device'],
  ['-segments', 'Longest first'],
]
