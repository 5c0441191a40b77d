import { makeUserHolder } from '../../src/engine/collections/collection.ts'
import { basic, request } from '../support/server/request.ts'
import { makeUser, must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { makeKey } from '../support/twilio/twilio-fixture.ts'

// One account, and all the ways in which programs show that they act for it.

type Headers = Readonly<Record<string, string>>

/** A route, the credentials that it takes, and a body that it reads. */
export interface Way {
  readonly name: string
  readonly path: string
  readonly headers: Headers
  /** The same with a secret or signature that is wrong. */
  readonly forged: Headers
  /** A body of about this many bytes that the route refuses or accepts after it has identified the caller. */
  readonly body: (bytes: number) => string
  readonly type?: string
}

const makeJson = (values: object) => (bytes: number) =>
  JSON.stringify({ ...values, padding: 'x'.repeat(bytes) })
const makeForm = (bytes: number) => new URLSearchParams({ Body: 'x'.repeat(bytes) }).toString()

const reverse = (text: string) => [...text].reverse().join('')
/** A key or token of the same form with other last characters. */
const forge = (secret: string) => secret.slice(0, -10) + reverse(secret.slice(-10))

export async function startCallersFixture(env: Record<string, string> = {}) {
  const server = await startServerWithDevices(env)
  const user = await makeUser(server.url, server.superuser)
  const phone = await server.pair(user)
  const line = (await must(user, 'GET', '/api/collections/lines/records')).items[0].id as string
  await must(user, 'PATCH', `/api/collections/lines/records/${line}`, { mms: 'on' })
  const values = { user: user.id, name: 'app', scopes: ['all:any'] }
  const { key, id: keyId } = await must(user, 'POST', '/api/collections/api_keys/records', values)
  const twilio = await makeKey(user)
  const issued = await request(
    server.url,
    'POST',
    '/api/3rdparty/v1/auth/token',
    { scopes: ['messages:send', 'messages:list'], ttl: 600 },
    basic(user.email, key),
  )
  if (issued.status !== 201) throw new Error(issued.text)
  const token: string = issued.body.access_token
  const wrong = forge(key)
  const text = { recipients: ['+4915112345678'], body: 'Hi' }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const accept = 'application/json, text/event-stream'
  const twilioPath = `/2010-04-01/Accounts/${twilio.account_sid}/Messages.json`
  const byTwilio = (sid: string) => ({
    path: twilioPath,
    headers: basic(sid, twilio.auth_token),
    forged: basic(sid, forge(twilio.auth_token)),
    body: makeForm,
    type: 'application/x-www-form-urlencoded',
  })
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
  const SMSGATE = '/api/3rdparty/v1/messages'
  const smsgate = makeJson({ textMessage: { text: 'Hi' }, phoneNumbers: ['+4915112345678'] })
  const ways: readonly Way[] = [
    {
      name: 'our API by token',
      path: '/api/sms/send',
      headers: { authorization: user.token },
      forged: { authorization: forge(user.token) },
      body: makeJson(text),
    },
    {
      name: 'our API by key',
      path: '/api/sms/send',
      headers: { 'x-api-key': key },
      forged: { 'x-api-key': wrong },
      body: makeJson(text),
    },
    {
      name: "a device's API",
      path: '/api/devices/claim',
      headers: bearer(phone.token),
      forged: bearer(forge(phone.token)),
      body: makeJson({}),
    },
    {
      name: 'Vendel by key',
      path: '/vendel/api/sms/send',
      headers: { 'x-api-key': key },
      forged: { 'x-api-key': wrong },
      body: makeJson(text),
    },
    {
      name: 'Vendel by token',
      path: '/vendel/api/sms/send',
      headers: bearer(user.token),
      forged: bearer(forge(user.token)),
      body: makeJson(text),
    },
    {
      name: 'the SMS gateway of Uptime Kuma',
      path: '/api/v1/sms/send',
      headers: { 'x-api-key': key },
      forged: { 'x-api-key': wrong },
      body: makeJson({ to: '+4915112345678', body: 'Hi' }),
    },
    {
      name: "SMSEagle's APIv2",
      path: '/api/v2/messages/sms',
      headers: { 'access-token': key },
      forged: { 'access-token': wrong },
      body: makeJson({ to: ['+4915112345678'], text: 'Hi' }),
    },
    {
      name: 'MCP by X-API-Key',
      path: '/mcp',
      headers: { 'x-api-key': key, accept },
      forged: { 'x-api-key': wrong, accept },
      body: makeJson(call),
    },
    {
      name: 'MCP by Bearer',
      path: '/mcp',
      headers: { ...bearer(key), accept },
      forged: { ...bearer(wrong), accept },
      body: makeJson(call),
    },
    { name: 'Twilio by AccountSid', ...byTwilio(twilio.account_sid) },
    { name: 'Twilio by key SID', ...byTwilio(twilio.key_sid) },
    {
      name: 'SMSGate by Basic',
      path: SMSGATE,
      headers: basic(user.email, key),
      forged: basic(user.email, wrong),
      body: smsgate,
    },
    {
      name: 'SMSGate by the key as Bearer',
      path: SMSGATE,
      headers: bearer(key),
      forged: bearer(wrong),
      body: smsgate,
    },
    {
      name: 'SMSGate by an issued token',
      path: SMSGATE,
      headers: bearer(token),
      forged: bearer(forge(token)),
      body: smsgate,
    },
  ]
  const send = ({ path, type = 'application/json', body }: Way, headers: Headers, bytes: number) =>
    request(server.url, 'POST', path, body(bytes), { 'content-type': type, ...headers })
  const { secret } = await must(user, 'POST', '/api/collections/hooks/records', {
    user: user.id,
    name: 'Alarms',
    preset: 'text',
    recipients: ['+4915112345678'],
  })
  /** What the parameters of paths may name. */
  const ids = {
    collection: 'contacts',
    AccountSid: twilio.account_sid,
    secret: secret as string,
  }
  /** Headers of each kind. */
  const credentials: Readonly<Record<string, Headers>> = {
    none: {},
    'token of a user': { authorization: user.token },
    'token of a superuser': bearer(server.superuser.token),
    'token of a device': { authorization: phone.token },
    'key in X-API-Key': { 'x-api-key': key },
    'key in access-token': { 'access-token': key },
    'key as Bearer': bearer(key),
    'key as password': basic(user.email, key),
    'key as password of its AccountSid': basic(twilio.account_sid, twilio.auth_token),
    'key as password of its SID': basic(twilio.key_sid, twilio.auth_token),
    'token issued for a key': bearer(token),
    'token of a user beside a key': { authorization: user.token, 'x-api-key': key },
    'token of a user beside a wrong key': {
      authorization: user.token,
      'x-api-key': wrong,
    },
    'forged token': { authorization: forge(user.token) },
    'forged key': { 'x-api-key': wrong },
    'forged key as password': basic(user.email, wrong),
    'key as password of another user, forged': basic('nobody@example.com', key),
    'key as password of another SID, forged': basic(`AC${'0'.repeat(32)}`, twilio.auth_token),
  }
  const holder = makeUserHolder(user.id)
  const keys = [keyId as string, twilio.id]
  return { server, user, line, key, keys, wrong, ways, send, holder, ids, credentials }
}
