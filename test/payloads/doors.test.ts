import { must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { makeKey } from '../support/twilio/twilio-fixture.ts'
import { runPayloads } from './run-payloads.ts'

/** A request. `$KEY`, `$SID`, `$TOKEN`, `$EMAIL`, `$DEVICE` and `$BASIC` stand for values of the account. */
interface Sent {
  /** Method, path and query. */
  readonly at: string
  readonly headers?: Readonly<Record<string, string>>
  /** The bytes of the body as Latin-1. */
  readonly body?: string
  readonly json?: unknown
}

/** `texts`: number and body of each stored text. `says`: a part of the answer. */
interface Outcome {
  readonly status: number
  readonly answer?: unknown
  readonly texts: readonly (readonly [to: string, body: string])[]
}

const server = await startServerWithDevices()
const user = await server.makeUser()
const { id: device } = await server.pair(user)
const { key, account_sid, auth_token } = await makeKey(user, { scopes: ['all:any'] })
await must(user, 'POST', '/api/collections/user_settings/records', { user: user.id, country: 'DE' })
const group = { user: user.id, name: 'Night shift' }
const { id: groups } = await must(user, 'POST', '/api/collections/contact_groups/records', group)
const contact = { user: user.id, name: 'Ann', phone: '+4915100000001', groups: [groups] }
await must(user, 'POST', '/api/collections/contacts/records', contact)
const { email } = await must(user, 'GET', `/api/collections/users/records/${user.id}`)
const login = btoa(`${email}:${key}`)
const values: Readonly<Record<string, string>> = {
  $KEY: key,
  $SID: account_sid,
  $TOKEN: auth_token,
  $EMAIL: email,
  $DEVICE: device,
  $LOGIN: login,
  $BASIC: btoa(`${account_sid}:${auth_token}`),
}
const fill = (text: string) => text.replace(/\$[A-Z]+/g, (name) => values[name] ?? name)

runPayloads<Sent, Outcome>(
  'doors',
  ['kannel', 'mcp', 'sms-gateway', 'smseagle', 'smsgate-api', 'twilio', 'vendel'],
  async (_, { at, headers = {}, body, json }) => {
    await server.query('delete from sms_messages')
    const [method, path] = at.split(' ', 2) as [string, string]
    const sent = body ?? (json === undefined ? undefined : JSON.stringify(json))
    const type = json === undefined ? {} : { 'content-type': 'application/json' }
    const response = await fetch(server.url + fill(path), {
      method,
      headers: {
        ...type,
        ...Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, fill(v)])),
      },
      ...(sent !== undefined && {
        body: Buffer.from(fill(sent), body === undefined ? 'utf8' : 'latin1'),
      }),
    })
    const text = await response.text()
    const rows = await server.query('select "to", body from sms_messages order by "to"')
    const answer = /^[[{]/.test(text) ? JSON.parse(text) : text
    return { status: response.status, answer, texts: rows as [string, string][] }
  },
)
