import type { Message } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Owner } from '../../parts/owner.tsx'
import { MessageStatus } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { to } from '../../router.ts'

const COUNT = 10

const COLUMNS: readonly Column<Message>[] = [
  { title: 'To', cell: (message) => message.to },
  { title: 'User', cell: (message) => <Owner record={message} /> },
  { title: 'Device', cell: ({ expand }) => expand?.device?.name ?? 'none' },
  { title: 'State', cell: (message) => <MessageStatus status={message.status} /> },
  { title: 'Since', cell: (message) => <Time at={message.created} /> },
]

/** The messages that wait longest. */
export function WaitingMessages() {
  const messages = useList<Message>('sms_messages', {
    filter: 'status = "assigned" || status = "sending"',
    sort: 'created',
    expand: 'user,device',
    perPage: COUNT,
  })
  if (messages.items.length === 0)
    return (
      <section class="stack">
        <h2>Waiting longest</h2>
        <p class="muted">{messages.loading ? 'Loading…' : 'No message waits.'}</p>
      </section>
    )
  return (
    <section class="stack">
      <h2>Waiting longest</h2>
      <Table
        caption="Messages that wait longest"
        columns={COLUMNS}
        rows={messages.items}
        href={(message) => to(`/messages/${message.id}`)}
      />
    </section>
  )
}
