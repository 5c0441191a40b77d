import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { Delivery, Webhook } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'
import { type Task, useTask } from '../../data/use/use-task.ts'
import { resend, resendFailed, sendTest } from '../../data/webhooks/webhooks.ts'
import { t, tn } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { SelectField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Time } from '../../parts/time.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'
import { DeliveryDialog, DeliveryStatus } from './delivery-dialog.tsx'

/** The deliveries to a webhook, newest first, with buttons that resend them. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const filter = pb.filter('webhook = {:id}', { id: webhook.id })
  const deliveries = useList<Delivery>('webhook_deliveries', { filter, perPage: 20 })
  const [open, setOpen] = useState<Delivery>()
  const [isResending, setResending] = useState(false)
  const sending = useTask((work: () => Promise<unknown>, done: string) => attempt(work, done))
  const test = (
    <Button
      icon="send"
      busy={sending.busy}
      disabled={!webhook.enabled}
      onClick={() => void sending.run(() => sendTest(webhook.id), t('Test sent'))}
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
            <Button icon="again" disabled={!webhook.enabled} onClick={() => setResending(true)}>
              {t('Send failed ones again')}
            </Button>
            {test}
          </div>
        )}
      </div>
      <Records
        list={deliveries}
        caption={t('Deliveries')}
        columns={columns(webhook, setOpen, sending)}
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

const columns = (
  webhook: Webhook,
  open: (delivery: Delivery) => void,
  sending: Task<[() => Promise<unknown>, string]>,
): readonly Column<Delivery>[] => [
  { title: t('Event'), cell: (delivery) => delivery.event },
  { title: t('State'), cell: (delivery) => <DeliveryStatus delivery={delivery} /> },
  { title: t('Response'), align: 'end', cell: (delivery) => delivery.response_status || '–' },
  { title: t('Took'), align: 'end', cell: (delivery) => took(delivery) },
  { title: t('Tries'), align: 'end', cell: (delivery) => delivery.attempts },
  { title: t('When'), cell: (delivery) => <Time at={delivery.created} /> },
  {
    title: t('Actions'),
    bare: true,
    align: 'end',
    cell: (delivery) => (
      <>
        <Button kind="quiet" onClick={() => open(delivery)}>
          {t('Details')}
        </Button>
        <Button
          kind="quiet"
          icon="again"
          iconOnly
          disabled={!webhook.enabled || sending.busy}
          onClick={() => void sending.run(() => resend(delivery.id), t('Sent again'))}
        >
          {t('Send again')}
        </Button>
      </>
    ),
  },
]

const took = ({ attempts, latency_ms }: Delivery) =>
  attempts > 0 ? t('{count} ms', { count: Math.round(latency_ms) }) : '–'

/** Runs an action and shows a toast with the result or the fault. */
async function attempt(work: () => Promise<unknown>, done: string): Promise<void> {
  try {
    await work()
    toast(done)
  } catch (error) {
    toastFault(error)
  }
}

const HOUR_MS = 3_600_000
const SPANS = [
  ['1', t('The last hour')],
  ['24', t('The last day')],
  ['72', t('The last three days')],
  ['720', t('The last 30 days')],
] as const

/** Resends all deliveries that failed in a period, as after an outage of the receiver. */
function ResendFailed({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [hours, setHours] = useState('24')
  const send = useTask(async () => {
    const { resent } = await resendFailed(webhook.id, new Date(Date.now() - Number(hours) * HOUR_MS))
    toast(tn('One delivery is sent again', '{count} deliveries are sent again', resent))
    onClose()
  })
  return (
    <Dialog title={t('Send failed ones again')} onClose={onClose}>
      <Form onSubmit={send.run} fault={send.fault}>
        <SelectField
          label={t('That failed in')}
          name="since"
          choices={SPANS}
          value={hours}
          onValue={setHours}
        />
        <FormActions busy={send.busy} onCancel={onClose}>
          {t('Send again')}
        </FormActions>
      </Form>
    </Dialog>
  )
}
