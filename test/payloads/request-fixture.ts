import { must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { makeKey } from '../support/twilio/twilio-fixture.ts'

/**
 * A request of another program. `$KEY`, `$SID`, `$TOKEN`, `$EMAIL`, `$DEVICE`, `$LOGIN`, `$BASIC` and
 * `$SERVICE` stand for values of the account, `$HOOK` for the secret of the hook that the request is for, and
 * `$HOOKLOGIN` for Basic credentials with it.
 */
export interface SentRequest {
  /** Method, path and query. */
  readonly at: string
  readonly headers?: Readonly<Record<string, string>>
  /** The bytes of the body as Latin-1. */
  readonly body?: string
  readonly json?: unknown
}

/** The answer, and number and body of each stored text. */
export interface RequestOutcome {
  readonly status: number
  readonly answer?: unknown
  readonly texts: readonly (readonly [to: string, body: string])[]
}

/** The number of the account's device. */
const NUMBER = '+4915550000001'

/** A server with an account that has a device, a key, a group and a contact. */
export async function startRequestFixture() {
  const server = await startServerWithDevices()
  const user = await server.makeUser()
  const { id: device } = await server.pair(user)
  await must(user, 'PATCH', `/api/collections/devices/records/${device}`, { phone: NUMBER })
  const { key, account_sid, auth_token } = await makeKey(user, { scopes: ['all:any'] })
  const settings = { user: user.id, country: 'DE' }
  await must(user, 'POST', '/api/collections/user_settings/records', settings)
  const group = { user: user.id, name: 'Night shift' }
  const { id: groups } = await must(user, 'POST', '/api/collections/contact_groups/records', group)
  const contact = { user: user.id, name: 'Ann', phone: '+4915100000001', groups: [groups] }
  await must(user, 'POST', '/api/collections/contacts/records', contact)
  const { email } = await must(user, 'GET', `/api/collections/users/records/${user.id}`)
  const known: Readonly<Record<string, string>> = {
    $KEY: key,
    $SID: account_sid,
    $TOKEN: auth_token,
    $EMAIL: email,
    $DEVICE: device,
    $LOGIN: btoa(`${email}:${key}`),
    $BASIC: btoa(`${account_sid}:${auth_token}`),
    $SERVICE: `MG${account_sid.slice(2)}`,
  }

  /** Sends a request. `hook`: the secret of the hook that it is for. */
  async function send(
    { at, headers = {}, body, json }: SentRequest,
    hook = '',
  ): Promise<RequestOutcome> {
    await server.query('delete from sms_messages')
    const values: Readonly<Record<string, string>> = {
      ...known,
      $HOOK: hook,
      $HOOKLOGIN: btoa(`tool:${hook}`),
    }
    const fill = (text: string) => text.replace(/\$[A-Z]+/g, (name) => values[name] ?? name)
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
  }
  return { server, user, send }
}
