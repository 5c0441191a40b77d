import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client, ServerWithDevices } from '../support/server/server-with-devices.ts'
import { startServerWithDevices } from '../support/server/server-with-devices.ts'
import { makeWebhook } from '../support/webhook-fixture.ts'

const PATH = '/api/collections/webhooks/records'

let server: ServerWithDevices
let user: Client
beforeAll(async () => {
  server = await startServerWithDevices()
  user = await server.makeUser()
})
afterAll(() => server?.stop())

const create = (values: object) =>
  user.call('POST', PATH, {
    user: user.id,
    url: 'https://example.com/in',
    events: ['message.sent'],
    ...values,
  })

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
  ['is enabled when the create says so', { enabled: true }, true],
  ['is not when the create says so', { enabled: false }, false],
] as const)('a new webhook %s', async (_, values, isEnabled) => {
  expect((await create(values)).body.enabled).toBe(isEnabled)
})

describe('an address', () => {
  test.each([
    ['nothing', '', 'validation_required'],
    ['no web address', 'nope', 'validation_invalid_url'],
    ['without scheme', 'example.com', 'validation_invalid_url'],
    ['of another kind', 'ftp://example.com', 'validation_url_not_http'],
    ['without TLS', 'http://example.com', 'validation_url_not_https'],
    ['of this machine', 'https://127.0.0.1/in', 'validation_url_private'],
    ['of this machine, as a number', 'https://2130706433/in', 'validation_url_private'],
    ['of this machine, by name', 'https://localhost/in', 'validation_url_private'],
    ['of a network within', 'https://192.168.1.1/in', 'validation_url_private'],
    ['of a cloud machine', 'https://169.254.169.254/latest', 'validation_url_private'],
    ['of this machine, IPv6', 'https://[::1]/in', 'validation_url_private'],
  ])('that is %s is refused: %s', async (_, url, code) => {
    const made = await create({ url })
    expect(made.status).toBe(400)
    expect(made.body.message).toBe('Failed to create record.')
    expect(made.body.data).toMatchObject({ url: { code } })
    const hook = await makeWebhook(user, 'https://example.com/in')
    const changed = await user.call('PATCH', `${PATH}/${hook.id}`, { url })
    expect(changed.status).toBe(400)
    expect(changed.body.data.url.code).toBe(code)
  })

  test('is told of with the other errors only when they are mended', async () => {
    const { body } = await create({ url: 'https://127.0.0.1', events: ['nope'] })
    expect(Object.keys(body.data)).toEqual(['events'])
  })
})

test('creates at the same time count each other', async () => {
  const busy = await server.makeUser()
  const hook = { user: busy.id, url: 'https://example.com/x', events: ['message.sent'] }
  const answers = await Promise.all(Array.from({ length: 25 }, () => busy.call('POST', PATH, hook)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
})

test('a user has at most 20 webhooks, and so many more go once others are deleted', async () => {
  const [busy, store] = [await server.makeUser(), server.server.services.store]
  const one = await makeWebhook(busy, 'https://example.com/in')
  await store.db.query(
    `insert into webhooks (id, "user", url) select pb_new_id(), $1, 'https://example.com/' || i from generate_series(1, 19) i`,
    [busy.id],
  )
  const refused = await busy.call('POST', PATH, {
    user: busy.id,
    url: 'https://example.com/x',
    events: ['message.sent'],
  })
  expect(refused.status).toBe(400)
  expect(refused.body.data).toEqual({
    user: { code: 'validation_too_many_webhooks', message: 'A user has at most 20 webhooks.' },
  })
  expect((await create({})).status).toBe(200)
  await busy.call('DELETE', `${PATH}/${one.id}`)
  await makeWebhook(busy, 'https://example.com/in')
})
