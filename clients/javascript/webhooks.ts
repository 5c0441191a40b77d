import { PocketSmsError } from './request.ts'
import type { WebhookEvent } from './types.ts'

export { PocketSmsError } from './request.ts'
export type { WebhookEvent } from './types.ts'

/** Headers of a request: of `fetch`, or those of Node's `IncomingMessage`. */
export type HeadersLike = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

const TOLERANCE_SECONDS = 300

/**
 * The event of a webhook's call. `body` has the exact bytes of the request, `secret` begins with `whsec_`.
 * Throws `invalid_signature`, also for calls that are older than five minutes.
 */
export async function verifyWebhook(
  secret: string,
  headers: HeadersLike,
  body: string | Uint8Array,
): Promise<WebhookEvent> {
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const age = Math.abs(Date.now() / 1_000 - Number(timestamp))
  if (!id || !timestamp || !(age <= TOLERANCE_SECONDS)) throw refuse()
  const key = await importKey(secret)
  const signed = joinSigned(id, timestamp, body)
  for (const signature of readHeader(headers, 'webhook-signature').split(' ')) {
    const [version, value = ''] = signature.split(',')
    // WebCrypto compares in constant time
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, decode(value), signed)))
      return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body))
  }
  throw refuse()
}

/** Headers that sign a post to a hook with a `signing_secret`, by Standard Webhooks. */
export async function signHook(
  signingSecret: string,
  body: string | Uint8Array,
): Promise<Record<string, string>> {
  const id = `msg_${Array.from(crypto.getRandomValues(new Uint32Array(4)), String).join('')}`
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const key = await importKey(signingSecret)
  const signature = await crypto.subtle.sign('HMAC', key, joinSigned(id, timestamp, body))
  const base64 = btoa(String.fromCharCode(...new Uint8Array(signature)))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${base64}`,
  }
}

const refuse = () =>
  new PocketSmsError(0, 'invalid_signature', 'The call has no valid signature, or is too old.')

function readHeader(headers: HeadersLike, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  return typeof value === 'string' ? value : ''
}

function importKey(secret: string) {
  const key = decode(secret.replace(/^whsec_/, ''))
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])
}

function joinSigned(id: string, timestamp: string, body: string | Uint8Array) {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const joined = new Uint8Array(head.length + bytes.length)
  joined.set(head)
  joined.set(bytes, head.length)
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
