import { basic } from '../../support/server/request.ts'
import { ANN, BEN } from '../../support/server/server-with-users.ts'
import { bearer, startSmsgateApiFixture } from '../../support/smsgate/smsgate-api-fixture.ts'

const fixture = await startSmsgateApiFixture()

const ask = (body: unknown, headers?: Record<string, string>) =>
  fixture.ask('POST', '/auth/token', body, headers)
const refresh = (token: string, body?: unknown) =>
  fixture.ask('POST', '/auth/token/refresh', body, bearer(token))
const revoke = (id: string, headers?: Record<string, string>) =>
  fixture.ask('DELETE', `/auth/token/${encodeURIComponent(id)}`, undefined, headers)
const list = async (token: string) =>
  (await fixture.ask('GET', '/messages', undefined, bearer(token))).status
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

test('a token request returns an access and a refresh token, named in both spellings', async () => {
  const asked = ['messages:list', 'messages:send']
  const { status, headers, body } = await ask({ scopes: asked, ttl: 60 })
  expect(status).toBe(201)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toMatchObject({ token_type: 'Bearer', tokenType: 'Bearer' })
  for (const [snake, camel] of [
    ['access_token', 'accessToken'],
    ['refresh_token', 'refreshToken'],
    ['expires_at', 'expiresAt'],
  ] as const)
    expect(body[snake]).toBe(body[camel])
  const { jti, sub, user_id, exp, iat, scopes } = claimsOf(body.access_token)
  expect([jti, sub, user_id, exp - iat, scopes]).toEqual([body.id, ANN.id, ANN.id, 60, asked])
  expect(Date.parse(body.expires_at)).toBe(exp * 1000)
  expect(claimsOf(body.refresh_token).scopes).toEqual(['tokens:refresh'])
})

test.each([
  [undefined, 900],
  [0, 900],
  [null, 900],
  [86_400, 900],
  [10, 10],
])('a ttl of %s gives a token valid for %i seconds', async (ttl, seconds) => {
  const { body } = await ask({ scopes: ['messages:list'], ttl })
  const { exp, iat } = claimsOf(body.access_token)
  expect(exp - iat).toBe(seconds)
})

test.each<[unknown, RegExp]>([
  [{}, /^scopes/],
  [{ scopes: ['messages:everything'] }, /^scopes\[0\]/],
  [{ scopes: ['messages:send', 'tokens:refresh'] }, /^scopes\[1\]/],
  [{ scopes: ['messages:send'], ttl: -1 }, /^ttl/],
  ['{', /JSON/],
])('the token request %j is refused: $1', async (body, message) => {
  expect(await ask(body)).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(message) },
  })
})

describe('a token', () => {
  test('a token gives access to its scopes only', async () => {
    const { body } = await ask({ scopes: ['messages:list'] })
    expect(await list(body.access_token)).toBe(200)
    const others = await fixture.ask('GET', '/devices', undefined, bearer(body.access_token))
    expect([others.status, others.body]).toEqual([403, { message: 'scope required: devices:list' }])
    expect(await list(body.refresh_token)).toBe(403)
    const message = { message: 'x', phoneNumbers: ['+4911111'] }
    expect(
      (await fixture.ask('POST', '/messages', message, bearer(body.access_token))).status,
    ).toBe(403)
  })

  test("a token is refused by PocketBase's API, and PocketBase's tokens by SMSGate's", async () => {
    const { body } = await ask({ scopes: ['all:any'] })
    const path = '/api/collections/sms_messages/records'
    const records = await fixture.server.ask('GET', path, undefined, bearer(body.access_token))
    expect(records.status).toBe(401)
    expect(
      (await fixture.server.ask('GET', 'usage', undefined, bearer(body.access_token))).status,
    ).toBe(401)
    const { authorization } = await fixture.server.signedIn('users', ANN.id)
    expect(await list(authorization!)).toBe(401)
  })

  test('a token with changed claims or signature is refused', async () => {
    const { body } = await ask({ scopes: ['messages:list'] })
    const [head, claims, signature] = body.access_token.split('.')
    const wider = { ...claimsOf(body.access_token), scopes: ['all:any'] }
    const more = Buffer.from(JSON.stringify(wider)).toString('base64url')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    for (const token of [
      `${head}.${more}.${signature}`,
      `${none}.${claims}.`,
      `${head}.${claims}.${signature}x`,
      'a.b.c',
      '..',
    ])
      expect(await list(token)).toBe(401)
  })

  test('a token needs a key with the requested scopes', async () => {
    const few = bearer(await fixture.makeKey(['tokens:manage', 'messages:list']))
    expect((await ask({ scopes: ['messages:list'] }, few)).status).toBe(201)
    for (const scope of ['messages:send', 'all:any']) {
      const { status, body } = await ask({ scopes: [scope] }, few)
      expect([status, body]).toEqual([403, { message: `scope required: ${scope}` }])
    }
    const none = await ask({ scopes: ['messages:send'] }, basic(ANN.email, ANN.key))
    expect([none.status, none.body]).toEqual([403, { message: 'scope required: tokens:manage' }])
  })

  test('a token stops working when it expires, and can still be refreshed', async () => {
    const { body } = await ask({ scopes: ['messages:list'] })
    await fixture.server.rows('update smsgate_tokens set access_until = now() where id = $1', [
      body.id,
    ])
    expect(await list(body.access_token)).toBe(401)
    expect((await refresh(body.refresh_token)).status).toBe(201)
  })

  test('a token ends with its key and loses scopes that its key loses', async () => {
    const key = await fixture.makeKey(['tokens:manage', 'messages:list'])
    const { body } = await ask({ scopes: ['messages:list'] }, bearer(key))
    const change = (sql: string) =>
      fixture.server.rows(`${sql} where prefix = $1`, [key.slice(0, 10)])
    await change(`update api_keys set scopes = '{messages:send}'`)
    expect(await list(body.access_token)).toBe(403)
    await change(
      `update api_keys set scopes = '{all:any}', expires_at = '2020-01-01 00:00:00.000Z'`,
    )
    expect(await list(body.access_token)).toBe(401)
    await change(`update api_keys set expires_at = ''`)
    expect(await list(body.access_token)).toBe(200)
    await change('delete from api_keys')
    expect(await list(body.access_token)).toBe(401)
    expect((await refresh(body.refresh_token)).status).toBe(401)
  })
})

