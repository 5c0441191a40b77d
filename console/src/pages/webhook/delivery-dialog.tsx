import type { Delivery } from '../../data/records.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { connectionFault } from '../../data/words/fault-sentences.ts'
import type { Tone } from '../../data/words/message-states.ts'
import { t, tn, tx } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { ButtonLink } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Badge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Loading } from '../../parts/wait.tsx'
import { to } from '../../router.ts'

/** The receiver's answer, or why there is none. */
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

/** One delivery: the last answer and its request. */
export const DeliveryDialog = ({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) => (
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

/** What a delivery sends: the headers of the last attempt, and the body. */
function DeliveryRequest({ id, attempts }: { id: string; attempts: number }) {
  // read again after each attempt, as each has a signature of its own
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

/** JSON over several lines; a form with a line for each parameter. */
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

/** The state of a delivery. */
export const DeliveryStatus = ({ delivery: { status, attempts } }: { delivery: Delivery }) =>
  status === 'pending' && attempts > 0 ? (
    <Badge tone="warn">{t('Trying again')}</Badge>
  ) : (
    <Badge tone={STATES[status][0]}>{STATES[status][1]}</Badge>
  )
