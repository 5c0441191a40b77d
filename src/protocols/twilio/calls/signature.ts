import { createHmac } from 'node:crypto'

/** A request that is signed: its parameters are in the form of a POST, or in the query of a GET. */
export interface SignedRequest {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: string | undefined
}

/** Names and values; no name twice, as validators differ on it. */
export type Form = ReadonlyMap<string, string>

/**
 * X-Twilio-Signature. `key`: the SHA-1 of the token in hex, which HMAC takes for the token.
 * https://www.twilio.com/docs/usage/security#validating-requests
 */
function sign(key: string, url: string, form: Form): string {
  const sorted = [...form].sort(([a], [b]) => (a < b ? -1 : 1))
  const data = url + sorted.map(([name, value]) => name + value).join('')
  return createHmac('sha1', Buffer.from(key, 'hex')).update(data).digest('base64')
}

/**
 * The request that calls an address, parsed once, so that what is signed is sent. The fragment is cut off;
 * `user:password@` becomes Basic authentication.
 */
export function signedRequest(
  address: string,
  method: 'GET' | 'POST',
  form: Form,
  key: string,
  more: Readonly<Record<string, string>>,
): SignedRequest {
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
