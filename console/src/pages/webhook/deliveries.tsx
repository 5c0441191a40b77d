import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { Delivery, Webhook } from '../../data/record-types.ts'
import { useList } from '../../data/use/use-list.ts'
import { type Task, useTask } from '../../data/use/use-task.ts'
import { postWebhooks } from '../../data/webhooks/webhooks.ts'
import { findConnectionFault } from '../../data/words/fault-sentences.ts'
import { t, tn } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/form.tsx'
import { makeActionsColumn } from '../../parts/list/actions-column.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { Time } from '../../parts/time.tsx'
import { runWithToast } from '../../parts/toast.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { DeliveryStatus } from './delivery-status.tsx'

export function Deliveries({ webhook }: { webhook: Webhook }) {
  const filter = pb.filter('webhook = {:id}', { id: webhook.id })
  const deliveries = useList<Delivery>('webhook_deliveries', { filter, perPage: 10 })
  const failed = useList<Delivery>('webhook_deliveries', {
    filter: `${filter} && status = "failed"`,
    perPage: 1,
  })
  const [open, setOpen] = useState<Delivery>()
  const [isResending, setResending] = useState(false)
  const sending = useTask(runWithToast)
  const test = (
    <Button
      icon="send"
      busy={sending.busy}
      disabled={!webhook.enabled}
      onClick={() =>
        void sending.run(() => postWebhooks(`${webhook.id}/test`), t('The test is being sent'))
      }
    >
      {t('Send a test')}
    </Button>
  )
  return (
    <section class="stack">
      <div class="page-head">
        <h2>{t('Deliveries')}</h2>
        {deliveries.total > 0 && (
          <div class="page-actions">
            {failed.total > 0 && (
              <Button icon="again" disabled={!webhook.enabled} onClick={() => setResending(true)}>
                {t('Send failed ones again')}
              </Button>
            )}
            {test}
          </div>
        )}
      </div>
      <Records
        list={deliveries}
        caption={t('Deliveries')}
        isFollowed
        columns={makeDeliveryColumns(webhook, setOpen, sending)}
        empty={
          <Empty icon="webhooks" title={t('Nothing delivered yet')} action={test}>
            {webhook.enabled
              ? t('Send a test to see whether the address answers.')
              : t('The webhook is off: switch it on to deliver.')}
          </Empty>
        }
      />
      {open && (
        <DeliveryDialog
          delivery={deliveries.items.find(({ id }) => id === open.id) ?? open}
          onClose={() => setOpen(undefined)}
        />
      )}
      {isResending && <ResendFailed webhook={webhook} onClose={() => setResending(false)} />}
    </section>
  )
}

const makeDeliveryColumns = (
  webhook: Webhook,
  open: (delivery: Delivery) => void,
  sending: Task<[() => Promise<unknown>, string]>,
): readonly Column<Delivery>[] => [
  { title: t('Event'), cell: ({ event }) => <EventName event={event} /> },
  { title: t('State'), cell: (delivery) => <DeliveryStatus delivery={delivery} /> },
  { title: t('Response'), long: true, cell: describeResponse },
  { title: t('Took'), align: 'end', minor: true, cell: (delivery) => formatLatency(delivery) },
  { title: t('Tries'), align: 'end', minor: true, cell: (delivery) => delivery.attempts },
  { title: t('When'), cell: (delivery) => <Time at={delivery.created} /> },
  makeActionsColumn((delivery) => [
    { words: t('Details'), onClick: () => open(delivery) },
    {
      icon: 'again',
      words: t('Send again'),
      disabled: !webhook.enabled || sending.busy,
      onClick: () =>
        sending.run(() => postWebhooks(`deliveries/${delivery.id}/resend`), t('Sent again')),
    },
  ]),
]

/** Breaks behind a dot or an underscore, never inside a word. */
const EventName = ({ event }: Pick<Delivery, 'event'>) => (
  <span class="wraps">
    {event.split(/(?<=[._])/).flatMap((part) => [part, <wbr key={part} />])}
  </span>
)

const describeResponse = ({ attempts, response_status, response_body }: Delivery) =>
  response_status || (attempts > 0 && (findConnectionFault(response_body) ?? response_body)) || '–'

const formatLatency = ({ attempts, latency_ms }: Delivery) =>
  attempts > 0 ? t('{count} ms', { count: Math.round(latency_ms) }) : '–'

const HOUR_MS = 3_600_000
const SPANS = [
  ['1', t('The last hour')],
  ['24', t('The last day')],
  ['72', t('The last three days')],
  ['720', t('The last 30 days')],
] as const

/** A dialog that resends deliveries that failed in a period, as during an outage of the receiver. */
function ResendFailed({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const save = async (_: unknown, { hours }: { hours?: unknown }) => {
    const since = new Date(Date.now() - Number(hours) * HOUR_MS)
    const { resent } = await postWebhooks<{ resent: number }>(`${webhook.id}/resend-failed`, {
      since,
    })
    return tn('One delivery is sent again', '{count} deliveries are sent again', resent)
  }
  return (
    <Dialog title={t('Send failed ones again')} onClose={onClose}>
      <RowsForm
        rows={[{ name: 'hours', label: t('Failed in'), kind: 'select', choices: SPANS }]}
        draftKey="resend"
        stored={{ hours: '24' }}
        save={save}
        action={t('Send again')}
        onDone={onClose}
        onCancel={onClose}
      />
    </Dialog>
  )
}
