import { createLogger } from '../../src/platform/log.ts'
import { client } from '../support/server/server-with-devices.ts'
import { makeKey, startTwilioFixture } from '../support/twilio/twilio-fixture.ts'

// The table of messages is locked: each statement of a client that reads it runs until it is canceled.

const TOO_SLOW = expect.stringMatching(/^This takes too long\./)
const records = '/api/collections/sms_messages/records'

const errors: string[] = []
const log = createLogger({ logLevel: 'error' }, { write: (line) => void errors.push(line) })
const fixture = await startTwilioFixture({ CLIENT_STATEMENT_SECONDS: '1' }, log)
const twilio = await fixture.makeUser()
const { user } = twilio
const { key } = await makeKey(user, { scopes: ['all:any'] })
const smsgate = client(fixture.gateway.url, user.id, `Bearer ${key}`)
const campaign = { name: 'Opening', body: 'Hello', recipients: ['+4915112345678'] }
const running = (await user.call('POST', '/api/campaigns', campaign)).body.id
const gateway = { error: 'invalid_request', message: TOO_SLOW }
const pocketbase = { data: {}, status: 400, message: TOO_SLOW }

const duringLock = <T>(work: () => Promise<T>, table = 'sms_messages'): Promise<T> =>
  fixture.gateway.server.services.store.db.transaction(async (inside) => {
    await inside.query(`lock table ${table} in access exclusive mode`)
    return work()
  })

test.each<[api: string, ask: () => Promise<{ status: number; body: unknown }>, body: object]>([
  [
    "Twilio's list",
    () => twilio.ask('GET', 'Messages.json?To=%2B4915112345678'),
    { code: 20001, status: 400, message: TOO_SLOW },
  ],
  [
    "SMSGate's inbox",
    () => smsgate.call('GET', '/api/3rdparty/v1/inbox?limit=10'),
    { message: TOO_SLOW },
  ],
  ['usage by day', () => user.call('GET', '/api/sms/usage/days?days=366'), gateway],
  [
    'a list far from its first page',
    () => user.call('GET', `${records}?page=1000&perPage=1000`),
    pocketbase,
  ],
  ["PocketBase's export", () => user.call('GET', records.replace('records', 'export')), pocketbase],
  ["PocketBase's list", () => user.call('GET', `${records}?filter=body~"a"`), pocketbase],
])('%s that times out is answered with 400 as $2 and logs no error', async (_, ask, body) => {
  errors.length = 0
  const answer = await duringLock(ask)
  expect([answer.status, answer.body]).toEqual([400, expect.objectContaining(body)])
  expect(errors).toEqual([])
})

test.each([
  ['a batch', '/api/sms/batches/any'],
  ["a campaign's progress", `/api/campaigns/${running}/progress`],
])(
  '%s, which cannot be asked for less, is answered with 503 when it times out',
  async (_, path) => {
    const message = expect.stringMatching(/^This took too long\. Try again/)
    expect(await duringLock(() => user.call('GET', path))).toEqual({
      status: 503,
      body: { error: 'unavailable', message },
    })
  },
)

test('a send that times out on a lock is answered with 503 and stores no message', async () => {
  const values = { user: user.id, name: 'Friends' }
  const { id } = (await user.call('POST', '/api/collections/contact_groups/records', values)).body
  const send = () => user.call('POST', '/api/sms/send', { group_ids: [id], body: 'Hello' })
  const answer = await duringLock(send, 'contacts')
  const message = expect.stringMatching(/^This took too long, and nothing was changed\./)
  expect(answer).toEqual({ status: 503, body: { error: 'unavailable', message } })
})
