import type { Answer } from '../../support/server/request.ts'
import { PASSWORD, startServerWithMail } from '../../support/server/server-with-mail.ts'

// What a stranger is answered must be the same whether the thing is there or not, or is somebody else's.

/** Bob asks; what is there is Ann's. */
const there: Record<string, string> = {}
const nowhere: Record<string, string> = {
  EMAIL: 'nobody@example.com',
  CONTACT: 'nocontact000000',
  MESSAGE: 'nomessage000000',
  BATCH: 'nobatch00000000',
  DEVICE: 'nodevice0000000',
  GROUP: 'nogroup00000000',
  KEY: 'nokey0000000000',
  ANN: 'nouser000000000',
  CODE: '000000',
}

const server = await startServerWithMail()
await server.allowOtp()
const ann = await server.addUser('ann@example.com')
await server.addUser('bob@example.com')
const bob = { authorization: await server.signIn('users', 'bob@example.com', PASSWORD) }
const authorization = await server.signIn('users', 'ann@example.com', PASSWORD)
const add = async (collection: string, body: object) =>
  String(
    (
      await server.post(
        `/api/collections/${collection}/records`,
        { user: ann, ...body },
        { authorization },
      )
    ).body.id,
  )
const message = 'annmessage00000'
await server.rows(
  `insert into sms_messages (id, "user", status, "to", body, message_type, batch_id)
   values ($1, $2, 'failed', '+4915112345678', 'Hi', 'outgoing', 'annbatch0000000')`,
  message,
  ann,
)
await server.rows(
  `insert into devices (id, "user", name, enabled, "tokenKey") values ('anndevice000000', $1, 'phone', true, 'k')`,
  ann,
)
Object.assign(there, {
  EMAIL: 'ann@example.com',
  CONTACT: await add('contacts', { name: 'C', phone: '+4915112345678' }),
  MESSAGE: message,
  BATCH: 'annbatch0000000',
  DEVICE: 'anndevice000000',
  GROUP: await add('contact_groups', { name: 'G' }),
  KEY: await add('api_keys', { name: 'K' }),
  ANN: ann,
})

const fill = (text: string, values: Record<string, string>) =>
  text.replace(/\b[A-Z]{3,}\b/g, (name) => values[name] ?? name)

const ask = (
  values: Record<string, string>,
  method: string,
  path: string,
  body: unknown,
  headers = {},
) =>
  server.call(
    method,
    fill(path, values),
    body && JSON.parse(fill(JSON.stringify(body), values)),
    headers,
  )

const IN_USERS = '/api/collections/users'
const record = (collection: string, id: string) => `/api/collections/${collection}/records/${id}`

test.each<[string, string, string, unknown, number]>([
  [
    'a guest signs in',
    'POST',
    `${IN_USERS}/auth-with-password`,
    { identity: 'EMAIL', password: 'wrong' },
    400,
  ],
  [
    'a guest asks for a new password',
    'POST',
    `${IN_USERS}/request-password-reset`,
    { email: 'EMAIL' },
    204,
  ],
  [
    'a guest asks for a verification',
    'POST',
    `${IN_USERS}/request-verification`,
    { email: 'EMAIL' },
    204,
  ],
  ['a guest asks for a code', 'POST', `${IN_USERS}/request-otp`, { email: 'EMAIL' }, 200],
  [
    'a guest signs in as a superuser',
    'POST',
    '/api/collections/_superusers/auth-with-password',
    { identity: 'EMAIL', password: 'x' },
    400,
  ],
  ['a guest views a user', 'GET', record('users', 'ANN'), undefined, 404],
  ['changes a user', 'PATCH', record('users', 'ANN'), { name: 'X' }, 404],
  ['deletes a user', 'DELETE', record('users', 'ANN'), undefined, 404],
])(
  'the answer is $4 whether or not the account exists when %s: %s %s',
  async (_, method, path, body, status) => {
    const asked = async (values: Record<string, string>) =>
      shape(await ask(values, method, path, body))
    expect(await asked(there)).toEqual(await asked(nowhere))
    expect((await asked(there)).status).toBe(status)
  },
)

/** An id of 15 characters differs each time. */
const shape = ({ status, text }: Answer) => ({
  status,
  text: text.replace(/"[a-z0-9]{15}"/g, '"ID"'),
})

test.each<[string, string, string, unknown, number]>([
  ['views a contact', 'GET', record('contacts', 'CONTACT'), undefined, 404],
  ['changes a contact', 'PATCH', record('contacts', 'CONTACT'), { name: 'X' }, 404],
  ['deletes a contact', 'DELETE', record('contacts', 'CONTACT'), undefined, 404],
  ['views a message', 'GET', record('sms_messages', 'MESSAGE'), undefined, 404],
  ['views a device', 'GET', record('devices', 'DEVICE'), undefined, 404],
  ['deletes a key', 'DELETE', record('api_keys', 'KEY'), undefined, 404],
  ['expands to it', 'GET', `${record('contacts', 'CONTACT')}?expand=user`, undefined, 404],
  ['cancels', 'POST', '/api/sms/messages/MESSAGE/cancel', undefined, 404],
  ['changes the text', 'PATCH', '/api/sms/messages/MESSAGE', { body: 'X' }, 404],
  ['sends again', 'POST', '/api/sms/messages/MESSAGE/retry', undefined, 404],
  ['looks at a batch', 'GET', '/api/sms/batches/BATCH', undefined, 404],
  [
    'puts a batch off',
    'POST',
    '/api/sms/batches/BATCH/reschedule',
    { scheduled_at: '2099-01-01' },
    404,
  ],
  [
    'sends through it',
    'POST',
    '/api/sms/send',
    { recipients: ['+4910000'], body: 'x', device_id: 'DEVICE' },
    404,
  ],
  [
    'sends to it',
    'POST',
    '/api/sms/send',
    { recipients: [], body: 'x', group_ids: ['GROUP'] },
    404,
  ],
])(
  'the answer is $4 whether or not the record exists when another user %s: %s %s',
  async (_, method, path, body, status) => {
    const asked = async (values: Record<string, string>) => {
      const answer = shape(await ask(values, method, path, body, bob))
      return {
        ...answer,
        text: answer.text.replaceAll(values.GROUP!, 'GROUP').replaceAll(values.DEVICE!, 'DEVICE'),
      }
    }
    expect(await asked(there)).toEqual(await asked(nowhere))
    expect((await asked(there)).status).toBe(status)
  },
)

test('wrong one-time codes get the same answers and limits whether or not the account exists', async () => {
  const enter = async (email: string) => {
    const { body } = await server.post(`${IN_USERS}/request-otp`, { email })
    const answers = []
    for (let i = 0; i < 6; i++) {
      const given = { otpId: body.otpId, password: '00000000' }
      const { status, text } = await server.post(`${IN_USERS}/auth-with-otp`, given)
      answers.push([status, text])
    }
    return answers
  }
  const known = await enter('bob@example.com')
  expect(known.map(([status]) => status)).toEqual([400, 400, 400, 400, 400, 429])
  expect(await enter('nobody@example.com')).toEqual(known)
})

test('a used pairing code gets the same answer as one that never existed', async () => {
  const { body } = await server.post('/api/devices/pairing', {}, bob)
  const pair = (code: unknown) =>
    server.post('/api/devices/pair', { code, name: 'x', platform: 'simulator' })
  expect((await pair(body.code)).status).toBe(200)
  expect((await pair(body.code)).text).toBe(
    (await pair(body.code === '000000' ? '000001' : '000000')).text,
  )
})
