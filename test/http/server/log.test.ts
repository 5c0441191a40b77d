import { once } from 'node:events'
import { request } from 'node:http'
import { upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { hideValues, toLoggedPath, toLoggedUrl } from '../../../src/http/server/logged-url.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { runServer } from '../../support/database/open.ts'
import { signIn } from '../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../support/server/start.ts'

const PROXY = '127.0.0.1'
const STRANGER = '127.0.0.2'
const OURS = /^[A-Za-z0-9]{8}-[0-9a-z]+$/
const JSON_TYPE = { 'content-type': 'application/json' }

let lines: string[] = []

interface Line {
  readonly request: string
  readonly path: string
  readonly [name: string]: unknown
}

const config = await testConfig({ TRUSTED_PROXIES: PROXY, LOG_LEVEL: 'info' })
const server = await runServer(
  config,
  createLogger(config, { write: (line) => void lines.push(line) }),
)
await upsertSuperuser(server.services.store, SUPERUSER.email, SUPERUSER.password)

beforeEach(() => {
  lines = []
})

interface Asked {
  readonly from?: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** Asks from an address of this machine; answers status and X-Request-Id when the line is written. */
async function ask(path: string, { from = PROXY, method = 'GET', headers = {}, body }: Asked = {}) {
  const before = lines.length
  const asking = request(server.url + path, { method, headers, localAddress: from })
  asking.end(body)
  const [answer] = await once(asking, 'response')
  answer.resume()
  await once(answer, 'end')
  await expect.poll(() => lines.length).toBeGreaterThan(before)
  return { status: answer.statusCode as number, id: String(answer.headers['x-request-id']) }
}

const written = (): Line[] => lines.map((line) => JSON.parse(line))

describe('the log line of a request', () => {
  test('the log line of a request has method, path, address, status and time', async () => {
    const { id } = await ask('/api/health')
    const asked = { request: id, method: 'GET', path: '/api/health', ip: PROXY }
    const times = { time: expect.any(Number), ms: expect.any(Number) }
    expect(written()).toEqual([{ level: 30, ...asked, status: 200, done: true, ...times }])
    expect(id).toMatch(OURS)
  })

  test.each([
    ['an unknown route', '/api/nothing', 404],
    ['a path that is cleaned', '/api//health', 307],
    ['a path that cannot be decoded', '/api/%zz', 400],
    ['metrics without a token', '/metrics', 401],
  ] as const)(
    'the log line of a request is written for %s with status $2',
    async (_, path, status) => {
      const { id } = await ask(path)
      expect(written()).toMatchObject([{ request: id, path, status }])
    },
  )

  test('the log line of a request has status 499 if the client hung up', async () => {
    const asking = request(`${server.url}/api/collections/_superusers/auth-with-password`, {
      method: 'POST',
      headers: { ...JSON_TYPE, expect: '100-continue' },
    })
    asking.on('error', () => {})
    asking.write('{"identity":')
    await once(asking, 'continue')
    asking.destroy()
    await expect.poll(written).toMatchObject([{ status: 499, done: false }])
  })
})

describe('X-Request-Id', () => {
  test.each([
    ['from a proxy is used', PROXY, 'trace/4bf9-2f35', true],
    ['of a stranger is not', STRANGER, 'trace/4bf9-2f35', false],
    ['that would break the log is not', PROXY, '"},{"level":60', false],
    ['longer than 128 characters is replaced', PROXY, 'x'.repeat(129), false],
    ['that is empty is not', PROXY, '', false],
  ] as const)('%s', async (_, from, given, isTaken) => {
    const { id } = await ask('/api/health', { from, headers: { 'x-request-id': given } })
    expect(id === given).toBe(isTaken)
    if (!isTaken) expect(id).toMatch(OURS)
    expect(written()[0]!.request).toBe(id)
  })

  test('each request gets an id of its own', async () => {
    const ids = new Set<string>()
    for (let i = 0; i < 40; i++) ids.add((await ask('/api/health')).id)
    expect(ids.size).toBe(40)
  })
})

describe('log lines', () => {
  test('log lines contain no queries, headers or bodies', async () => {
    const keys = { authorization: 'Bearer in-the-header', 'x-api-key': 'psk_in-the-key' }
    await ask('/api/health?token=in-the-query', { headers: { ...keys, cookie: 'a=in-a-cookie' } })
    const body = JSON.stringify({ identity: 'in-the-body@example.com', password: 'in-the-body' })
    await ask('/api/collections/users/auth-with-password', {
      method: 'POST',
      headers: JSON_TYPE,
      body,
    })
    expect(lines).toHaveLength(2)
    expect(lines.join('')).not.toMatch(/in-the|in-a|psk_/)
  })

  test("log lines contain no values of a failed statement, but its request's id", async () => {
    const { db } = server.services.store
    await db.query(
      'alter table _superusers add constraint tried check (email not like $$%secret%$$)',
    )
    const headers = { ...JSON_TYPE, authorization: await rootToken() }
    const passwords = { password: 'hidden-pass-1', passwordConfirm: 'hidden-pass-1' }
    const body = JSON.stringify({ email: 'secret@example.com', ...passwords })
    lines = []
    const path = '/api/collections/_superusers/records'
    const { id, status } = await ask(path, { method: 'POST', headers, body })
    await db.query('alter table _superusers drop constraint tried')
    expect(status).toBeGreaterThanOrEqual(400)
    expect(new Set(written().map(({ request }) => request))).toEqual(new Set([id]))
    expect(lines.join('')).not.toMatch(/secret@|hidden-pass/)
  })

  test("log lines contain the whole error of a 500 under the request's id", async () => {
    const { db } = server.services.store
    await db.query('alter table _params rename to _params_away')
    const { id, status } = await ask('/api/settings', {
      method: 'PATCH',
      headers: { ...JSON_TYPE, authorization: await rootToken() },
      body: '{"meta":{"appName":"hidden-name"}}',
    })
    await db.query('alter table _params_away rename to _params')
    expect(status).toBe(500)
    const [fault] = written().filter(({ level }) => level === 50)
    expect(fault).toMatchObject({
      request: id,
      method: 'PATCH',
      path: '/api/settings',
      err: {
        message: expect.stringContaining('_params'),
        code: '42P01',
        stack: expect.any(String),
      },
    })
    expect(lines.join('')).not.toContain('hidden-name')
  })
})

const rootToken = async () =>
  (await signIn(server.url, '_superusers', SUPERUSER.email, SUPERUSER.password)).token

test.each([
  ['names and signs', 'status = "failed" && to ~ \'+4915112345678\'', 'status = … && to ~ …'],
  ['an open text', 'body ~ "Dear Ann', 'body ~ …'],
  [
    'a text with quotes and line ends',
    'body = "Ann = \\"1\\" \\\n Bob = 2" && n = 1',
    'body = … && n = 1',
  ],
  ['a text that ends with a backslash', 'body = "Ann = 1\\', 'body = …'],
  ['a text without quotes', 'name = Ann Miller', 'name = … …'],
  ['a number without quotes', 'to=+4915112345678', 'to=……'],
  ['a text alone', 'Ann', '…'],
  ['small numbers, constants, macros', 'n >= 5 && on = true && created > @todayStart', undefined],
  ['empty texts', "error_message != ''", undefined],
  ['nested groups and ?-operators', '(a.b ?= 1 || c:lower !~ null)', undefined],
  ['functions', 'strftime("%Y", created) = "2026"', 'strftime(…, …) = …'],
  ['a comment', 'a = 1 // Ann', 'a = 1 … …'],
  ['letters of any script', 'name = Jürgen', 'name = ………'],
  ['a number as a name', '4915112345678 = 1', '… = 1'],
  ['an unknown macro', 'a = @+4915112345678', 'a = ………'],
  ['nothing', '', undefined],
])('a filter with %s is logged without its values: %s', (_, filter, kept = filter) =>
  expect(hideValues(filter)).toBe(kept),
)

test.each([
  ['a path', '/api/collections/contacts/records/k3v9x0c2m5n8b1a', undefined],
  [
    'how to answer',
    '/api/x?page=2&perPage=30&sort=-a,@rowid&fields=id,body:excerpt(9)&skipTotal=1',
    undefined,
  ],
  [
    'a filter',
    '/api/x?filter=to%20%3D%20%22%2B4915112345678%22&page=1',
    '/api/x?filter=to = …&page=1',
  ],
  [
    'a token',
    '/api/files/a/b/c.png?token=eyJ.eyJ.x&thumb=10x10',
    '/api/files/a/b/c.png?token=…&thumb=10x10',
  ],
  ['unknown parameters', '/api/x?q=Ann&+4915112345678=1', '/api/x?q=…&…=…'],
  ['a number in a parameter', '/api/x?sort=4915112345678', '/api/x?sort=…'],
  ['a number in a path', '/api/sms/%2B4915112345678', '/api/sms/…'],
  ['a secret path', '/api/mobile/v1/incoming/secret', '/api/mobile/v1/incoming/…'],
  ['the token of a carrier', '/api/devices/carriers/calls/secret', '/api/devices/carriers/calls/…'],
  ['the secret of a hook', '/api/hooks/secret', '/api/hooks/…'],
  ['parameters in a path', '/cgi-bin/sendsms;password=psk_x&to=1', '/cgi-bin/sendsms;…'],
  [
    'escaped parameters in a path',
    '/cgi-bin/sendsms%3fpassword=x?page=1',
    '/cgi-bin/sendsms%3f…?page=1',
  ],
  ['a key in a path', `/api/sms/psk_${'a1'.repeat(32)}/x`, '/api/sms/…/x'],
  ['short numbers and ids in a path', '/api/123456/1234567a', undefined],
  ['a broken escape', '/api/x?filter=%zz&page=1', '/api/x?page=1'],
  [
    'too many parameters',
    `/${'a/'.repeat(1000)}`,
    `/${'a/'.repeat(1000)}`.slice(0, 1000).concat('...'),
  ],
])('an address with %s is logged without its values: $1', (_, url, kept = url) =>
  expect(toLoggedUrl(url)).toBe(kept),
)

test('a long path without separators is logged up to 1,000 characters', () => {
  expect(toLoggedPath(`/${'1'.repeat(16_100)}a`)).toHaveLength(1000)
})

test.each([
  '/f/abcdefghijklmno0Secret-Secr',
  '/F/abcdefghijklmno0Secret-Secr',
  '//f//abcdefghijklmno0Secret-Secr',
  '/./f/abcdefghijklmno0Secret-Secr',
  '/%66/abcdefghijklmno0Secret-Secr?x=1',
  '/f%2Fabcdefghijklmno0Secret-Secr',
  '/f%252fabcdefghijklmno0Secret-Secr',
  '/sms/f/abcdefghijklmno0Secret-Secr',
  'https://sms.example/f/abcdefghijklmno0Secret-Secr',
  '\\\\f\\abcdefghijklmno0Secret-Secr',
  '/leave/Secret-SecretSecretSecretSecret',
  '/LEAVE/Secret-SecretSecretSecretSecret',
  '/le%61ve//Secret-SecretSecretSecretSecret',
  '/api//hooks/%2FSecret',
  '/api/Hooks/Secret/more',
  '/api/mobile/v1/%69ncoming/Secret',
  '/api/devices/carriers//calls/Secret',
  '/api/files/sms_messages/abc/a.jpg?token=1.Secret',
  '/api/files/sms_messages/abc/a.jpg%3Ftoken=1.Secret',
  // a fragment that a chat program or a scanner of mails escaped
  '/_/%23/join/Secret-SecretSecret',
  '/_/%2523/join/Secret-SecretSecret',
  '/_/#/join/Secret-SecretSecret',
  '/%23/conversations/Secret',
  '/_/%23/pbinstall/eyJhbGciOiJIUzI1NiJ9.eyJpZCI6IlNlY3JldCJ9.Secret_Secret',
  '/_/%23/auth/confirm-password-reset/eyJhbGciOiJIUzI1NiJ9.e30.Secret',
  '/api/devices/pair%23Secret',
  // a token where a client should have written a parameter
  '/api/collections/users/confirm-verification/eyJhbGciOiJIUzI1NiJ9.eyJpZCI6IjEifQ.Secret-Sec_ret',
  '/api/files/sms_messages/abc/a.jpg/eyJhbGciOiJIUzI1NiJ9.eyJpZCI6IjEifQ.Secret',
  '/api/files/sms_messages/abc/a.jpg%253Ftoken=1.Secret',
  '/api/files/sms_messages/abc/a.jpg%26token%3D1.Secret',
  '/f/%61bcdefghijklmno0Secret-Secr/',
  '/f;v=1/abcdefghijklmno0Secret-Secr',
  '/leave/./Secret-SecretSecretSecretSecret',
  '/leave/%2e/Secret-SecretSecretSecretSecret',
  '/api/mobile/v1/incoming%2FSecret',
  '/%6ceave/Secret-SecretSecretSecretSecret',
])('the link %s is logged without its token', (url) => {
  expect(toLoggedPath(url)).not.toContain('ecret')
  expect(toLoggedUrl(url)).not.toContain('ecret')
})

test.each(['/api/collections/f/records', '/f', '/leave', '/api/hooks', '/join/abcdefghijklmno'])(
  'the path %s is logged whole',
  (path) => expect(toLoggedPath(path)).toBe(path),
)
