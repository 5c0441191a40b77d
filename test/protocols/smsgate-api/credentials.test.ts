import { basic } from '../../support/server/request.ts'
import { ANN, BEN, PHONES } from '../../support/server/server-with-users.ts'
import { bearer, startSmsgateApiFixture } from '../../support/smsgate/smsgate-api-fixture.ts'

const fixture = await startSmsgateApiFixture()

const SEND = { message: 'Hi', phoneNumbers: ['+4911111'] }
const send = (headers: Record<string, string>) => fixture.ask('POST', '/messages', SEND, headers)

test.each<[string, () => Record<string, string>]>([
  ['email and key', () => basic(ANN.email, ANN.key)],
  ['email in other case', () => basic(ANN.email.toUpperCase(), ANN.key)],
  ['id and key', () => basic(ANN.id, ANN.key)],
  ['the key alone', () => bearer(ANN.key)],
  [
    'a scheme in other case',
    () => ({ authorization: bearer(ANN.key).authorization.toLowerCase() }),
  ],
])('a send is accepted with %s', async (_, headers) =>
  expect((await send(headers())).status).toBe(202),
)

describe('requests without access', () => {
  test.each<[string, () => Promise<Record<string, string>> | Record<string, string>]>([
    ['nobody', () => ({})],
    ['the account password', () => basic(ANN.email, ANN.password)],
    ["another user's key", () => basic(ANN.email, BEN.key)],
    ['no name', () => basic('', ANN.key)],
    ['an expired key', () => basic(ANN.email, 'psk_old')],
    ['an unknown key', () => bearer('psk_nobodys')],
    ['X-API-Key', () => ({ 'x-api-key': ANN.key })],
    ['a sign-in', () => fixture.server.signedIn('users', ANN.id)],
    ['a device', () => fixture.server.signedIn('devices', PHONES[0])],
    ['no Basic at all', () => ({ authorization: 'Basic %%%' })],
    ['a very long header', () => bearer(`psk_${'x'.repeat(9_000)}`)],
  ])('requests without access with %s get 401', async (_, headers) => {
    const answer = await send(await headers())
    expect([answer.status, answer.body]).toEqual([401, { message: 'Unauthorized' }])
  })

  test('a deleted key and the key of a disabled user are refused', async () => {
    const key = await fixture.makeKey([], BEN)
    expect((await send(bearer(key))).status).toBe(202)
    await fixture.server.rows('delete from api_keys where prefix = $1', [key.slice(0, 10)])
    expect((await send(bearer(key))).status).toBe(401)
    await fixture.server.rows(
      `insert into user_settings (id, "user", disabled) values ('disabledcleo000', 'cleo00000000000', true)`,
    )
    expect((await send(fixture.cleo)).status).toBe(401)
  })
})

describe('the base address, which programs ask first', () => {
  const { url } = fixture.server
  const get = (path: string, headers: Record<string, string>, method = 'GET') =>
    fetch(url + path, { method, headers, redirect: 'manual' })

  test.each(['/api/3rdparty/v1/', '/api/3rdparty/v1', '/3rdparty/v1/', '/3rdparty/v1'])(
    '%s answers as the server in SMSGate’s app, with every kind of key',
    async (path) => {
      const narrow = bearer(await fixture.makeKey(['logs:read'], BEN))
      for (const headers of [basic(ANN.email, ANN.key), bearer(ANN.key), narrow]) {
        const answer = await get(path, headers)
        expect([answer.status, await answer.json()]).toEqual([
          200,
          { status: 'ok', model: 'pocketsms' },
        ])
        // a GET of another product's API may change something: HEAD is refused, as by the app
        for (const [method, status] of [
          ['HEAD', 405],
          ['PUT', 404],
        ] as const)
          expect((await get(path, headers, method)).status).toBe(status)
      }
      for (const headers of [{}, basic(ANN.email, ANN.password), bearer('psk_nobodys')])
        expect((await get(path, headers)).status).toBe(401)
    },
  )

  test.each(['device', 'devices', 'device/', 'webhook', 'webhooks/', 'health', 'health/'])(
    'BASE/%s is there with and without a slash at its end',
    async (path) => {
      const headers = bearer(await fixture.makeKey(['all:any'], BEN))
      expect((await get(`/3rdparty/v1/${path}`, headers)).status).toBe(200)
    },
  )
})

