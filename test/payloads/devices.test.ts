import { createHmac } from 'node:crypto'
import { joinPhone, startSmsgateFixture } from '../support/smsgate/smsgate-fixture.ts'
import { runPayloads } from './run-payloads.ts'

/** A request of the app, or an event that it posts, signed. `$DEVICE` and `$SENT` stand for ids. */
interface Sent {
  readonly at?: string
  readonly body?: unknown
  readonly event?: string
  readonly payload?: unknown
  /** The whole body of the post, if it is not JSON. */
  readonly raw?: string
}

/** `texts`: sender, number and body of each incoming text. `message`: what the sent text has become. */
interface Outcome {
  readonly status: number
  readonly answer?: unknown
  readonly texts?: readonly (readonly string[])[]
  readonly message?: string
  readonly lines?: readonly unknown[]
}

const fixture = await startSmsgateFixture()
const user = await fixture.gateway.makeUser()
const phone = await joinPhone(fixture, user)
const hook = (await phone.call('GET', '/webhooks')).body[0].url
const signingKey = (await phone.call('GET', '/settings')).body.webhooks.signing_key
const { query } = fixture.gateway

/** Accepts a text and lets the phone fetch it. Returns the id by which the phone knows it. */
async function sendText(): Promise<string> {
  const sent = await user.call('POST', '/api/sms/send', {
    recipients: ['+4915123456789'],
    body: 'Hi',
  })
  if (sent.status >= 300) throw new Error(JSON.stringify(sent.body))
  return (await phone.call('GET', '/message')).body.at(-1).id
}

async function post(body: string) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', signingKey).update(body + timestamp)
  const headers = { 'x-timestamp': timestamp, 'x-signature': signature.digest('hex') }
  const response = await phone.fetch(hook, { method: 'POST', headers, body })
  return { status: response.status, body: response.body }
}

runPayloads<Sent, Outcome>('devices', ['smsgate'], async (_, { at, body, event, payload, raw }) => {
  const wireId = JSON.stringify({ body, payload })?.includes('$SENT') ? await sendText() : ''
  await query(`delete from sms_messages where message_type = 'incoming'`)
  const fill = (value: unknown) =>
    JSON.parse(
      JSON.stringify(value ?? null)
        .replaceAll('$SENT', wireId)
        .replaceAll('$DEVICE', phone.store.registration!.id),
    )
  const [method, path] = (at ?? '').split(' ') as [string, string]
  const envelope = {
    id: 'Ey6ECgOkVVFjz3CL48B8C',
    webhookId: 'LreFUt-Z3sSq0JufY9uWB',
    deviceId: '$DEVICE',
  }
  const answer = at
    ? await phone.call(method, path, body === undefined ? undefined : fill(body))
    : await post(raw ?? JSON.stringify(fill({ ...envelope, event, payload })))
  const incoming = `select "from", "to", body from sms_messages where message_type = 'incoming' order by created`
  const found = await query('select status from sms_messages where id = $1', [wireId.split('.')[0]])
  const lines = await query('select slot, number, carrier from lines where present order by slot')
  return {
    status: answer.status,
    answer: answer.body,
    message: found[0]?.[0] as string,
    lines,
    texts: (await query(incoming)) as string[][],
  }
})
