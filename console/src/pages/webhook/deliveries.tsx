import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { Delivery, Webhook } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'
import { resend, sendTest } from '../../data/webhooks.ts'
import { Button } from '../../parts/form/button.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Time } from '../../parts/time.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { DeliveryStatus } from './delivery-status.tsx'
import { ResendFailed } from './resend-failed.tsx'

/** What was delivered to a webhook, newest first, and how to send again. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const filter = pb.filter('webhook = {:id}', { id: webhook.id })
  const deliveries = useList<Delivery>('webhook_deliveries', { filter, perPage: 20 })
  const [open, setOpen] = useState<Delivery>()
  const [isResending, setResending] = useState(false)
  const test = (
    <Button
      icon="send"
      disabled={!webhook.enabled}
      onClick={() => void attempt(() => sendTest(webhook.id), 'Test sent')}
    >
      Send a test
    </Button>
  )
  return (
    <section class="stack">
      <div class="page-head">
        <h2>Deliveries</h2>
        {deliveries.total > 0 && (
          <div class="page-actions">
            <Button icon="again" disabled={!webhook.enabled} onClick={() => setResending(true)}>
              Send failed ones again
            </Button>
            {test}
          </div>
        )}
      </div>
      <Records
        list={deliveries}
        caption="Deliveries"
        columns={columns(webhook, setOpen)}
        empty={
          <Empty icon="webhooks" title="Nothing delivered yet" action={test}>
            {webhook.enabled
              ? 'Send a test to see whether the address answers.'
              : 'The webhook is off: switch it on to deliver.'}
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

const columns = (webhook: Webhook, open: (delivery: Delivery) => void): readonly Column<Delivery>[] => [
  { title: 'Event', cell: (delivery) => delivery.event },
  { title: 'State', cell: (delivery) => <DeliveryStatus delivery={delivery} /> },
  { title: 'Answer', align: 'end', cell: (delivery) => delivery.response_status || '–' },
  { title: 'Took', align: 'end', cell: (delivery) => took(delivery) },
  { title: 'Tries', align: 'end', cell: (delivery) => delivery.attempts },
  { title: 'When', cell: (delivery) => <Time at={delivery.created} /> },
  {
    title: 'Actions',
    bare: true,
    align: 'end',
    cell: (delivery) => (
      <>
        <Button kind="quiet" onClick={() => open(delivery)}>
          Details
        </Button>
        <Button
          kind="quiet"
          icon="again"
          iconOnly
          disabled={!webhook.enabled}
          onClick={() => void attempt(() => resend(delivery.id), 'Sent again')}
        >
          Send again
        </Button>
      </>
    ),
  },
]

const took = ({ attempts, latency_ms }: Delivery) => (attempts > 0 ? `${Math.round(latency_ms)} ms` : '–')

/** Does it and says so, or says what it failed with. */
async function attempt(work: () => Promise<unknown>, done: string): Promise<void> {
  try {
    await work()
    toast(done)
  } catch (error) {
    toastFault(error)
  }
}
