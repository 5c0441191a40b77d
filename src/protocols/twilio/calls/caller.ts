import { createHmac } from 'node:crypto'
import about from '../../../../package.json' with { type: 'json' }
import type { Store } from '../../../collections/catalog.ts'
import type { Config } from '../../../config.ts'
import { type ResponseHead, sendOutgoing } from '../../../outgoing/send.ts'
import type { AcceptConfig } from '../../../sms/send/accept.ts'
import { type CallOutcome, type SentHeaders, TIMEOUT_MS } from '../../../webhooks/call-webhook.ts'
import type { DueDelivery } from '../../../webhooks/due.ts'
import { MAX_ANSWER_BYTES } from './twiml.ts'

/** Services for calls in Twilio's form. */
export interface CallServices {
  readonly store: Store
  readonly config: AcceptConfig &
    Pick<Config, 'maxRecipients' | 'webhookAllowPrivate' | 'optWords' | 'publicUrl'>
}

/** Makes the signed requests of one delivery. Together they may take as long as one call. */
export function callerFor(
  { eventId }: DueDelivery,
  form: Form,
  signingKey: string,
  config: CallServices['config'],
  signal: AbortSignal,
) {
  const endMs = performance.now() + TIMEOUT_MS
  const caller = {
    signal,
    /** Headers of the first request, without the URL's password. */
    firstHeaders: undefined as SentHeaders | undefined,
    async call(address: string, method: 'GET' | 'POST'): Promise<ResponseHead> {
      if (!URL.canParse(address)) throw new Error(`${address} is not an address`)
      const request = signedRequest(address, method, form, signingKey, {
        accept: '*/*',
        'user-agent': `TwilioProxy/1.1 pocketsms/${about.version}`,
        'i-twilio-idempotency-token': eventId,
      })
      const { authorization: _, ...headers } = request.headers
      caller.firstHeaders ??= headers
      return sendOutgoing(request, {
        allowPrivate: config.webhookAllowPrivate,
        maxBodyBytes: MAX_ANSWER_BYTES + 1,
        timeoutMs: Math.max(1, endMs - performance.now()),
        signal,
      })
    },
  }
  return caller
}
export type Caller = ReturnType<typeof callerFor>

/** Parameters of a call. No name comes twice, as validators of signatures differ on that. */
export type Form = ReadonlyMap<string, string>

/** X-Twilio-Signature. `key`: the token's SHA-1. https://www.twilio.com/docs/usage/security */
function sign(key: string, url: string, form: Form): string {
  const sorted = [...form].sort(([a], [b]) => (a < b ? -1 : 1))
  const data = url + sorted.map(([name, value]) => name + value).join('')
  return createHmac('sha1', Buffer.from(key, 'hex')).update(data).digest('base64')
}

/** A request to an address that is parsed once, so that the sent address is the signed one. */
function signedRequest(
  address: string,
  method: 'GET' | 'POST',
  form: Form,
  key: string,
  more: Readonly<Record<string, string>>,
) {
  const to = new URL(address)
  const encoded = new URLSearchParams([...form]).toString()
  const query = method === 'GET' ? `${to.search === '' ? '?' : `${to.search}&`}${encoded}` : to.search
  // parsed again, as the search of a URL is escaped in its own way
  const { protocol, host, pathname, search } = new URL(`${to.protocol}//${to.host}${to.pathname}${query}`)
  const url = `${protocol}//${host}${pathname}${search}`
  const body = method === 'POST' ? encoded : undefined
  return {
    url,
    method,
    headers: {
      ...more,
      ...basicOf(to),
      ...(body !== undefined && {
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        'content-length': Buffer.byteLength(body),
      }),
      'x-twilio-signature': sign(key, url, method === 'POST' ? form : new Map()),
    },
    body,
  }
}

function basicOf({ username, password }: URL): { authorization?: string } {
  if (username === '' && password === '') return {}
  const pair = `${unescaped(username)}:${unescaped(password)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A delivery's outcome, without its duration. */
export type Outcome = Omit<CallOutcome, 'latencyMs'>

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** A final outcome of a delivery. `status`: 0 without an answer. */
export const failed = (status: number, text: string) =>
  ({ status, text, retryAfter: 0, verdict: 'failed' }) satisfies Outcome

/** The outcome of a call that got no answer: it is tried again. `text`: why. */
export const unanswered = (text: string): Outcome => ({ ...failed(0, text), verdict: 'again' })

/** The outcome of a call that was answered: 5xx and 429 are tried again, other errors end the delivery. */
export const outcomeOf = (status: number, text: string): Outcome => ({
  ...failed(status, text),
  verdict: isSuccess(status) ? 'delivered' : status >= 500 || status === 429 ? 'again' : 'failed',
})
