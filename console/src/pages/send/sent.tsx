import { formatPhone } from '#portable/phone/format-phone.ts'
import type { Message } from '../../data/record-types.ts'
import { useCampaign } from '../../data/use/use-campaign.ts'
import { useNames } from '../../data/use/use-known.ts'
import { findReason } from '../../data/words/message-states.ts'
import { t, tn } from '../../language/words.ts'
import { CampaignNotice } from '../../parts/campaign-notice.tsx'
import { ButtonLink, FaultNotice } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { MessageParty } from '../../parts/message/message-party.tsx'
import { Card, Page as Frame, Loading } from '../../parts/page.tsx'
import { SendProgress } from '../../parts/send-progress.tsx'
import { formatPlannedTime, MessageStatus, Time } from '../../parts/time.tsx'
import { makePageHref } from '../../router.ts'
import './sent.css'
import { BatchActions } from './batch-actions.tsx'
import { type Batch, OVER, useBatch } from './use-batch.ts'

export function Sent({ batch, message }: { batch: string; message: string }) {
  const sent = useBatch(batch, message)
  const { total, loading, fault, items } = sent
  const campaign = useCampaign(items[0]?.sent_by ?? '')
  const another = (
    <ButtonLink kind="primary" icon="send" href={makePageHref('/send')}>
      {t('Write another')}
    </ButtonLink>
  )
  const numbers = items.map((item) => item.to)
  const findName = useNames(numbers)
  const who = (people: number) =>
    total === 1 && numbers[0]
      ? findName(numbers[0]) || formatPhone(numbers[0])
      : tn('1 person', '{count} people', people)
  return (
    <Frame
      title={loading || total === 0 ? t('Sent') : makeTitle(sent, who, total)}
      back={{ href: makePageHref('/send'), words: t('Send') }}
      actions={another}
    >
      <FaultNotice fault={fault} />
      {loading && <Loading />}
      {!loading && total === 0 && !fault && (
        <Empty icon="messages" title={t('These messages are gone')}>
          {t('The messages were deleted, or the link belongs to another account.')}
        </Empty>
      )}
      {total > 0 &&
        (campaign ? (
          <CampaignNotice campaign={campaign} />
        ) : (
          <BatchActions batch={batch} sent={sent} />
        ))}
      {total > 0 && <Course sent={sent} findName={findName} />}
    </Frame>
  )
}

/** States of messages for which a device was chosen, except failed ones. */
const BEGUN = ['assigned', 'sending', 'sent', 'delivered'] as const

/**
 * The title: "Scheduled" until a device is chosen for one of the messages, then "Sent". Messages that failed,
 * as after an opt-out, and canceled ones are not counted, unless all are.
 */
function makeTitle(
  { items, counts }: Batch,
  who: (people: number) => string,
  total: number,
): string {
  const isWaiting = (counts.pending ?? 0) > 0 && BEGUN.every((state) => !counts[state])
  const left = total - (counts.failed ?? 0) - (counts.canceled ?? 0)
  const scheduled = (items.find(({ status }) => status === 'pending') ?? items[0])?.scheduled_at
  return isWaiting && scheduled
    ? t('Scheduled for {time} to {people}', {
        time: formatPlannedTime(scheduled),
        people: who(counts.pending ?? 0),
      })
    : t('Sent to {people}', { people: who(left || total) })
}

function Course({ sent, findName }: { sent: Batch; findName: (number: string) => string }) {
  const { items, total, counts, filter } = sent
  const isSame = items.every(({ body }) => body === items[0]?.body)
  const over = OVER.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
  const columns: readonly Column<Message>[] = [
    { title: t('To'), cell: (item) => <MessageParty message={item} findName={findName} /> },
    {
      title: t('State'),
      cell: (item) => (
        <span class="send-state breaks">
          <MessageStatus message={item} />
          {findReason(item) && (
            <span class={item.error_message ? 'send-why' : 'note'}>{findReason(item)}</span>
          )}
        </span>
      ),
    },
    ...(isSame ? [] : [{ title: t('Text'), long: true, cell: ({ body }: Message) => body }]),
    { title: t('Changed'), align: 'end', cell: (item) => <Time at={item.updated} /> },
  ]
  return (
    <>
      <SendProgress counts={counts} total={total} filter={filter} done={over} />
      {isSame && (
        <Card title={t('Text')}>
          <p class="as-written">{items[0]?.body}</p>
        </Card>
      )}
      <Table
        caption={t('Messages of this send')}
        columns={columns}
        rows={items}
        href={({ id }) => makePageHref(`/messages/${id}`)}
      />
      {total > items.length && (
        <ButtonLink href={makePageHref('/messages', { filter })}>
          {t('All {total} messages', { total })}
        </ButtonLink>
      )}
    </>
  )
}
