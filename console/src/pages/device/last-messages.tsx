import { pb } from '../../data/client.ts'
import type { Device, Message } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { ButtonLink } from '../../parts/form/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { MessageStatus } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { to } from '../../router.ts'

const COUNT = 10

const COLUMNS: readonly Column<Message>[] = [
  {
    title: t('Number'),
    cell: ({ message_type, from, to: recipient }) => (
      <span class="row">
        <Icon name={message_type === 'incoming' ? 'in' : 'out'} size={16} />
        <PhoneNumber number={message_type === 'incoming' ? from : recipient} />
      </span>
    ),
  },
  { title: t('Text'), long: true, cell: (message) => message.body },
  { title: t('State'), cell: (message) => <MessageStatus message={message} /> },
  { title: t('When'), cell: (message) => <Time at={message.created} /> },
]

/** The last messages that a device sent or received. */
export function LastMessages({ device }: { device: Device }) {
  const filter = pb.filter('device = {:id}', { id: device.id })
  const messages = useList<Message>('sms_messages', { filter, perPage: COUNT })
  const all = <ButtonLink href={to('/messages', { filter })}>{t('All of its messages')}</ButtonLink>
  return (
    <section class="stack">
      <div class="page-head">
        <h2>{t('Last messages')}</h2>
        {messages.total > COUNT && all}
      </div>
      {messages.items.length > 0 ? (
        <Table
          caption={t('Last messages')}
          columns={COLUMNS}
          rows={messages.items}
          href={(message) => to(`/messages/${message.id}`)}
        />
      ) : (
        <p class="muted">{messages.loading ? t('Loading…') : t('It has not had any yet.')}</p>
      )}
    </section>
  )
}
