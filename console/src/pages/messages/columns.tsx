import type { Choices } from '../../data/choices.ts'
import type { Message, Sender } from '../../data/record-types.ts'
import { describeTime } from '../../data/text/message-time.ts'
import { findReason, readState } from '../../data/words/message-states.ts'
import { isByServer } from '../../data/words/sender-words.ts'
import { t } from '../../language/words.ts'
import type { Column } from '../../parts/list/table.tsx'
import { MessageParty } from '../../parts/message/message-party.tsx'
import { MessageStatus, Time } from '../../parts/time.tsx'
import { makePageHref } from '../../router.ts'
import './message-table.css'

interface Around {
  /** A contact's name by phone number, or ''. */
  findName(number: string): string
  /** The message's SIM, or '' when its device has one line. */
  findSim(message: Message): string
}

const SENDER: Column<Message> = {
  name: 'sender',
  title: t('Sent by'),
  sort: 'sent_by.name',
  cell: (message) => (isByServer(message) ? t('The server') : drawSender(message.expand?.sent_by)),
}

function drawSender(sender: Sender | undefined) {
  if (!sender) return <span class="muted">–</span>
  const { kind, id, name } = sender
  return kind === 'campaign' ? (
    <a href={makePageHref(`/campaigns/${id}`)}>{name || t('Campaign')}</a>
  ) : (
    name
  )
}

const USER: Column<Message> = {
  name: 'user',
  title: t('User'),
  sort: 'user.email',
  cell: ({ expand }) => expand?.user?.email ?? <span class="muted">–</span>,
}

export const makeMessageColumns = (
  { findName, findSim }: Around,
  isAll: boolean,
): readonly Column<Message>[] => [
  {
    name: 'party',
    title: t('To or from'),
    cell: (message) => <MessageParty message={message} findName={findName} />,
  },
  {
    name: 'text',
    title: t('Text'),
    long: true,
    cell: (message) => (
      <>
        <span class="messages-text">
          {message.body || <span class="muted">{t('(removed)')}</span>}
        </span>
        <span class={`messages-note ${readState(message)[0]}`}>
          {findReason(message) || describeTime(message)}
        </span>
      </>
    ),
  },
  {
    name: 'state',
    title: t('State'),
    sort: 'status',
    cell: (message) => <MessageStatus message={message} />,
  },
  {
    name: 'device',
    title: t('Device'),
    sort: 'device.name',
    cell: (message) => {
      const parts = [message.expand?.device?.name, findSim(message)].filter((part) => part)
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
    cell: ({ created }) => <Time at={created} />,
  },
]

/** Sort orders to choose on narrow screens, where the table has no column titles. */
export const SORTS: Choices = [
  ['-created', t('Newest first')],
  ['created', t('Oldest first')],
  ['status', t('By state')],
  ['device.name', t('By device')],
  ['-segments', t('Longest first')],
]
