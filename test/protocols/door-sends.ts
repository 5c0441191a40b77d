import { findApi } from '../../src/http/metrics/group-requests.ts'
import { PROTOCOLS } from '../../src/protocols/protocols.ts'
import { request } from '../support/server/request.ts'

// How to send a text through each send-only API. Tests of the numbers that these APIs read, of their callers,
// of their limit of recipients and of their GETs derive from this table.

/** A text to one number, or to several with commas between; the API key, and the account that holds it. */
interface KeyText {
  readonly to: string
  readonly text: string
  readonly key: string
  readonly user: string
}

/** A request with the key in its headers, fields or body. */
export interface DoorSend {
  /** Method and path. */
  readonly at: string
  readonly headers?: (key: string) => Readonly<Record<string, string>>
  /** The fields of the query; in a POST, of a form. */
  readonly fields?: (text: KeyText) => Readonly<Record<string, string>>
  readonly body?: (text: KeyText) => object
}

export const DOOR_SENDS: readonly DoorSend[] = [
  {
    at: 'GET /http_api/send_sms',
    fields: ({ to, text, key }) => ({ access_token: key, to, message: text }),
  },
  {
    at: 'POST /jsonrpc/sms',
    body: ({ to, text, key }) => ({
      method: 'sms.send_sms',
      params: { access_token: key, to, message: text },
    }),
  },
  {
    at: 'POST /api/v2/messages/sms',
    headers: (key) => ({ 'access-token': key }),
    body: ({ to, text }) => ({ to: to.split(','), text }),
  },
  {
    at: 'GET /cgi-bin/sendsms',
    fields: ({ to, text, key, user }) => ({ username: user, password: key, to, text }),
  },
  {
    at: 'POST /api/v1/sms/send',
    headers: (key) => ({ 'x-api-key': key }),
    body: ({ to, text }) => ({ to, body: text }),
  },
]

/** The group of the API, and the route: `kannel GET /cgi-bin/sendsms`. */
export const nameOfSend = ({ at }: DoorSend): string =>
  `${findApi(PROTOCOLS, at.replace(/^\w+ /, ''))?.group} ${at}`

/** Every route of another product's API that sends, as method and path. */
export const SENDING_ROUTES: readonly string[] = PROTOCOLS.flatMap(({ groups = {} }) =>
  Object.keys(groups).filter((at) => groups[at] === 'send'),
)

/** Sends a text through a send-only API. */
export function sendByDoor(url: string, { at, headers, fields, body }: DoorSend, text: KeyText) {
  const [method, path] = at.split(' ') as [string, string]
  const given = fields && new URLSearchParams(fields(text))
  const isQuery = given && method === 'GET'
  return request(
    url,
    method,
    isQuery ? `${path}?${given}` : path,
    isQuery ? undefined : (given ?? body?.(text)),
    headers?.(text.key) ?? {},
  )
}
