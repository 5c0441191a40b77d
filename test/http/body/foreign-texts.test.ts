import { request } from '../../support/server/request.ts'
import { ANN, startServerWithUsers } from '../../support/server/server-with-users.ts'

const server = await startServerWithUsers()
const NESTED = { toString: 1, valueOf: 1 }
const TO = '+4915112345678'
/** PocketBase reads the fields of a form in this parameter as JSON. */
const payload = (values: object) => new URLSearchParams({ '@jsonPayload': JSON.stringify(values) })
const form = (values: object) => {
  const data = new FormData()
  data.set('@jsonPayload', JSON.stringify(values))
  return data
}
const user = await server.signedIn('users', ANN.id)

const rpc = (params: object) =>
  server.ask('POST', '/jsonrpc/sms', { method: 'sms.send_sms', params }, {})
const guest = (path: string, body: unknown) => request(server.url, 'POST', path, body)
const USERS = '/api/collections/users'
const part = (values: object) =>
  server.ask(
    'POST',
    '/api/batch',
    { requests: [{ method: 'POST', url: `${USERS}/records`, ...values }] },
    user,
  )

test.each<[string, () => Promise<{ status: number; text: string }>, number, string]>([
  [
    'a token of JSON-RPC',
    () => rpc({ access_token: NESTED, to: TO, message: 'Hi' }),
    400,
    'access_token must be a text',
  ],
  [
    'a number of JSON-RPC',
    () => rpc({ access_token: ANN.key, to: NESTED, message: 'Hi' }),
    400,
    'must be a text',
  ],
  [
    'a text of JSON-RPC',
    () => rpc({ access_token: ANN.key, to: TO, message: { a: 1 } }),
    400,
    'must be a text',
  ],
  [
    'a text of JSON-RPC in a list',
    () => rpc({ access_token: ANN.key, to: TO, message: ['Hi'] }),
    400,
    'must be a text',
  ],
  [
    'an identity',
    () => guest(`${USERS}/auth-with-password`, payload({ identity: NESTED, password: 'x' })),
    400,
    'loading',
  ],
  [
    'an identity of a multipart form',
    () => guest(`${USERS}/auth-with-password`, form({ identity: NESTED, password: 'x' })),
    400,
    'loading',
  ],
  [
    'an address',
    () => guest(`${USERS}/request-password-reset`, payload({ email: NESTED })),
    400,
    'loading',
  ],
  ['a client id', () => guest('/api/realtime', payload({ clientId: NESTED })), 400, ''],
  [
    'a topic',
    () => guest('/api/realtime', payload({ clientId: 'x', subscriptions: [NESTED] })),
    400,
    '',
  ],
  ['a header of a batch', () => part({ headers: { 'x-a': NESTED }, body: {} }), 400, ''],
  [
    'a number of SMSEagle 2',
    () =>
      server.ask(
        'POST',
        '/api/v2/messages/sms',
        { to: [NESTED], text: 'Hi' },
        { 'access-token': ANN.key },
      ),
    400,
    'to',
  ],
])('%s that is an object or a list is refused with $2: $3', async (_, call, status, sentence) => {
  const answer = await call()
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(sentence)])
})

test('a form field that occurs twice is read by its first value', async () => {
  const fields = {
    user: ANN.id,
    name: 'Alerts',
    preset: 'custom',
    template: '{{title}}',
    recipients: [TO],
  }
  const { body: hook } = await server.ask('POST', '/api/collections/hooks/records', fields, user)
  const form = new URLSearchParams()
  for (const title of ['One', 'Two']) form.append('payload', JSON.stringify({ title }))
  const answer = await request(server.url, 'POST', `/api/hooks/${hook.secret}`, form)
  expect(answer.body.outcome).toBe('sent')
  expect(await server.rows(`select body from sms_messages where body in ('One', 'Two')`)).toEqual([
    ['One'],
  ])
})

test("contact notes that are not text are empty in Vendel's list", async () => {
  await server.rows(`update contacts set data = $1 where "user" = $2`, [{ notes: NESTED }, ANN.id])
  const { status, body } = await server.ask('GET', '/vendel/api/contacts', undefined, user)
  expect([status, body.items[0].notes]).toEqual([200, ''])
})