describe('a token refresh', () => {
  test.each([undefined, {}])(
    'a token refresh with the body %j returns a pair with the same scopes, once',
    async (sent) => {
      const { body: first } = await ask({ scopes: ['messages:list'] })
      const { status, body: second } = await refresh(first.refresh_token, sent)
      expect(status).toBe(201)
      expect(second.id).not.toBe(first.id)
      expect(claimsOf(second.access_token).scopes).toEqual(['messages:list'])
      expect(await list(second.access_token)).toBe(200)
      const again = await refresh(first.refresh_token)
      expect([again.status, again.body]).toEqual([401, { message: 'Unauthorized' }])
    },
  )

  test('a token refresh succeeds once for four concurrent requests', async () => {
    const { body } = await ask({ scopes: ['messages:list'] })
    const all = await Promise.all([1, 2, 3, 4].map(() => refresh(body.refresh_token)))
    expect(all.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401])
  })

  test('a token refresh requires the refresh token', async () => {
    const { body } = await ask({ scopes: ['all:any'] })
    const refused = [403, { message: 'scope required: tokens:refresh' }]
    for (const headers of [fixture.ann, bearer(body.access_token)]) {
      const answer = await fixture.ask('POST', '/auth/token/refresh', undefined, headers)
      expect([answer.status, answer.body]).toEqual(refused)
    }
    expect((await fixture.ask('POST', '/auth/token/refresh', undefined, {})).status).toBe(401)
  })
})

test('revoking ends both tokens of a pair and always succeeds', async () => {
  const { body } = await ask({ scopes: ['messages:list'] })
  expect((await revoke(body.id, fixture.ben)).status).toBe(204)
  expect(await list(body.access_token)).toBe(200)
  for (const id of [body.id, body.id, 'nobody']) expect((await revoke(id)).status).toBe(204)
  expect(await list(body.access_token)).toBe(401)
  expect((await refresh(body.refresh_token)).status).toBe(401)
})

test('a user has at most 1,000 token pairs, and the oldest end first', async () => {
  const { body } = await ask({ scopes: ['messages:list'] })
  await fixture.server.rows(
    `insert into smsgate_tokens (id, "user", api_key, secret, scopes, created, access_until, refresh_until)
    select 'many' || i, $1, 'key', '', '{}', now() + interval '1 second', now(), now() from generate_series(1, 999) i`,
    [ANN.id],
  )
  expect(await list(body.access_token)).toBe(200)
  expect((await ask({ scopes: ['messages:list'] })).status).toBe(201)
  expect(await list(body.access_token)).toBe(401)
  const [[count]] = (await fixture.server.rows(
    'select count(*)::int from smsgate_tokens where "user" = $1',
    [ANN.id],
  )) as [[number]]
  expect(count).toBe(1_000)
})

test('tokens are deleted with their user', async () => {
  const key = await fixture.makeKey(['all:any'], BEN)
  const { body } = await ask({ scopes: ['messages:list'] }, bearer(key))
  const headers = await fixture.server.signedIn('users', BEN.id)
  await fixture.server.ask('DELETE', `/api/collections/users/records/${BEN.id}`, undefined, headers)
  expect(await list(body.access_token)).toBe(401)
  for (const table of ['smsgate_tokens', 'smsgate_accounts', 'sms_origins'])
    expect(await fixture.server.rows(`select 1 from ${table} where "user" = $1`, [BEN.id])).toEqual(
      [],
    )
})
