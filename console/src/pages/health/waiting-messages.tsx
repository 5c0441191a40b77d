import { deviceName } from '../../data/device/device-name.ts'
import type { Message } from '../../data/record-types.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { TableSection } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Owner } from '../../parts/owner.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { MessageStatus, Time } from '../../parts/time.tsx'
import { to } from '../../router.ts'

const COUNT = 10

const COLUMNS: readonly Column<Message>[] = [
  { title: t('To'), cell: (message) => <PhoneNumber number={message.to} /> },
  { title: t('User'), cell: (message) => <Owner record={message} /> },
  { title: t('Device'), minor: true, cell: ({ expand }) => deviceName(expand?.device) || t('No device') },
  { title: t('State'), cell: (message) => <MessageStatus message={message} /> },
  { title: t('Since'), cell: (message) => <Time at={message.created} /> },
]

export function WaitingMessages() {
  const messages = useList<Message>('sms_messages', {
    filter: 'status = "assigned" || status = "sending"',
    sort: 'created',
    expand: 'user,device',
    perPage: COUNT,
  })
  return (
    <TableSection
      title={t('Waiting longest')}
      none={messages.loading ? t('Loading…') : t('No message waits.')}
      columns={COLUMNS}
      rows={messages.items}
      href={(message) => to(`/messages/${message.id}`)}
    />
  )
}
