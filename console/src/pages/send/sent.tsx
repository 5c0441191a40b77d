import type { ComponentProps } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format.ts'
import { pb } from '../../data/client.ts'
import { useFailed } from '../../data/failed.ts'
import type { Fault } from '../../data/fault.ts'
import type { Message } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import { useCampaignOf } from '../../data/use/use-campaign-of.ts'
import { useNames } from '../../data/use/use-known.ts'
import { useList } from '../../data/use/use-list.ts'
import { useTask } from '../../data/use/use-task.ts'
import { CANCELED_FILTER, reasonOf, type ShownState, shownState } from '../../data/words/failure-reasons.ts'
import { t, tn } from '../../language/words.ts'
import { CampaignNotice } from '../../parts/campaign-notice.tsx'
import { AgainDialog } from '../../parts/dialog/again-dialog.tsx'
import { ChangeDialog, type ChangeRequest } from '../../parts/dialog/change-dialog.tsx'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { Button, ButtonLink, Notice } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { MessageParty } from '../../parts/message/message-party.tsx'
import { Card, Page as Frame, Loading, Progress } from '../../parts/page.tsx'
import { formatDateTime, MessageStatus, StateCounts, Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { go, to } from '../../router.ts'
import './sent.css'

const OVER = ['sent', 'delivered', 'failed'] as const

export function Sent({ batch, message }: { batch: string; message: string }) {
  const sent = useBatch(batch, message)
  const { total, loading, fault, items } = sent
  const campaign = useCampaignOf(items[0]?.sent_by ?? '')
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
      {total > 0 &&
        (campaign ? <CampaignNotice campaign={campaign} /> : <BatchActions batch={batch} sent={sent} />)}
      {total > 0 && <Course sent={sent} nameOf={nameOf} />}
    </Frame>
  )
}

/** States of messages for which a device was chosen, except failed ones. */
const BEGUN = ['assigned', 'sending', 'sent', 'delivered'] as const

