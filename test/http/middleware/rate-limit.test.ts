import type { Collection } from '../../../src/collections/catalog.ts'
import { findRule, RateLimiter, rateLimitLabels } from '../../../src/http/middleware/gate.ts'
import type { RateLimitRule } from '../../../src/settings/settings.ts'

const rule = (label: string, audience = '', maxRequests = 2, duration = 10): RateLimitRule => ({
  label,
  audience,
  duration,
  maxRequests,
})
const users = { id: '_pb_users_auth_', name: 'users' } as Collection
const find = (name: string) => (['users', '_pb_users_auth_'].includes(name) ? users : undefined)

test.each([
  ['GET', '/api/collections/users/records', ['users:list', '*:list'], '_pb_users_auth_ list'],
  ['HEAD', '/api/collections/users/records', ['users:list', '*:list'], '_pb_users_auth_ list'],
  [
    'PATCH',
    '/api/collections/_pb_users_auth_/records/x',
    ['users:update', '*:update'],
    '_pb_users_auth_ update',
  ],
  [
    'POST',
    '/api/collections/users/auth-with-otp',
    ['users:authWithOTP', 'users:auth', '*:authWithOTP', '*:auth'],
    '_pb_users_auth_ authWithOTP auth',
  ],
  ['POST', '/api/collections/users/impersonate/x', [], ''],
  ['GET', '/api/collections/nope/records', [], ''],
  ['GET', '/api/files/users/x/y.png', ['users:file', '*:file'], '_pb_users_auth_ file'],
  ['GET', '/api/health', [], ''],
] as const)('%s %s is limited by %j', (method, path, labels, countedAs) => {
  expect(rateLimitLabels(method, path, find)).toEqual({
    labels: [...labels, `${method} ${path}`, path],
    countedAs,
  })
})

test.each([
  ['an exact label', [rule('/api/'), rule('users:list')], false, 'users:list'],
  ['a path that it lies under', [rule('/api/'), rule('/api/y')], false, '/api/'],
  ['the path itself', [rule('/api/x')], false, '/api/x'],
  ['a path without its slash is no prefix', [rule('/api')], false, undefined],
  ['a method and a path', [rule('GET /api/')], false, 'GET /api/'],
  ['only guests', [rule('users:list', '@auth'), rule('*:list', '@guest')], false, '*:list'],
  ['only who is signed in', [rule('users:list', '@auth'), rule('*:list', '@guest')], true, 'users:list'],
  ['none', [], false, undefined],
] as const)('the rule is %s', (_, rules, isSignedIn, label) => {
  const labels = ['users:list', '*:list', 'GET /api/x', '/api/x']
  expect(findRule(rules, { ip: '', isSignedIn, labels, countedAs: '' })?.label).toBe(label)
})

const ask = (ip: string, countedAs = '') => ({ ip, isSignedIn: false, labels: ['*:auth'], countedAs })

test('so many in a window, for each address', () => {
  const limiter = new RateLimiter()
  const limits = { enabled: true, excludedIPs: [], rules: [rule('*:auth')] }
  const at = (ms: number, ip = '1.1.1.1') => limiter.allows(limits, ask(ip), ms)
  expect([at(0), at(1_000), at(2_000), at(9_000)]).toEqual([true, true, false, false])
  expect([at(9_000, '2.2.2.2'), at(10_000), at(11_000), at(12_000)]).toEqual([true, true, true, false])
})
