import type { Collection } from '../../../src/engine/collections/collection.ts'
import type { RateLimitRule } from '../../../src/engine/settings/settings-shape.ts'
import {
  findRule,
  listRateLimitLabels,
  RateLimiter,
} from '../../../src/http/middleware/rate-limiter.ts'
import { USERS } from '../../support/server/schema.ts'
import { PASSWORD, startServerWithMail } from '../../support/server/server-with-mail.ts'

const server = await startServerWithMail()
const root = await server.superuser()
await server.addUser('user@example.com')

const settings = () => server.server.services.settings
const rateLimits = { enabled: false, excludedIPs: [] }
afterEach(() => settings().save({ superuserIPs: [], rateLimits, trustedProxy: { headers: [] } }))

const health = (headers = {}) => server.call('GET', '/api/health', undefined, headers)
const form = { identity: 'user@example.com', password: PASSWORD }
const signIn = () => server.post('/api/collections/users/auth-with-password', form)

test('superuserIPs restrict superusers to their addresses and do not restrict others', async () => {
  await settings().save({ superuserIPs: ['10.0.0.0/8'] })
  const refused = await health(root)
  const body = { message: 'You are not allowed to perform this request.' }
  expect(refused).toMatchObject({ status: 403, body })
  expect((await health()).status).toBe(200)
  expect((await signIn()).status).toBe(200)
  await settings().save({ superuserIPs: ['10.0.0.0/8', '127.0.0.1'] })
  expect((await health(root)).status).toBe(200)
})

test('a superuser cannot sign in from an address outside superuserIPs', async () => {
  await settings().save({ superuserIPs: ['10.0.0.1'] })
  expect(await server.signIn('_superusers', 'root@example.com', 'rootpass12345')).toBe('undefined')
})

const rule = (label: string, audience = '', maxRequests = 2, duration = 10): RateLimitRule => ({
  label,
  audience,
  duration,
  maxRequests,
})
const limit = (label: string, maxRequests: number, audience = '') =>
  rule(label, audience, maxRequests, 60)
const limited = (...rules: object[]) => settings().save({ rateLimits: { enabled: true, rules } })
const many = async (ask: () => Promise<{ status: number }>, times: number) => {
  const statuses = []
  for (let i = 0; i < times; i++) statuses.push((await ask()).status)
  return statuses
}

test('rate limits of sign-ins count per collection and address', async () => {
  await limited(limit('*:auth', 2))
  expect(await many(signIn, 3)).toEqual([200, 200, 429])
  const other = await server.post('/api/collections/devices/auth-with-password', {})
  expect(other.status).not.toBe(429)
  expect((await signIn()).body).toEqual({ data: {}, message: 'Too Many Requests.', status: 429 })
})

test('encoded paths and changed case do not bypass a rate limit', async () => {
  await limited(limit('users:auth', 1))
  const form = { identity: 'x', password: 'x' }
  const paths = ['users', 'USERS', '%75sers', '_pb_users_auth_']
  const statuses = []
  for (const name of paths)
    statuses.push((await server.post(`/api/collections/${name}/auth-with-password`, form)).status)
  expect(statuses).toEqual([400, 429, 429, 429])
})

test.each([
  ['a path without a route', 'GET', '/api/no/such/path', 404],
  ['a method that a route does not have', 'DELETE', '/api/health', 404],
  ["an unknown path below another product's API", 'GET', '/2010-04-01/nothing', 401],
  ['the description of the API', 'GET', '/api/openapi.json', 200],
  ['a route', 'GET', '/api/health', 200],
  ['a route asked for its head', 'HEAD', '/api/health', 200],
])('%s counts for the general rate limit', async (_, method, path, status) => {
  await limited(limit('/', 1))
  const ask = () => fetch(server.server.url + path, { method })
  expect(await many(ask, 2)).toEqual([status, 429])
})

test('the readiness of the server and the console have no rate limit', async () => {
  await limited(limit('/', 1))
  for (const path of ['/api/ready', '/']) {
    const statuses = await many(() => fetch(server.server.url + path), 3)
    expect(statuses).not.toContain(429)
  }
})

test('superusers and excluded addresses are not limited, and guests have their own rules', async () => {
  await limited(limit('/api/', 1, '@guest'))
  const authorization = await server.signIn('users', 'user@example.com', PASSWORD)
  expect(await many(health, 2)).toEqual([200, 429])
  expect(await many(() => health({ authorization }), 3)).toEqual([200, 200, 200])
  expect(await many(() => health(root), 3)).toEqual([200, 200, 200])
  await settings().save({ rateLimits: { excludedIPs: ['127.0.0.0/8'] } })
  expect(await many(health, 3)).toEqual([200, 200, 200])
})

