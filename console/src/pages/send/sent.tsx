import { formatPhone } from '../../data/phone/phone-numbers.ts'
import type { Message } from '../../data/records.ts'
import { useNames } from '../../data/use/use-known.ts'
import { reasonOf, stateFilter } from '../../data/words/failure-reasons.ts'
import { MESSAGE_STATES } from '../../data/words/message-states.ts'
import { formatNumber, t, tn } from '../../language/words.ts'
import { ButtonLink } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { MessageParty } from '../../parts/message/message-party.tsx'
import { Card, Page as Frame } from '../../parts/page.tsx'
import { Badge, MessageStatus } from '../../parts/status.tsx'
import { formatDateTime, Time } from '../../parts/time.tsx'
import { Loading, Progress } from '../../parts/wait.tsx'
import { to } from '../../router.ts'
import { BatchActions } from './batch-actions.tsx'
import { type Batch, useBatch } from './use-batch.ts'

const STATES = ['pending', 'assigned', 'sending', 'sent', 'delivered', 'failed', 'canceled'] as const
/** Final states. */
const OVER = ['sent', 'delivered', 'failed'] as const

/** The progress of a send, live. */
export function Sent({ batch, message }: { batch: string; message: string }) {
  const sent = useBatch(batch, message)
  const { total, loading, fault, items } = sent
  const another = (
    <ButtonLink kind="primary" icon="send" href={to('/send')}>
      {t('Write another')}
    </ButtonLink>
  )
  const numbers = items.map((item) => item.to)
  const nameOf = useNames(numbers)
  const who = (people: number) =>
    total === 1 && numbers[0]
      ? nameOf(numbers[0]) || formatPhone(numbers[0])
      : tn('1 person', '{count} people', people)
  return (
    <Frame title={loading || total === 0 ? t('Sent') : titleOf(sent, who, total)} actions={another}>
      {fault && <Notice kind="wrong">{fault.message}</Notice>}
      {loading && <Loading />}
      {!loading && total === 0 && !fault && (
        <Empty icon="messages" title={t('These messages are gone')}>
          {t('They were deleted, or the link is of somebody else.')}
        </Empty>
      )}
      {total > 0 && <BatchActions batch={batch} sent={sent} />}
      {total > 0 && <Course sent={sent} nameOf={nameOf} />}
    </Frame>
  )
}

/** States of messages that a device has or had. */
const BEGUN = ['assigned', 'sending', 'sent', 'delivered'] as const

/**
 * A send counts as scheduled until a device has one of its messages. Those who opted out meanwhile get none.
 */
function titleOf({ items, counts }: Batch, who: (people: number) => string, total: number): string {
  const isWaiting = (counts.pending ?? 0) > 0 && BEGUN.every((state) => !counts[state])
  const scheduled = (items.find(({ status }) => status === 'pending') ?? items[0])?.scheduled_at
  return isWaiting && scheduled
    ? t('Scheduled for {time} to {people}', {
        time: formatDateTime(scheduled),
        people: who(counts.pending ?? 0),
      })
    : t('Sent to {people}', { people: who(total) })
}

function Course({ sent, nameOf }: { sent: Batch; nameOf: (number: string) => string }) {
  const { items, total, counts, filter } = sent
  const isSame = items.every(({ body }) => body === items[0]?.body)
  const over = OVER.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
  const columns: readonly Column<Message>[] = [
    { title: t('To'), cell: (item) => <MessageParty message={item} nameOf={nameOf} /> },
    {
      title: t('State'),
      cell: (item) => (
        <span class="send-state">
          <MessageStatus message={item} />
          {reasonOf(item) && <span class={item.error_message ? 'send-why' : 'note'}>{reasonOf(item)}</span>}
        </span>
      ),
    },
    { title: t('Changed'), align: 'end', cell: (item) => <Time at={item.updated} /> },
  ]
  return (
    <>
      <Card>
        <Progress value={over} max={total} label={t('{count} of {total} done', { count: over, total })} />
        <div class="row" role="status">
          {STATES.filter((state) => counts[state]).map((state) => (
            <a
              key={state}
              class="send-count"
              href={to('/messages', { filter: `${filter} && ${stateFilter(state)}` })}
            >
              <Badge tone={MESSAGE_STATES[state][0]}>
                {formatNumber(counts[state] ?? 0)} {MESSAGE_STATES[state][1].toLowerCase()}
              </Badge>
            </a>
          ))}
        </div>
        {isSame && <p class="send-body">{items[0]?.body}</p>}
      </Card>
      <Table
        caption={t('Messages of this send')}
        columns={columns}
        rows={items}
        href={({ id }) => to(`/messages/${id}`)}
      />
      {total > items.length && (
        <ButtonLink href={to('/messages', { filter })}>{t('All {total} messages', { total })}</ButtonLink>
      )}
    </>
  )
}
