import { isSecret, newSecret, signatureHeaders } from '../../src/webhooks/secrets.ts'
import { startServerWithDevices } from '../support/server/server-with-devices.ts'
import { deliveriesOf, makeWebhook } from '../support/webhook-fixture.ts'

const PATH = '/api/collections/webhooks/records'

const server = await startServerWithDevices()
const user = await server.makeUser()

const create = (values: object, by = user) => {
  const usual = { user: by.id, url: 'https://example.com/in', events: ['message.sent'] }
  return by.call('POST', PATH, { ...usual, ...values })
}

const secretsOf = async (id: string) => {
  const text = 'select secret, previous_secret from webhooks where id = $1'
  return (await server.server.services.store.db.query(text, [id])).rows[0]
}

describe('the secret of a webhook', () => {
  test('is made by the server and shown once', async () => {
    const { body } = await create({})
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(await secretsOf(body.id)).toEqual([body.secret, ''])
    const view = await user.call('GET', `${PATH}/${body.id}`)
    expect(view.body).not.toHaveProperty('secret')
    const change = await user.call('PATCH', `${PATH}/${body.id}`, { url: 'https://example.com/two' })
    expect(change.status).toBe(200)
    expect(change.body).not.toHaveProperty('secret')
    expect(await secretsOf(body.id)).toEqual([body.secret, ''])
  })

  test('is not what anybody says', async () => {
    const mine = { secret: 'whsec_bWluZQ==', previous_secret: 'whsec_bWluZQ==' }
    const { body } = await create(mine)
    expect(await secretsOf(body.id)).toEqual([body.secret, ''])
    for (const who of [user, server.superuser]) await who.call('PATCH', `${PATH}/${body.id}`, mine)
    expect(await secretsOf(body.id)).toEqual([body.secret, ''])
  })
})

test.each([
  ['is enabled when the create does not say', {}, true],
  ['is not when the create says so', { enabled: false }, false],
] as const)('a new webhook %s', async (_, values, isEnabled) => {
  expect((await create(values)).body.enabled).toBe(isEnabled)
})

test.each([
  ['nothing', '', 'validation_required'],
  ['no web address', 'nope', 'validation_invalid_url'],
  ['without scheme', 'example.com', 'validation_invalid_url'],
  ['of another kind', 'ftp://example.com', 'validation_url_not_http'],
  ['without TLS', 'http://example.com', 'validation_url_not_https'],
  ['of this machine', 'https://127.0.0.1/in', 'validation_url_private'],
  ['of this machine, by name', 'https://localhost/in', 'validation_url_private'],
  ['of this machine, IPv6', 'https://[::1]/in', 'validation_url_private'],
])('an address that is %s is refused: %s', async (_, url, code) => {
  const made = await create({ url })
  expect(made.status).toBe(400)
  expect(made.body.message).toBe('Failed to create record.')
  expect(made.body.data).toMatchObject({ url: { code } })
  const hook = await makeWebhook(user, 'https://example.com/in')
  const changed = await user.call('PATCH', `${PATH}/${hook.id}`, { url })
  expect(changed.status).toBe(400)
  expect(changed.body.data.url.code).toBe(code)
})