describe('scopes of a key', () => {
  /** A request for each scope, and whether it is one of those that a key without scopes has. */
  const ROUTES: readonly [scope: string, method: string, path: string, isDefault?: boolean][] = [
    ['messages:send', 'POST', '/messages', true],
    ['messages:read', 'GET', '/messages/nobody', true],
    ['messages:cancel', 'DELETE', '/messages/nobody', true],
    ['messages:list', 'GET', '/messages'],
    ['devices:list', 'GET', '/devices'],
    ['devices:delete', 'DELETE', '/devices/nobody'],
    ['inbox:list', 'GET', '/inbox'],
    ['inbox:list', 'GET', '/inbox/x/attachments/1'],
    ['logs:read', 'GET', '/logs'],
  ]
  const ask = async (method: string, path: string, headers: Record<string, string>) => {
    const { status, body } = await fixture.ask(
      method,
      path,
      method === 'POST' ? SEND : undefined,
      headers,
    )
    return [status, status === 403 ? body : undefined]
  }
  const refused = (scope: string) => [403, { message: `scope required: ${scope}` }]

  test.each(ROUTES)('%s are enough for %s %s', async (scope, method, path, isDefault) => {
    const [own, all, none] = await Promise.all(
      [[scope], ['all:any'], []].map((scopes) => fixture.makeKey(scopes)),
    )
    const other = await fixture.makeKey([
      scope === 'messages:read' ? 'messages:send' : 'messages:read',
    ])
    expect((await ask(method, path, bearer(own!)))[0]).not.toBe(403)
    expect((await ask(method, path, bearer(all!)))[0]).not.toBe(403)
    expect(await ask(method, path, bearer(other))).toEqual(refused(scope))
    if (isDefault) expect((await ask(method, path, bearer(none!)))[0]).not.toBe(403)
    else expect(await ask(method, path, bearer(none!))).toEqual(refused(scope))
  })

  const SMS: readonly [scope: string, method: string, path: string][] = [
    ['messages:send', 'POST', 'send'],
    ['messages:send', 'POST', 'preview'],
    ['messages:cancel', 'POST', 'messages/x/cancel'],
    ['messages:cancel', 'POST', 'batches/x/cancel'],
    ['messages:read', 'GET', 'batches/x'],
    ['messages:read', 'GET', 'usage'],
  ]
  test.each(SMS)('%s are enough for %s /api/sms/%s', async (scope, method, path) => {
    const body = method === 'POST' ? { recipients: ['+4911111'], body: 'Hi' } : undefined
    const [own, none, other] = await Promise.all(
      [[scope], [], ['devices:list']].map((scopes) => fixture.makeKey(scopes)),
    )
    for (const key of [own!, none!]) {
      const answer = await fixture.server.ask(method, path, body, { 'x-api-key': key })
      expect([401, 403]).not.toContain(answer.status)
    }
    const { status, body: said } = await fixture.server.ask(method, path, body, {
      'x-api-key': other!,
    })
    expect([status, said]).toEqual([
      403,
      { error: 'forbidden', message: `scope required: ${scope}` },
    ])
  })

  test('scopes of a key apply at once to a key in use', async () => {
    const key = await fixture.makeKey(['messages:send'])
    expect((await send(bearer(key))).status).toBe(202)
    const change = (scopes: string) =>
      fixture.server.rows(`update api_keys set scopes = $2 where prefix = $1`, [
        key.slice(0, 10),
        scopes,
      ])
    await change('{messages:read}')
    expect((await send(bearer(key))).status).toBe(403)
    expect((await fixture.server.send({}, { 'x-api-key': key })).status).toBe(403)
    await change('{messages:send}')
    expect((await send(bearer(key))).status).toBe(202)
  })
})

test('health needs no credentials', async () => {
  for (const path of ['/health', '/health/live', '/health/ready', '/health/startup', '/health/']) {
    const { status, body } = await fixture.ask('GET', path, undefined, {}, '/3rdparty/v1')
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'pass', version: '1.47.1', releaseId: 1 })
    expect(body.checks['db:ping']).toMatchObject({ observedUnit: 'milliseconds', status: 'pass' })
    expect(Number.isInteger(body.checks['db:ping'].observedValue)).toBe(true)
  }
})

test.each(['/nothing', '/messages/a/b'])(
  "the unknown route %s is answered with 404 in SMSGate's form",
  async (path) => {
    for (const prefix of ['/api/3rdparty/v1', '/3rdparty/v1'])
      for (const method of ['GET', 'PUT']) {
        const { status, body } = await fixture.ask(method, path, undefined, fixture.ann, prefix)
        expect([status, Object.keys(body)]).toEqual([404, ['message']])
      }
  },
)

test('an unsupported route is answered with 501 and a hint', async () => {
  expect(await fixture.ask('GET', '/logs')).toMatchObject({
    status: 501,
    body: { message: expect.any(String) },
  })
})

test.each(['http://example.com', 'https://127.0.0.1/'])(
  '%s is refused as a webhook address',
  async (url) => {
    const answer = await fixture.ask('POST', '/webhooks', { url, event: 'sms:sent' })
    expect(answer).toMatchObject({ status: 400, body: { message: /^url/ } })
  },
)