test('the trusted proxy header names the client', async () => {
  await settings().save({ trustedProxy: { headers: ['X-Client'] } })
  await limited(limit('/api/', 1))
  const from = (ip: string) => () => health({ 'x-client': ip })
  expect(await many(from('1.1.1.1, 2.2.2.2'), 2)).toEqual([200, 429])
  expect(await many(from('9.9.9.9, 2.2.2.2'), 1)).toEqual([429])
  expect(await many(from('2.2.2.2, 3.3.3.3'), 1)).toEqual([200])
  await settings().save({ trustedProxy: { useLeftmostIP: true } })
  expect(await many(from('9.9.9.9, 2.2.2.2'), 2)).toEqual([200, 429])
})

const users = { id: USERS, name: 'users' } as Collection
const find = (name: string) => (['users', USERS].includes(name) ? users : undefined)

test.each([
  ['GET', '/api/collections/users/records', ['users:list', '*:list'], '_pb_users_auth_ list'],
  ['HEAD', '/api/collections/users/records', ['users:list', '*:list'], '_pb_users_auth_ list'],
  ['PATCH', `/api/collections/${USERS}/records/x`, ['users:update', '*:update'], `${USERS} update`],
  [
    'POST',
    '/api/collections/users/auth-with-otp',
    ['users:authWithOTP', 'users:auth', '*:authWithOTP', '*:auth'],
    `${USERS} authWithOTP auth`,
  ],
  ['POST', '/api/collections/users/impersonate/x', [], ''],
  ['GET', '/api/collections/nope/records', [], ''],
  ['GET', '/api/files/users/x/y.png', ['users:file', '*:file'], '_pb_users_auth_ file'],
  ['GET', '/api/health', [], ''],
] as const)(
  '%s %s is limited by the labels %j and counted as "%s"',
  (method, path, labels, countedAs) => {
    const all = [...labels, `${method} ${path}`, path]
    expect(listRateLimitLabels(method, path, find)).toEqual({ labels: all, countedAs })
  },
)

const LABELS = ['users:list', '*:list', 'GET /api/x', '/api/x']
const labelOf = (rules: Parameters<typeof findRule>[0], isSignedIn: boolean) =>
  findRule(rules, { ip: '', isSignedIn, labels: LABELS, countedAs: '' })?.label

test.each([
  ['an exact label', [rule('/api/'), rule('users:list')], false, 'users:list'],
  ['a path that it lies under', [rule('/api/'), rule('/api/y')], false, '/api/'],
  ['the path itself', [rule('/api/x')], false, '/api/x'],
  ['a method and a path', [rule('GET /api/')], false, 'GET /api/'],
  ['only guests', [rule('users:list', '@auth'), rule('*:list', '@guest')], false, '*:list'],
  [
    'signed-in users only',
    [rule('users:list', '@auth'), rule('*:list', '@guest')],
    true,
    'users:list',
  ],
] as const)('the matching rate rule is the one with %s: $3', (_, rules, isSignedIn, label) => {
  expect(labelOf(rules, isSignedIn)).toBe(label)
})

test.each([
  ['its path lacks the slash at its end', [rule('/api')]],
  ['there are no rules', []],
])('no rate rule matches if %s', (_, rules) => {
  expect(labelOf(rules, false)).toBeUndefined()
})

const ask = (ip: string, countedAs = '') => ({
  ip,
  isSignedIn: false,
  labels: ['*:auth'],
  countedAs,
})

test('a rule allows its number of requests in a window for each address', () => {
  const limiter = new RateLimiter()
  const limits = { enabled: true, excludedIPs: [], rules: [rule('*:auth')] }
  const at = (ms: number, ip = '1.1.1.1') => limiter.allows(limits, ask(ip), ms)
  expect([at(0), at(1_000), at(2_000), at(9_000)]).toEqual([true, true, false, false])
  expect([at(9_000, '2.2.2.2'), at(10_000), at(11_000), at(12_000)]).toEqual([
    true,
    true,
    true,
    false,
  ])
})

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2::2'],
  ['2001:db8:1:2::1', '2001:DB8:1:2:ffff:ffff:ffff:ffff'],
  ['2001:db8::1', '2001:db8:0:0:8000::'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
])('the addresses %s and %s of one customer count as one', (one, other) => {
  const limiter = new RateLimiter()
  const limits = { enabled: true, excludedIPs: [], rules: [rule('*:auth')] }
  const from = (ip: string) => limiter.allows(limits, ask(ip), 0)
  expect([from(one), from(other), from(one), from(other)]).toEqual([true, true, false, false])
  expect([from('2001:db8:1:3::1'), from('203.0.113.8')]).toEqual([true, true])
})
