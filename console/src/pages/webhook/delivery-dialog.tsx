import type { Delivery } from '../../data/record-types.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { findConnectionFault } from '../../data/words/fault-sentences.ts'
import { t, tn, tx } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { ButtonLink, FaultNotice } from '../../parts/form/form.tsx'
import { Loading } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { makePageHref } from '../../router.ts'
import { DeliveryStatus } from './delivery-status.tsx'

function LastAnswer({
  delivery: { response_status, response_body, attempts },
}: {
  delivery: Delivery
}) {
  if (attempts === 0) return <p class="muted">{t('Not called yet.')}</p>
  if (response_body === '') return <p class="muted">{t('Empty.')}</p>
  const words = response_status === 0 ? findConnectionFault(response_body) : undefined
  return (
    <>
      {words && <p>{words}</p>}
      <CodeBlock code={response_body} />
    </>
  )
}

export const DeliveryDialog = ({
  delivery,
  onClose,
}: {
  delivery: Delivery
  onClose: () => void
}) => (
  <Dialog title={delivery.event} onClose={onClose} wide>
    <p class="row">
      <DeliveryStatus delivery={delivery} />
      <span class="muted">
        {tn('1 try', '{count} tries', delivery.attempts)}, <Time at={delivery.created} />
      </span>
      {delivery.status === 'pending' && delivery.next_attempt_at && (
        <span class="muted">
          {tx('next {when}', { when: <Time at={delivery.next_attempt_at} /> })}
        </span>
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
        <ButtonLink href={makePageHref(`/messages/${delivery.message}`)}>
          {t('See the message')}
        </ButtonLink>
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
  const { value, fault } = useAnswer<Sent>(
    `/api/webhooks/deliveries/${id}/request?attempts=${attempts}`,
  )
  if (fault) return <FaultNotice fault={fault} />
  if (!value) return <Loading />
  const headers = Object.entries(value.headers).map(([name, text]) => `${name}: ${text}`)
  return (
    <>
      {headers.length > 0 && <CodeBlock code={headers.join('\n')} />}
      <CodeBlock code={formatBody(value.body)} original={value.body} />
    </>
  )
}

/** Formats JSON over several lines, and a form body with one line for each parameter. */
function formatBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return [...new URLSearchParams(body)].map(([name, value]) => `${name}=${value}`).join('\n')
  }
}