/**
 * The title: "Scheduled" until a device is chosen for one of the messages, then "Sent". Messages that failed,
 * as after an opt-out, are not counted as scheduled.
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
        <StateCounts counts={counts} filter={filter} />
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

interface Retried {
  readonly batch_id: string
  readonly recipients_count: number
  readonly left_out: { readonly refused: number }
}

function BatchActions({ batch, sent }: { batch: string; sent: Batch }) {
  const { counts, filter, items } = sent
  const [isAsking, setAsking] = useState(false)
  const [isChanging, setChanging] = useState(false)
  const again = useAgain(items)
  const scheduled = items.find(({ status }) => status === 'pending')
  const waiting = (counts.pending ?? 0) + (counts.assigned ?? 0)
  const notSent = (counts.failed ?? 0) + (counts.canceled ?? 0)
  const cancel = useTask(async () => {
    if (!(await confirmed(question(waiting)))) return
    const { canceled } = await pb.send<{ canceled: number }>(`/api/sms/batches/${batch}/cancel`, {
      method: 'POST',
    })
    toast(tn('One message canceled', '{count} messages canceled', canceled))
  })
  if (batch === '' || session.value?.role !== 'user') return null
  const retry = async (include: readonly string[]) => {
    const answer = await pb.send<Retried>(`/api/sms/batches/${batch}/retry`, {
      method: 'POST',
      body: { include },
    })
    const { batch_id, recipients_count, left_out } = answer
    setAsking(false)
    toast(
      left_out.refused > 0
        ? t('{count} could not be sent now: your quota is used up, or no device is there', {
            count: left_out.refused,
          })
        : t('{count} sent again', { count: recipients_count }),
    )
    if (batch_id) go('/send', { batch: batch_id })
  }
  const reschedule = async (body: ChangeRequest) => {
    const { rescheduled } = await pb.send<{ rescheduled: number }>(`/api/sms/batches/${batch}/reschedule`, {
      method: 'POST',
      body,
    })
    toast(tn('One message has another time', '{count} messages have another time', rescheduled))
  }
  return (
    <>
      {again && (
        <Notice>
          {t('What failed was sent again.')}{' '}
          <a href={to('/send', { batch: again })}>{t('See what became of it')}</a>
        </Notice>
      )}
      {(waiting > 0 || notSent > 0) && (
        <div class="row">
          {scheduled && (
            <Button icon="clock" onClick={() => setChanging(true)}>
              {t('Change time')}
            </Button>
          )}
          {waiting > 0 && (
            <Button icon="close" busy={cancel.busy} onClick={() => void cancel.run()}>
              {tn('Cancel the one not sent yet', 'Cancel the {count} not sent yet', waiting)}
            </Button>
          )}
          {notSent > 0 && (
            <Button icon="again" onClick={() => setAsking(true)}>
              {t('Send failed ones again')}
            </Button>
          )}
        </div>
      )}
      {cancel.fault && <Notice kind="wrong">{cancel.fault.message}</Notice>}
      {isChanging && scheduled && (
        <ChangeDialog
          title={t('Change the time')}
          waiting={{ scheduled_at: scheduled.scheduled_at, expires_at: scheduled.expires_at }}
          save={reschedule}
          onClose={() => setChanging(false)}
        />
      )}
      {isAsking && <BatchAgain filter={filter} send={retry} onClose={() => setAsking(false)} />}
    </>
  )
}

const BatchAgain = ({
  filter,
  ...others
}: { filter: string } & Omit<ComponentProps<typeof AgainDialog>, 'counts'>) => (
  <AgainDialog {...useFailed(filter)} {...others} />
)

const question = (waiting: number) => ({
  title: t('Cancel what is left?'),
  text: tn(
    'One message that no device has yet is not sent. What a device has already goes on.',
    '{count} messages that no device has yet are not sent. What a device has already goes on.',
    waiting,
  ),
  action: tn('Cancel it', 'Cancel them', waiting),
  keep: tn('Keep it', 'Keep them', waiting),
  danger: true,
})

/** The batch id under which the failed messages were sent again; '' if they were not. */
function useAgain(items: readonly Message[]): string {
  const failed = items.filter(({ status }) => status === 'failed')
  const filter = failed.map(({ id }) => pb.filter('client_ref = {:ref}', { ref: `retry:${id}` })).join(' || ')
  const found = useList<Message>('sms_messages', {
    filter: `(${filter}) && batch_id != ""`,
    fields: 'id,batch_id',
    perPage: 1,
    live: false,
    ready: failed.length > 0,
  })
  return failed.length > 0 ? (found.items[0]?.batch_id ?? '') : ''
}

const SHOWN = 50

type Counts = Readonly<Partial<Record<ShownState, number>>>

interface Batch {
  /** The send's first messages, in the order of the recipients. */
  readonly items: readonly Message[]
  readonly total: number
  readonly counts: Counts
  readonly filter: string
  readonly loading: boolean
  readonly fault: Fault | undefined
}

/**
 * The messages of a send, updated live: those with the batch id `batch`; if `batch` is '', only the message
 * with the id `message`.
 */
function useBatch(batch: string, message: string): Batch {
  const filter = batch
    ? pb.filter('batch_id = {:batch}', { batch })
    : pb.filter('id = {:message}', { message })
  const { items, total, loading, fault } = useList<Message>('sms_messages', {
    filter,
    sort: '@rowid',
    perPage: SHOWN,
  })
  const [counts, setCounts] = useState<Counts>()
  const isWhole = total <= items.length
  useEffect(() => {
    if (isWhole || batch === '') return
    readCounts(batch, filter).then(setCounts, () => {}) // the next change asks again
  }, [items, isWhole, batch])
  return { items, total, loading, fault, filter, counts: isWhole ? countsOf(items) : (counts ?? {}) }
}

function countsOf(items: readonly Message[]): Counts {
  const counts: Partial<Record<ShownState, number>> = {}
  for (const state of items.map(shownState)) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

async function readCounts(batch: string, filter: string): Promise<Counts> {
  const [{ counts }, { totalItems: canceled }] = await Promise.all([
    pb.send<{ counts: Counts }>(`/api/sms/batches/${batch}`, {}),
    pb.collection('sms_messages').getList(1, 1, { filter: `${filter} && ${CANCELED_FILTER}`, fields: 'id' }),
  ])
  return { ...counts, canceled, failed: Math.max(0, (counts.failed ?? 0) - canceled) }
}
