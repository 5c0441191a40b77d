import type { ComponentChildren } from 'preact'
import { deviceName } from '../../data/device/simulated.ts'
import type { Message } from '../../data/records.ts'
import { timeOf } from '../../data/text/message-time.ts'
import { reasonOf } from '../../data/words/failure-reasons.ts'
import { t } from '../../language/words.ts'
import { MessageParty } from '../../parts/message/message-party.tsx'
import { MessageStatus } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'

/** Data that cells need beside the message. */
export interface Around {
  /** A contact's name by number, or ''. */
  nameOf(number: string): string
  /** Its SIM, or '' when its device has one line. */
  simOf(message: Message): string
}

/** A column of the table; on a phone a line of a card. */
export interface MessageColumn {
  /** The class in page.css, in every language. */
  readonly name: 'party' | 'text' | 'state' | 'sender' | 'device' | 'user' | 'time'
  readonly title: string
  readonly cell: (message: Message, around: Around) => ComponentChildren
  /** The field that a click on the title sorts by. */
  readonly sort?: string
  readonly kind?: 'first' | 'long' | 'end'
  readonly for?: 'user' | 'superuser'
}

/** Marks failures, but no reasons for waiting. */
const toneOf = ({ error_message }: Message) => (error_message ? '' : 'muted')

/** All columns, in their order. */
export const COLUMNS: readonly MessageColumn[] = [
  {
    name: 'party',
    title: t('To or from'),
    kind: 'first',
    cell: (message, { nameOf }) => <MessageParty message={message} nameOf={nameOf} />,
  },
  {
    name: 'text',
    title: t('Text'),
    kind: 'long',
    cell: (message) => (
      <>
        {reasonOf(message) && (
          <span class={`messages-reason ${toneOf(message)}`}>{reasonOf(message)} · </span>
        )}
        {message.body || <span class="muted">{t('(removed)')}</span>}
      </>
    ),
  },
  {
    name: 'state',
    title: t('State'),
    sort: 'status',
    cell: (message) => (
      <span class="messages-state" title={reasonOf(message) || undefined}>
        <MessageStatus message={message} />
        {reasonOf(message) && <span class={`messages-why ${toneOf(message)}`}>{reasonOf(message)}</span>}
      </span>
    ),
  },
  {
    name: 'sender',
    title: t('Sent by'),
    sort: 'sent_by.name',
    for: 'user',
    cell: ({ expand }) => expand?.sent_by?.name ?? <span class="muted">–</span>,
  },
  {
    name: 'device',
    title: t('Device'),
    sort: 'device.name',
    cell: (message, { simOf }) => {
      const parts = [deviceName(message.expand?.device), simOf(message)].filter((part) => part)
      return parts.join(', ') || <span class="muted">–</span>
    },
  },
  {
    name: 'user',
    title: t('User'),
    sort: 'user.email',
    for: 'superuser',
    cell: ({ expand }) => expand?.user?.email ?? <span class="muted">–</span>,
  },
  {
    name: 'time',
    title: t('Time'),
    sort: 'created',
    kind: 'end',
    cell: (message) => <Time at={timeOf(message)} />,
  },
]

/** Sort orders for a phone, which has no column titles. */
export const SORTS: readonly (readonly [sort: string, words: string])[] = [
  ['-created', t('Newest first')],
  ['created', t('Oldest first')],
  ['status', t('By state')],
  ['device.name', t('By device')],
  ['-segments', t('Longest first')],
]
