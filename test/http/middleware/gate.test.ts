import { PASSWORD, startServerWithMail } from '../../support/server/server-with-mail.ts'

const server = await startServerWithMail()
const root = await server.superuser()
await server.addUser('user@example.com')

const settings = () => server.server.services.settings
afterEach(() =>
  settings().save({
    superuserIPs: [],
    rateLimits: { enabled: false, excludedIPs: [] },
    trustedProxy: { headers: [] },
  }),
)

const health = (headers = {}) => server.call('GET', '/api/health', undefined, headers)
const signIn = () =>
  server.post('/api/collections/users/auth-with-password', {
    identity: 'user@example.com',
    password: PASSWORD,
  })

test('superusers only come from their addresses, others from anywhere', async () => {
  await settings().save({ superuserIPs: ['10.0.0.0/8'] })
  const refused = await health(root)
  expect([refused.status, refused.body.message]).toEqual([
    403,
    'You are not allowed to perform this request.',
  ])
  expect((await health()).status).toBe(200)
  expect((await signIn()).status).toBe(200)
  await settings().save({ superuserIPs: ['10.0.0.0/8', '127.0.0.1'] })
  expect((await health(root)).status).toBe(200)
})

test('superusers do not even sign in from elsewhere', async () => {
  await settings().save({ superuserIPs: ['10.0.0.1'] })
  expect(await server.signIn('_superusers', 'root@example.com', 'rootpass12345')).toBe('undefined')
})

const limit = (label: string, maxRequests: number, audience = '') => ({
  label,
  audience,
  duration: 60,
  maxRequests,
})
const limited = (...rules: object[]) => settings().save({ rateLimits: { enabled: true, rules } })
const many = async (ask: () => Promise<{ status: number }>, times: number) => {
  const statuses = []
  for (let i = 0; i < times; i++) statuses.push((await ask()).status)
  return statuses
}

test('sign-ins are limited for each collection and address', async () => {
  await limited(limit('*:auth', 2))
  expect(await many(signIn, 3)).toEqual([200, 200, 429])
  const other = await server.post('/api/collections/devices/auth-with-password', {})
  expect(other.status).not.toBe(429)
  expect((await signIn()).body).toEqual({ data: {}, message: 'Too Many Requests.', status: 429 })
})

test('no encoding of the path and no case of the name gets around a limit', async () => {
  await limited(limit('users:auth', 1))
  const form = { identity: 'x', password: 'x' }
  const paths = ['users', 'USERS', '%75sers', '_pb_users_auth_']
  const statuses = []
  for (const name of paths)
    statuses.push((await server.post(`/api/collections/${name}/auth-with-password`, form)).status)
  expect(statuses).toEqual([400, 429, 429, 429])
})

test('superusers and excluded addresses are not limited, guests by a rule of their own', async () => {
  await limited(limit('/api/', 1, '@guest'))
  const authorization = await server.signIn('users', 'user@example.com', PASSWORD)
  expect(await many(health, 2)).toEqual([200, 429])
  expect(await many(() => health({ authorization }), 3)).toEqual([200, 200, 200])
  expect(await many(() => health(root), 3)).toEqual([200, 200, 200])
  await settings().save({ rateLimits: { excludedIPs: ['127.0.0.0/8'] } })
  expect(await many(health, 3)).toEqual([200, 200, 200])
})

test('a trusted header names the client', async () => {
  await settings().save({ trustedProxy: { headers: ['X-Client'] } })
  await limited(limit('/api/', 1))
  const from = (ip: string) => () => health({ 'x-client': ip })
  expect(await many(from('1.1.1.1, 2.2.2.2'), 2)).toEqual([200, 429])
  expect(await many(from('9.9.9.9, 2.2.2.2'), 1)).toEqual([429])
  expect(await many(from('2.2.2.2, 3.3.3.3'), 1)).toEqual([200])
  await settings().save({ trustedProxy: { useLeftmostIP: true } })
  expect(await many(from('9.9.9.9, 2.2.2.2'), 2)).toEqual([200, 429])
})
