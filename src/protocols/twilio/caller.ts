import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { SaxesParser } from 'saxes'
import about from '../../../package.json' with { type: 'json' }
import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { type ResponseHead, sendOutgoing } from '../../outgoing/send.ts'
import { charsetOf, decodeText } from '../../tools/charset.ts'
import { type CallOutcome, type SentHeaders, TIMEOUT_MS } from '../../webhooks/call-webhook.ts'
import type { DueDelivery } from '../../webhooks/due-delivery.ts'
import { TwilioRefusal } from './wire.ts'

interface Twiml {
  readonly messages: readonly TwimlMessage[]
  /** The next document; undefined for none. Messages after a `<Redirect>` are not sent. */
  readonly redirect: { readonly url: string; readonly method: 'GET' | 'POST' } | undefined
}

/** A `<Message>`. Attributes are '' when they are absent. */
export type TwimlMessage = Readonly<Record<'body' | 'to' | 'from' | 'callback', string>>

const NO_XML = 12100
const WRONG_VERB = 14110
const MESSAGE_VERBS = new Set(['Message', 'Sms'])

interface OpenVerb {
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
  text: string
  /** The text of its `<Body>` elements; undefined without one. */
  body: string | undefined
}

/** Reads a TwiML document. Throws TwilioRefusal 12100 for invalid XML or a DTD, 14110 for a wrong verb. */
function readTwiml(text: string): Twiml {
  const messages: TwimlMessage[] = []
  let redirect: Twiml['redirect']
  let verb: OpenVerb | undefined
  let depth = 0
  const parser = new SaxesParser({ xmlns: false, position: false })
  parser.on('error', ({ message }) => {
    throw new TwilioRefusal(NO_XML, `The answer is no XML: ${message}`)
  })
  parser.on('doctype', () => {
    throw new TwilioRefusal(NO_XML, 'The answer has a document type')
  })
  parser.on('opentag', ({ name, attributes }) => {
    depth++
    if (depth === 1 && name !== 'Response') throw new TwilioRefusal(NO_XML, 'The answer has no <Response>')
    if (depth === 2) {
      if (!MESSAGE_VERBS.has(name) && name !== 'Redirect')
        throw new TwilioRefusal(WRONG_VERB, `<${name.slice(0, 40)}> is not for texts`)
      verb = { name, attributes, text: '', body: undefined }
    }
    if (depth > 2) {
      const isBody = depth === 3 && name === 'Body' && MESSAGE_VERBS.has(verb!.name)
      if (!isBody) throw new TwilioRefusal(WRONG_VERB, `<${name.slice(0, 40)}> is not supported in a verb`)
      verb!.body ??= ''
    }
  })
  const add = (part: string) => {
    if (depth === 2) verb!.text += part
    if (depth === 3) verb!.body += part
  }
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('closetag', () => {
    if (depth-- !== 2 || redirect) return
    const { name, attributes, text, body = text } = verb!
    const given = (attribute: string) =>
      Object.hasOwn(attributes, attribute) ? String(attributes[attribute]).trim() : ''
    if (name === 'Redirect') {
      const method = given('method').toUpperCase() === 'GET' ? 'GET' : 'POST'
      redirect = { url: text.trim(), method }
      return
    }
    const callback = given('statusCallback') || given('action')
    messages.push({ body: body.trim(), to: given('to'), from: given('from'), callback })
  })
  parser.write(text.trimStart().replace(/^\ufeff/, '')).close()
  return { messages, redirect }
}

const MAX_ANSWER_BYTES = 64 << 10

const XML = new Set(['text/xml', 'application/xml', 'text/html'])
const NOTHING: Twiml = { messages: [], redirect: undefined }

/** The charset in an XML declaration; '' for none. XML 1.0, 4.3.3 */
const xmlCharset = (body: Buffer): string =>
  /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(body.toString('latin1', 0, 200))?.[1] ?? ''

function textOf(body: Buffer, charset: string): string {
  try {
    return decodeText(body, charset)
  } catch (error) {
    throw new TwilioRefusal(NO_XML, (error as Error).message)
  }
}

/** Reads TwiML; plain text is one reply. Throws TwilioRefusal 12300 for another type, and as `readTwiml`. */
export function readAnswer(headers: IncomingHttpHeaders, body: Buffer): Twiml {
  if (body.length > MAX_ANSWER_BYTES)
    throw new TwilioRefusal(11200, `The answer has more than ${MAX_ANSWER_BYTES} bytes`)
  const declared = headers['content-type'] ?? ''
  const type = declared.split(';')[0]!.trim().toLowerCase()
  const text = textOf(body, charsetOf(declared) || (XML.has(type) ? xmlCharset(body) : ''))
  if (text.trim() === '') return NOTHING
  if (XML.has(type)) return readTwiml(text)
  if (type === 'text/plain')
    return { messages: [{ body: text.trim(), to: '', from: '', callback: '' }], redirect: undefined }
  throw new TwilioRefusal(12300, 'The answer is neither XML nor plain text')
}

export interface CallServices {
  readonly store: Store
  readonly config: Config
}

/**
 * Makes the signed requests of one delivery. Together they may take TIMEOUT_MS, like a single webhook call.
 */
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
    /** Headers of the first request, without `authorization`. */
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

/** Parameters of a call. No name is repeated: libraries check signatures of repeated names differently. */
export type Form = ReadonlyMap<string, string>

/** The X-Twilio-Signature. `key`: the token's SHA-1 in hex. https://www.twilio.com/docs/usage/security */
function sign(key: string, url: string, form: Form): string {
  const sorted = [...form].sort(([a], [b]) => (a < b ? -1 : 1))
  const data = url + sorted.map(([name, value]) => name + value).join('')
  return createHmac('sha1', Buffer.from(key, 'hex')).update(data).digest('base64')
}

/** A signed request. The URL that is signed is exactly the URL that is sent. */
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
  // parse again, because the parser escapes a query in its own way
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

export type Outcome = Omit<CallOutcome, 'latencyMs'>

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** The outcome of a delivery that failed for good. `status`: 0 without an answer. */
export const failed = (status: number, text: string) =>
  ({ status, text, retryAfter: 0, verdict: 'failed' }) satisfies Outcome

/** The outcome of a call that got no answer: it is tried again. `text`: why. */
export const unanswered = (text: string): Outcome => ({ ...failed(0, text), verdict: 'again' })

/** The outcome of a call that was answered: 5xx and 429 are tried again, other errors end the delivery. */
export const outcomeOf = (status: number, text: string): Outcome => ({
  ...failed(status, text),
  verdict: isSuccess(status) ? 'delivered' : status >= 500 || status === 429 ? 'again' : 'failed',
})