test('creates at the same time count each other', async () => {
  const busy = await server.makeUser()
  const answers = await Promise.all(Array.from({ length: 25 }, () => create({}, busy)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
})

test('a user has at most 20 webhooks, and so many more go once others are deleted', async () => {
  const [busy, store] = [await server.makeUser(), server.server.services.store]
  const one = await makeWebhook(busy, 'https://example.com/in')
  await store.db.query(
    `insert into webhooks (id, "user", url) select pb_new_id(), $1, 'https://example.com/' || i from generate_series(1, 19) i`,
    [busy.id],
  )
  const refused = await create({}, busy)
  expect(refused.status).toBe(400)
  expect(refused.body.data).toEqual({
    user: { code: 'validation_too_many_webhooks', message: 'A user has at most 20 webhooks.' },
  })
  expect((await create({})).status).toBe(200)
  await busy.call('DELETE', `${PATH}/${one.id}`)
  await makeWebhook(busy, 'https://example.com/in')
})

test('an event that a superuser adds calls nobody', async () => {
  const ann = await server.makeUser()
  await makeWebhook(ann, 'https://example.com/in')
  const text = { recipients: ['+4915112345678'], body: 'Hi', scheduled_at: '2099-01-01 00:00:00.000Z' }
  const [message] = (await ann.call('POST', '/api/sms/send', text)).body.message_ids
  const events = '/api/collections/sms_events/records'
  // most of them have the time of their transaction, as events of the server have
  for (let i = 0; i < 10; i++)
    await server.superuser.call('POST', events, { user: ann.id, message, status: 'sent' })
  expect((await ann.call('GET', events)).body.totalItems).toBe(10)
  expect(await deliveriesOf(ann)).toEqual([])
})

test.each([
  ['a new one', newSecret(), true],
  ['24 bytes', `whsec_${Buffer.alloc(24, 1).toString('base64')}`, true],
  ['25 bytes', `whsec_${Buffer.alloc(25, 1).toString('base64')}`, true],
  ['26 bytes', `whsec_${Buffer.alloc(26, 1).toString('base64')}`, true],
  ['nothing', '', false],
  ['nothing behind the prefix', 'whsec_', false],
  ['no prefix', 'c2VjcmV0', false],
  ['no base64', 'whsec_not base64', false],
  ['base64 cut short', 'whsec_c2Vjc', false],
])('%s can be signed with: %s', (_, text, isGood) => expect(isSecret(text)).toBe(isGood))

test('a signature is what the example of Standard Webhooks says', () => {
  const at = new Date(1614265330 * 1000)
  const signed = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at, body: '{"test": 2432232314}' }
  expect(signatureHeaders(signed, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

const made = await makeWebhook(user, 'https://example.com/in')
const hook = made.id
const rotated = await user.call('POST', `/api/webhooks/${hook}/rotate`, {})
const secrets = [made.secret, rotated.body.secret]
await server.superuser.call('POST', `/api/webhooks/${hook}/test`, {})

const WEBHOOKS = '/api/collections/webhooks'
const batchView = {
  requests: [{ method: 'PATCH', url: `${WEBHOOKS}/records/HOOK`, body: { enabled: true } }],
}

test.each<[what: string, method: string, path: string, body?: object]>([
  ['a list', 'GET', `${WEBHOOKS}/records`],
  ['a list of these fields', 'GET', `${WEBHOOKS}/records?fields=secret,previous_secret,*`],
  ['a record', 'GET', `${WEBHOOKS}/records/HOOK`],
  ['an export', 'GET', `${WEBHOOKS}/export?fields=id,secret,previous_secret`],
  ['an expand', 'GET', '/api/collections/webhook_deliveries/records?expand=webhook'],
  ['an expand the other way', 'GET', `/api/collections/users/records?expand=webhooks_via_user`],
  [
    'an export with an expand',
    'GET',
    '/api/collections/webhook_deliveries/export?expand=webhook&fields=expand.webhook.secret',
  ],
  ['a change', 'PATCH', `${WEBHOOKS}/records/HOOK`, { enabled: true }],
  ['a change in a batch', 'POST', '/api/batch', batchView],
])('a secret is not in %s', async (_, method, path, body) => {
  const given = body && JSON.parse(JSON.stringify(body).replace('HOOK', hook))
  const answer = await user.call(method, path.replace('HOOK', hook), given)
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([200, expect.anything()])
  for (const secret of secrets) expect(JSON.stringify(answer.body)).not.toContain(secret)
})

test.each([
  'secret ~ "whsec_"',
  'previous_secret != ""',
  'secret > "a"',
  '@collection.webhooks.secret ~ "w"',
])('nor can it be guessed by a filter: %s', async (filter) => {
  for (const path of ['records', 'export']) {
    const url = `${WEBHOOKS}/${path}?filter=${encodeURIComponent(filter)}`
    expect([400, 403]).toContain((await user.call('GET', url)).status)
  }
  const sorted = await user.call('GET', `${WEBHOOKS}/records?sort=secret`)
  expect(sorted.status).toBe(400)
})

test('the audit has none of it', async () => {
  const { body } = await server.superuser.call('GET', '/api/audit?perPage=200')
  expect(body.totalItems).toBeGreaterThan(0)
  expect(JSON.stringify(body)).not.toContain('whsec_')
})
