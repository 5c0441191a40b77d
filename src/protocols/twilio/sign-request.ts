import { createHmac } from 'node:crypto'
import { decodeUrlPart } from '../../platform/tools/decode-url-part.ts'

/** Parameters of a call. No name is repeated: libraries check signatures of repeated names differently. */
export type Form = ReadonlyMap<string, string>

/** The X-Twilio-Signature. `key`: the token's SHA-1 in hex. https://www.twilio.com/docs/usage/security */
function signForm(key: string, url: string, form: Form): string {
  const sorted = [...form].sort(([a], [b]) => (a < b ? -1 : 1))
  const data = url + sorted.map(([name, value]) => name + value).join('')
  return createHmac('sha1', Buffer.from(key, 'hex')).update(data).digest('base64')
}

/** A signed request. The URL that is signed is exactly the URL that is sent. */
export function makeSignedRequest(
  address: string,
  method: 'GET' | 'POST',
  form: Form,
  key: string,
  more: Readonly<Record<string, string>>,
) {
  const to = new URL(address)
  const encoded = new URLSearchParams([...form]).toString()
  const query =
    method === 'GET' ? `${to.search === '' ? '?' : `${to.search}&`}${encoded}` : to.search
  // parse again, because the parser escapes a query in its own way
  const { protocol, host, pathname, search } = new URL(
    `${to.protocol}//${to.host}${to.pathname}${query}`,
  )
  const url = `${protocol}//${host}${pathname}${search}`
  const body = method === 'POST' ? encoded : undefined
  return {
    url,
    method,
    headers: {
      ...more,
      ...makeBasicHeader(to),
      ...(body !== undefined && {
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        'content-length': Buffer.byteLength(body),
      }),
      'x-twilio-signature': signForm(key, url, method === 'POST' ? form : new Map()),
    },
    body,
  }
}

function makeBasicHeader({ username, password }: URL): { authorization?: string } {
  if (username === '' && password === '') return {}
  const pair = `${decodeUrlPart(username)}:${decodeUrlPart(password)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}
