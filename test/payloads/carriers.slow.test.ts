import { makeDeviceLink } from '../../src/gateway/carriers/carrier-device-link.ts'
import { counts } from '../../src/platform/tools/process-counters.ts'
import { PRESET_NAMES } from '../../src/programs/agent/drivers/http/presets.ts'
import { custom, openDriver } from '../programs/agent/drivers/http/carrier-fixture.ts'
import { SECRETS, SIGNERS } from '../programs/agent/drivers/http/carrier-signers.ts'
import { type Client, must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { startReceiver } from '../support/services/receiver.ts'
import { runPayloads } from './run-payloads.ts'

/**
 * A call: `query` after the `?`, `form` or `json` as its body, or `raw` with its `type`. `REF` stands for the
 * reference of a text that was sent. Or the `answer` to a send.
 */
interface Sent {
  readonly query?: string
  readonly form?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly raw?: string
  readonly type?: string
  readonly answer?: {
    readonly status: number
    readonly body: unknown
    readonly headers?: Record<string, string>
  }
}

/** `reported`: the status of the text REF after the call. `unknown`: how many events are not known. */
interface Outcome {
  readonly status?: number
  readonly unknown?: number
  readonly texts?: readonly { readonly from: string; readonly body: string }[]
  readonly reported?: string
  readonly error?: string
  readonly optedOut?: readonly string[]
  readonly sends?: { readonly outcome: string; readonly notSent?: boolean; readonly error?: string }
}

const carriers = await startReceiver()
const gateway = await startServerWithDevices()
const PATH = '/api/devices/carriers'
const FORM = 'application/x-www-form-urlencoded'
const KANNEL = {
  send: {
    method: 'GET',
    path: '/cgi-bin/sendsms?to={{to}}&text={{body}}&dlr-mask=31&dlr-url={{callback}}',
  },
  answer: { error: ['text'] },
  refusals: [{ status: [503], means: 'busy' }],
  receipt: {
    ref: 'ref',
    status: 'status',
    delivered: ['1'],
    failed: ['2', '16'],
    pending: ['4', '8'],
  },
  incoming: {
    when: { kind: ['text'] },
    id: 'id',
    from: 'from',
    to: 'to',
    body: 'body',
    charset: 'charset',
  },
}

/** A carrier of each preset, which no server runs. */
const opened = new Map<string, ReturnType<typeof openCarrier>>()
async function openCarrier(preset: string) {
  const user = await gateway.makeUser()
  const url = 'https://carrier.example'
  const account = { preset, url, user: 'acme', ...(preset === 'custom' && { custom: KANNEL }) }
  const { device, callback } = await must(user, 'POST', PATH, {
    account,
    secret: 'sesame',
    ...SECRETS[preset],
  })
  await gateway.query(
    `update device_carriers set node = 'n1', leased_until = now() + interval '1 hour' where device = $1`,
    [device],
  )
  return { user, device, callback: String(callback) }
}

let sends = 0
/** Sends a text by a carrier, and returns its message and the reference that the carrier got. */
async function sendText(user: Client, device: string) {
  const recipients = [`+49151${10_000_000 + sends++}`]
  const body = { recipients, body: 'Hello', device_id: device }
  const { message_ids } = await must(user, 'POST', '/api/sms/send', body)
  const link = makeDeviceLink(gateway.server.services, { device, user: user.id })
  const claimed = await link.call<{ items: { id: string; attempt: number }[] }>(
    '/api/devices/claim',
    {
      limit: 1,
    },
  )
  const [{ id, attempt }] = claimed.body.items as [{ id: string; attempt: number }]
  expect(id).toBe(message_ids[0])
  await link.call('/api/devices/report', { items: [{ id, attempt, status: 'sent' }] })
  return { id, ref: `${id}.${attempt}` }
}

async function takeCall(preset: string, sent: Sent): Promise<Outcome> {
  if (!opened.has(preset)) opened.set(preset, openCarrier(preset))
  const { user, device, callback } = await opened.get(preset)!
  const text = JSON.stringify(sent).includes('REF') ? await sendText(user, device) : undefined
  const fill = (given: string) => given.replaceAll('REF', text?.ref ?? '')
  const body = fill(
    sent.form
      ? new URLSearchParams(sent.form).toString()
      : (sent.raw ?? JSON.stringify(sent.json) ?? ''),
  )
  const query = sent.query === undefined ? '' : `?${fill(sent.query)}`
  const type = sent.type ?? (sent.form ? FORM : 'application/json')
  const headers = {
    ...(body !== '' && { 'content-type': type }),
    ...SIGNERS[preset]?.sign(callback + query, body),
  }
  const count = () => counts.carrierUnknownEvents[preset] ?? 0
  const before = count()
  const known = (await received(user)).map(({ id }) => id)
  const url = gateway.url + new URL(callback).pathname + query
  const { status } = await fetch(url, {
    method: body === '' ? 'GET' : 'POST',
    headers,
    ...(body !== '' && { body }),
  })
  const texts = (await received(user)).filter(({ id }) => !known.includes(id))
  const message =
    text && (await must(user, 'GET', `/api/collections/sms_messages/records/${text.id}`))
  const out = await gateway.query('select phone from contacts where "user" = $1 and opted_out', [
    user.id,
  ])
  return {
    status,
    unknown: count() - before,
    texts: texts.map(({ from, body }) => ({ from, body })),
    ...(message && { reported: message.status, error: message.error_message }),
    optedOut: out.map(([phone]) => String(phone)),
  }
}

interface Received extends Readonly<Record<'id' | 'from' | 'body', string>> {}

const received = async (user: Client): Promise<readonly Received[]> =>
  (
    await must(
      user,
      'GET',
      '/api/collections/sms_messages/records?perPage=200&filter=status%3D%22received%22',
    )
  ).items

/** Lets the driver of a preset send a text to a carrier that gives the answer. */
async function sendTo(
  preset: string,
  { status, body, headers }: NonNullable<Sent['answer']>,
): Promise<Outcome> {
  carriers.answer(status, typeof body === 'string' ? body : JSON.stringify(body), headers)
  const own = { ...custom(carriers.url), custom: KANNEL }
  const account = {
    preset,
    url: carriers.url,
    user: 'acme',
    secret: 'sesame',
    senders: ['+4930123'],
  }
  const { send } = await openDriver(preset === 'custom' ? own : account)
  return { sends: await send({}, 300) }
}

runPayloads<Sent, Outcome>('carriers', PRESET_NAMES, (preset, sent) =>
  sent.answer ? sendTo(preset, sent.answer) : takeCall(preset, sent),
)

test('the metric counts the unknown events of each preset', async () => {
  const headers = { authorization: gateway.superuser.token }
  const before = counts.carrierUnknownEvents.custom ?? 0
  await takeCall('custom', { json: { kind: 'call', from: '+4915123456789' } })
  const metrics = await (await fetch(`${gateway.url}/metrics`, { headers })).text()
  expect(metrics).toContain(`pocketsms_carrier_unknown_events_total{preset="custom"} ${before + 1}`)
})
