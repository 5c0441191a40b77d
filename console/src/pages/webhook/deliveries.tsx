import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { Delivery, Webhook } from '../../data/records.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useList } from '../../data/use/use-list.ts'
import { type Task, useTask } from '../../data/use/use-task.ts'
import { postWebhooks } from '../../data/webhooks/webhooks.ts'
import { connectionFault } from '../../data/words/fault-sentences.ts'
import type { Tone } from '../../data/words/message-states.ts'
import { t, tn, tx } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button, ButtonLink, Notice } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { actionsColumn, type Column, Records } from '../../parts/list/table.tsx'
import { Loading } from '../../parts/page.tsx'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { Badge, Time } from '../../parts/time.tsx'
import { attempt } from '../../parts/toast.tsx'
import { to } from '../../router.ts'

export function Deliveries({ webhook }: { webhook: Webhook }) {
  const filter = pb.filter('webhook = {:id}', { id: webhook.id })
  const deliveries = useList<Delivery>('webhook_deliveries', { filter, perPage: 20 })
  const [open, setOpen] = useState<Delivery>()
  const [isResending, setResending] = useState(false)
  const sending = useTask(attempt)
  const test = (
    <Button
      icon="send"
      busy={sending.busy}
      disabled={!webhook.enabled}
      onClick={() => void sending.run(() => postWebhooks(`${webhook.id}/test`), t('Test sent'))}
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
  actionsColumn((delivery) => [
    { words: t('Details'), onClick: () => open(delivery) },
    {
      ...{ icon: 'again', words: t('Send again'), disabled: !webhook.enabled || sending.busy },
      onClick: () => sending.run(() => postWebhooks(`deliveries/${delivery.id}/resend`), t('Sent again')),
    },
  ]),
]

const took = ({ attempts, latency_ms }: Delivery) =>
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
    const { resent } = await postWebhooks<{ resent: number }>(`${webhook.id}/resend-failed`, { since })
    return tn('One delivery is sent again', '{count} deliveries are sent again', resent)
  }
  return (
    <Dialog title={t('Send failed ones again')} onClose={onClose}>
      <RowsForm
        rows={[{ name: 'hours', label: t('That failed in'), kind: 'select', choices: SPANS }]}
        {...{ draftKey: 'resend', stored: { hours: '24' }, save, action: t('Send again') }}
        {...{ onDone: onClose, onCancel: onClose }}
      />
    </Dialog>
  )
}

function LastAnswer({ delivery: { response_status, response_body, attempts } }: { delivery: Delivery }) {
  if (attempts === 0) return <p class="muted">{t('Not called yet.')}</p>
  if (response_body === '') return <p class="muted">{t('Empty.')}</p>
  const words = response_status === 0 ? connectionFault(response_body) : undefined
  return (
    <>
      {words && <p>{words}</p>}
      <CodeBlock code={response_body} />
    </>
  )
}

const DeliveryDialog = ({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) => (
  <Dialog title={delivery.event} onClose={onClose} wide>
    <p class="row">
      <DeliveryStatus delivery={delivery} />
      <span class="muted">
        {tn('1 try', '{count} tries', delivery.attempts)}, <Time at={delivery.created} />
      </span>
      {delivery.status === 'pending' && delivery.next_attempt_at && (
        <span class="muted">{tx('next {when}', { when: <Time at={delivery.next_attempt_at} /> })}</span>
      )}
    </p>
    <div class="stack">
      <h3>
        {t('Last response')}
        {delivery.response_status > 0 && `: ${delivery.response_status}`}
      </h3>
      <LastAnswer delivery={delivery} />
    </div>
    <div class="stack">
      <h3>{delivery.attempts > 0 ? t('Last request') : t('Request')}</h3>
      <DeliveryRequest id={delivery.id} attempts={delivery.attempts} />
    </div>
    {delivery.message && (
      <div>
        <ButtonLink href={to(`/messages/${delivery.message}`)}>{t('See the message')}</ButtonLink>
      </div>
    )}
  </Dialog>
)

interface Sent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

function DeliveryRequest({ id, attempts }: { id: string; attempts: number }) {
  // each attempt changes the signature: with `attempts` in the URL, useAnswer reads again after each
  const { value, fault } = useAnswer<Sent>(`/api/webhooks/deliveries/${id}/request?attempts=${attempts}`)
  if (fault) return <Notice kind="wrong">{fault.message}</Notice>
  if (!value) return <Loading />
  const headers = Object.entries(value.headers).map(([name, text]) => `${name}: ${text}`)
  return (
    <>
      {headers.length > 0 && <CodeBlock code={headers.join('\n')} />}
      <CodeBlock code={readable(value.body)} original={value.body} />
    </>
  )
}

/** Formats JSON over several lines, and a form body with one line for each parameter. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return [...new URLSearchParams(body)].map(([name, value]) => `${name}=${value}`).join('\n')
  }
}

const STATES: Readonly<Record<Delivery['status'], readonly [Tone, string]>> = {
  pending: ['busy', t('Waiting')],
  delivered: ['good', t('Delivered')],
  failed: ['bad', t('Failed')],
}

const DeliveryStatus = ({ delivery: { status, attempts } }: { delivery: Delivery }) =>
  status === 'pending' && attempts > 0 ? (
    <Badge tone="warn">{t('Trying again')}</Badge>
  ) : (
    <Badge tone={STATES[status][0]}>{STATES[status][1]}</Badge>
  )
