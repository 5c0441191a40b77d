import { deviceName } from '../../data/device/device-name.ts'
import type { Message } from '../../data/record-types.ts'
import { timeNote } from '../../data/text/message-time.ts'
import { reasonOf } from '../../data/words/failure-reasons.ts'
import { t } from '../../language/words.ts'
import type { Column } from '../../parts/list/table.tsx'
import { MessageParty } from '../../parts/message/message-party.tsx'
import { MessageStatus, Time } from '../../parts/time.tsx'
import './message-table.css'

interface Around {
  /** A contact's name by phone number, or ''. */
  nameOf(number: string): string
  /** The message's SIM, or '' when its device has one line. */
  simOf(message: Message): string
}

/** The CSS class for the reason of a state: '' if the message failed, 'muted' if it only waits. */
const toneOf = ({ error_message }: Message) => (error_message ? '' : 'muted')

const SENDER: Column<Message> = {
  name: 'sender',
  title: t('Sent by'),
  sort: 'sent_by.name',
  cell: ({ expand }) => expand?.sent_by?.name ?? <span class="muted">–</span>,
}

const USER: Column<Message> = {
  name: 'user',
  title: t('User'),
  sort: 'user.email',
  cell: ({ expand }) => expand?.user?.email ?? <span class="muted">–</span>,
}

export const columnsFor = ({ nameOf, simOf }: Around, isAll: boolean): readonly Column<Message>[] => [
  {
    name: 'party',
    title: t('To or from'),
    cell: (message) => <MessageParty message={message} nameOf={nameOf} />,
  },
  {
    name: 'text',
    title: t('Text'),
    long: true,
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
    name: 'device',
    title: t('Device'),
    sort: 'device.name',
    cell: (message) => {
      const parts = [deviceName(message.expand?.device), simOf(message)].filter((part) => part)
      return parts.join(' · ') || <span class="muted">–</span>
    },
    spare: ({ device }) => !device,
  },
  isAll ? USER : SENDER,
  {
    name: 'time',
    title: t('Time'),
    sort: 'created',
    align: 'end',
    cell: (message) => (
      <>
        <Time at={message.created} />
        {timeNote(message) && <span class="messages-note muted">{timeNote(message)}</span>}
      </>
    ),
  },
]

/** Sort orders to choose on narrow screens, where the table has no column titles. */
export const SORTS: readonly (readonly [sort: string, words: string])[] = [
  ['-created', t('Newest first')],
  ['created', t('Oldest first')],
  ['status', t('By state')],
  ['device.name', t('By device')],
  ['-segments', t('Longest first')],
]
