import { useAnswer } from '../../data/use/use-answer.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Loading } from '../../parts/wait.tsx'

interface Sent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a delivery sends: the headers of the last attempt, and the body. */
export function DeliveryRequest({ id, attempts }: { id: string; attempts: number }) {
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
