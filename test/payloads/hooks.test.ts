import { PRESETS } from '../../src/portable/hook-presets.ts'
import { must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { runPayloads } from './run-payloads.ts'

interface Sent {
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly text?: string
  readonly method?: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Fields of the hook. */
  readonly hook?: object
}

interface Outcome {
  readonly status?: number
  readonly outcome?: string
  /** The text that a phone claims, and its number. */
  readonly text?: string
  readonly to?: string
  /** The answer, if it is not that of a hook. */
  readonly answer?: unknown
  /** The refusal, as the call is stored. */
  readonly error?: string
}

const fixture = await startServerWithDevices()
const user = await fixture.makeUser()
const phone = await fixture.pair(user)
const RECORDS = '/api/collections/hooks/records'

/** A tool posts to a hook with the preset: the answer, the stored call, and the text that a phone claims. */
runPayloads<Sent, Outcome>('hooks', Object.keys(PRESETS), async (preset, sent) => {
  await fixture.query(`delete from auth_tries where key like 'code %'`)
  const { codes } = PRESETS[preset as keyof typeof PRESETS]
  const values = { user: user.id, name: 'Tool', preset, max_parts: 10, ...sent.hook }
  const hook = await must(user, 'POST', RECORDS, {
    ...values,
    ...(codes || { recipients: ['+4915112345678'] }),
  })
  const { json, form, text = '', method = 'POST', query = '', headers } = sent
  const body = form ? new URLSearchParams(form) : json === undefined ? text : JSON.stringify(json)
  const type = { 'content-type': json === undefined ? 'text/plain' : 'application/json' }
  const answer = await fetch(`${fixture.url}/api/hooks/${hook.secret}${query}`, {
    method,
    headers: { ...(form ? {} : type), ...headers },
    ...(method === 'POST' && { body }),
  })
  const raw = await answer.text()
  const [call] = await fixture.query('select outcome, error from hook_calls where hook = $1', [
    hook.id,
  ])
  const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 10 })
  for (const { id, attempt } of items)
    await must(phone, 'POST', '/api/devices/report', { items: [{ id, attempt, status: 'sent' }] })
  await must(user, 'DELETE', `${RECORDS}/${hook.id}`)
  const read = answer.headers.get('content-type')?.includes('json') ? JSON.parse(raw) : raw
  const [outcome, error] = (call ?? []) as string[]
  return {
    status: answer.status,
    outcome,
    error,
    answer: read,
    text: items[0]?.body,
    to: items[0]?.to,
  } as Outcome
})
