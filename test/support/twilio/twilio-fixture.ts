import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Logger } from '../../../src/platform/log.ts'
import { request } from '../server/request.ts'
import { type Client, must, startServerWithDevices } from '../server/server-with-devices.ts'
import { listenLocally } from '../services/listen.ts'
import { until } from '../until.ts'

interface RawOptions {
  readonly body?: string | URLSearchParams
  readonly headers?: object
  readonly login?: string
}

export async function startTwilioFixture(env: Record<string, string> = {}, log?: Logger) {
  const gateway = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true', ...env }, log)
  return {
    gateway,
    async makeUser() {
      const user = await gateway.makeUser()
      return userOf(gateway.url, user, await makeKey(user))
    },
  }
}

/** The answer to the create of a key. */
export async function makeKey(user: Client, values: object = {}) {
  const body = { user: user.id, name: 'app', twilio: true, ...values }
  const made = await must(user, 'POST', '/api/collections/api_keys/records', body)
  return made as {
    id: string
    key: string
    account_sid: string
    auth_token: string
    key_sid: string
  }
}

export type TwilioUser = ReturnType<typeof userOf>

/** A user with a key for Twilio's API. */
function userOf(url: string, user: Client, key: Awaited<ReturnType<typeof makeKey>>) {
  /** A request with a path from the root. */
  const raw = (method: string, path: string, options: RawOptions = {}) => {
    const { body, headers = {}, login = `${key.account_sid}:${key.auth_token}` } = options
    const authorization = `Basic ${btoa(login)}`
    return request(url, method, path, body, { ...(login && { authorization }), ...headers })
  }
  /** A request below the account, as `Messages.json`, with a form for a POST. */
  const ask = (method: string, path: string, form?: Record<string, string>, headers: object = {}) =>
    raw(method, `/2010-04-01/Accounts/${key.account_sid}/${path}`, {
      ...(form && { body: new URLSearchParams(form) }),
      headers,
    })
  return {
    user,
    sid: key.account_sid,
    token: key.auth_token,
    keySid: key.key_sid,
    keyId: key.id,
    raw,
    ask,
    /** Sends a text, of 'Hi' to +4915112345678 unless the form says otherwise. */
    send: (form: Record<string, string> = {}, headers?: object) =>
      ask('POST', 'Messages.json', { To: '+4915112345678', Body: 'Hi', ...form }, headers),
  }
}

/** A phone of a user, with a number. */
export const pairPhone = async (
  fixture: Awaited<ReturnType<typeof startTwilioFixture>>,
  { user }: TwilioUser,
  phone: string,
  name = 'Phone',
) => {
  const device = await fixture.gateway.pair(user, {})
  await user.call('PATCH', `/api/collections/devices/records/${device.id}`, { phone, name })
  return device
}

/** Has a phone claim what waits for it, and report it. */
export async function report(
  phone: Client,
  ...statuses: (string | [string, string])[]
): Promise<number> {
  const { items } = (await phone.call('POST', '/api/devices/claim', { limit: 50 })).body
  await reportAs(phone, items, ...statuses)
  return items.length
}

export async function reportAs(
  phone: Client,
  claimed: readonly { id: string; attempt: number }[],
  ...statuses: (string | [string, string])[]
): Promise<void> {
  for (const one of statuses) {
    const [status, error_message] = typeof one === 'string' ? [one] : one
    const items = claimed.map(({ id, attempt }) => ({
      id,
      attempt,
      status,
      ...(error_message && { error_message }),
    }))
    if (items.length === 0) return
    await must(phone, 'POST', '/api/devices/report', { items })
  }
}

/** The code in the last text that waits for a phone. */
export async function codeOn(phone: Client): Promise<string> {
  const { items } = (await phone.call('POST', '/api/devices/claim', { limit: 50 })).body
  await reportAs(phone, items, 'sent')
  return /\d{4,10}/.exec(items.at(-1).body)![0]
}

/** A text that a phone received. */
export async function receive(
  phone: Client,
  from: string,
  body: string,
  at = Date.now(),
): Promise<string> {
  const items = [{ from, body, received_at: new Date(at).toISOString() }]
  return (await must(phone, 'POST', '/api/devices/incoming', { items })).ids[0]
}

/** A call as an app got it. */
export interface AppCall {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly form: Readonly<Record<string, string>>
}

/** An app that is called: a real server that keeps what it got. `behave`: how it answers; 204 by default. */
export async function startApp() {
  const calls: AppCall[] = []
  type Behave = (call: AppCall, res: ServerResponse, req: IncomingMessage) => void
  let behave: Behave = (_, res) => res.writeHead(204).end()
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const url = `http://${req.headers.host}${req.url}`
    const query = Object.fromEntries(new URL(url).searchParams)
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()))
    const call = {
      method: req.method ?? '',
      url,
      headers: req.headers as Record<string, string>,
      form: req.method === 'GET' ? query : form,
    }
    calls.push(call)
    behave(call, res, req)
  })
  return {
    ...(await listenLocally(server)),
    calls,
    behave(next: Behave) {
      behave = next
    },
    answer(status: number, body = '', type = 'text/xml') {
      behave = (_, res) => res.writeHead(status, { 'content-type': type }).end(body)
    },
    async heard(count: number): Promise<readonly AppCall[]> {
      await until(`${count} calls`, () => calls.length >= count)
      return calls
    },
  }
}

export type App = Awaited<ReturnType<typeof startApp>>

/** What Twilio's documentation says X-Twilio-Signature is, under the token itself. */
export function signatureOf(token: string, { method, url, form }: AppCall): string {
  const names = method === 'GET' ? [] : Object.keys(form).sort()
  const data = url + names.map((name) => name + form[name]).join('')
  return createHmac('sha1', token).update(data).digest('base64')
}
