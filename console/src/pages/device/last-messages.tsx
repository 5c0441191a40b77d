import { pb } from '../../data/client.ts'
import { type Device, findOtherNumber, type Message } from '../../data/record-types.ts'
import { useNames } from '../../data/use/use-known.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { ButtonLink } from '../../parts/form/form.tsx'
import { Icon } from '../../parts/icon.tsx'
import { TableSection } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { MessageStatus, Time } from '../../parts/time.tsx'
import { makePageHref } from '../../router.ts'

const COUNT = 10

const makeColumns = (findName: (number: string) => string): readonly Column<Message>[] => [
  {
    title: t('Person'),
    cell: (message) => (
      <span class="row">
        <Icon name={message.message_type === 'incoming' ? 'in' : 'out'} size={16} />
        {findName(findOtherNumber(message)) || <PhoneNumber number={findOtherNumber(message)} />}
      </span>
    ),
  },
  { title: t('Text'), long: true, cell: (message) => message.body },
  { title: t('State'), cell: (message) => <MessageStatus message={message} /> },
  { title: t('When'), cell: (message) => <Time at={message.created} /> },
]

export function LastMessages({ device }: { device: Device }) {
  const filter = pb.filter('device = {:id}', { id: device.id })
  const messages = useList<Message>('sms_messages', { filter, perPage: COUNT })
  const findName = useNames(messages.items.map(findOtherNumber))
  const all = (
    <ButtonLink href={makePageHref('/messages', { filter })}>{t('All of its messages')}</ButtonLink>
  )
  return (
    <TableSection
      title={t('Last messages')}
      none={messages.loading ? t('Loading') : t('It has not had any yet.')}
      actions={messages.total > COUNT && all}
      columns={makeColumns(findName)}
      rows={messages.items}
      href={(message) => makePageHref(`/messages/${message.id}`)}
    />
  )
}
