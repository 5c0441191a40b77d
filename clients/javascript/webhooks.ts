import { PocketSmsError } from './errors.ts'
import type { WebhookEvent } from './types.ts'

export { PocketSmsError } from './errors.ts'
export type { WebhookEvent } from './types.ts'

type HeaderValue = string | readonly string[] | null | undefined

/**
 * Headers of a request in any form: of `fetch`, an object or a Map, also with capitals or lists, as Node and
 * AWS Lambda give them, a list of pairs, Node's `rawHeaders`, or a request or event with them in `headers`.
 */
export type HeadersLike =
  | Headers
  | Readonly<Record<string, HeaderValue>>
  | Iterable<string | readonly [string, HeaderValue]>
  | { readonly headers?: HeadersLike }

const TOLERANCE_SECONDS = 300

/** The secret, for the start of a program. Throws `missing_secret` if it is absent, empty or damaged. */
export function requireSecret(secret: string | undefined): string {
  // with an empty key everybody could sign
  if (typeof secret === 'string' && decodeSecret(secret).length > 0) return secret
  throw new PocketSmsError(
    0,
    'missing_secret',
    'The secret is absent, empty or damaged: it is whsec_ and Base64, as the webhook shows it.',
  )
}

/**
 * The event of a webhook's call. `body` has the exact bytes of the request, `secret` begins with `whsec_`.
 * Throws `invalid_signature`, also for calls that are older than five minutes, `missing_secret` for an empty
 * secret, `unreadable_body` for a body that is not given as it came, or is no JSON.
 */
export async function verifyWebhook(
  secret: string,
  headers: HeadersLike,
  body: string | Uint8Array | ArrayBuffer,
): Promise<WebhookEvent> {
  const key = await importKey(secret)
  const read = makeHeaderReader(headers)
  const id = read('webhook-id')
  const timestamp = read('webhook-timestamp')
  const age = Math.abs(Date.now() / 1_000 - Number(timestamp))
  if (!id || !timestamp || !(age <= TOLERANCE_SECONDS)) throw refuse()
  const bytes = toBytes(body)
  const signed = joinSigned(id, timestamp, bytes)
  for (const [, value] of read('webhook-signature').matchAll(SIGNATURE)) {
    // WebCrypto compares in constant time
    if (await crypto.subtle.verify('HMAC', key, decode(value!), signed)) return parse(bytes)
  }
  throw refuse()
}

/** Signatures stand behind blanks, or behind commas where a platform has joined several headers. */
const SIGNATURE = /(?<![^\s,])v1,([\w+/=-]+)/g

/** Headers that sign a post to a hook with a `signing_secret`, by Standard Webhooks. */
export async function signHook(
  signingSecret: string,
  body: string | Uint8Array,
): Promise<Record<string, string>> {
  const id = `msg_${Array.from(crypto.getRandomValues(new Uint32Array(4)), String).join('')}`
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const key = await importKey(signingSecret)
  const signature = await crypto.subtle.sign('HMAC', key, joinSigned(id, timestamp, toBytes(body)))
  const base64 = btoa(String.fromCharCode(...new Uint8Array(signature)))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${base64}`,
  }
}

const refuse = () =>
  new PocketSmsError(0, 'invalid_signature', 'The call has no valid signature, or is too old.')

const refuseBody = (sentence: string) => new PocketSmsError(0, 'unreadable_body', sentence)

/** Returns a function that reads a header, whatever its capitals; '' if it is absent. */
function makeHeaderReader(given: HeadersLike): (name: string) => string {
  const headers = Object(Object(given).headers ?? given) as object
  const isList = Symbol.iterator in headers
  const entries: unknown[] = isList ? [...(headers as Iterable<unknown>)] : Object.entries(headers)
  const pairs = entries.flatMap((entry, i) => {
    // rawHeaders are names and values in turns
    if (typeof entry === 'string') return i % 2 === 0 ? [[entry, entries[i + 1]]] : []
    return Array.isArray(entry) ? [entry] : []
  })
  return (name) =>
    pairs
      .filter(([key]) => String(key).toLowerCase() === name)
      .flatMap(([, value]) => value ?? [])
      .join(' ')
}

function importKey(secret: string) {
  const key = decodeSecret(requireSecret(secret))
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])
}

const decodeSecret = (secret: string) => decode(secret.replace(/^\s*whsec_/, ''))

function toBytes(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return body
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  throw refuseBody('Give the body as text or bytes, as it came, not what a parser made of it.')
}

function parse(bytes: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    throw refuseBody('The body is signed, but is no JSON.')
  }
}

function joinSigned(id: string, timestamp: string, body: Uint8Array) {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const joined = new Uint8Array(head.length + body.length)
  joined.set(head)
  joined.set(body, head.length)
  return joined
}

/** The bytes of Base64; none if the text is no Base64. */
function decode(base64: string) {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}
