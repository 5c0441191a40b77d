import { limitSignInAttempts } from '../../../src/engine/auth/sign-in-limits.ts'
import { badRequest } from '../../../src/platform/api-errors.ts'
import { makeOverLimit } from '../../../src/platform/limits/limit-holder.ts'
import { PASSWORD, startServerWithMail } from '../../support/server/server-with-mail.ts'

const TRIES = 5

const server = await startServerWithMail({
  TRUSTED_PROXIES: '127.0.0.1,::1',
  SIGN_IN_TRIES: String(TRIES),
})
await server.allowOtp()
const { db } = server.server.services.store

const from = (ip: string) => ({ 'x-forwarded-for': ip })
const signIn = async (identity: string, password: string, ip: string) =>
  (await server.post('/api/collections/users/auth-with-password', { identity, password }, from(ip)))
    .status
const wrong = async (identity: string, ip: string, times = 1) => {
  const statuses = []
  for (let i = 0; i < times; i++) statuses.push(await signIn(identity, 'wrong', ip))
  return statuses
}
const all = (status: number, times: number) => Array<number>(times).fill(status)

test('an address gets a limited number of wrong passwords for an account, then 429 with retry-after', async () => {
  await server.addUser('tries@example.com')
  expect(await wrong('tries@example.com', '192.0.2.1', TRIES)).toEqual(all(400, TRIES))
  const form = { identity: 'tries@example.com', password: PASSWORD }
  const answer = await server.post(
    '/api/collections/users/auth-with-password',
    form,
    from('192.0.2.1'),
  )
  expect(answer.status).toBe(429)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(590)
  expect(answer.body).toEqual({ data: {}, message: 'Too Many Requests.', status: 429 })
})

test.each([
  ['its owner elsewhere gets in', 'tries@example.com', '192.0.2.2', 200],
  ['another account can sign in from the same address', 'other@example.com', '192.0.2.1', 200],
  [
    'a forged address before the proxy is still refused',
    'tries@example.com',
    '8.8.8.8, 192.0.2.1',
    429,
  ],
  [
    'another spelling of the address is still refused',
    'tries@example.com',
    '::ffff:192.0.2.1',
    429,
  ],
  ['another case of the identity is still refused', 'TRIES@example.com', '192.0.2.1', 429],
])('after too many wrong passwords %s', async (_, identity, ip, status) => {
  if (identity === 'other@example.com') await server.addUser(identity)
  expect(await signIn(identity, PASSWORD, ip)).toBe(status)
})

test('wrong passwords for an unknown account get 429 after as many tries as for a known account', async () => {
  expect(await wrong('nobody@example.com', '192.0.2.9', TRIES + 1)).toEqual([
    ...all(400, TRIES),
    429,
  ])
})

test('a right password does not count as an attempt and clears earlier ones', async () => {
  await server.addUser('right@example.com')
  for (let round = 0; round < 3; round++) {
    expect(await wrong('right@example.com', '192.0.2.3', TRIES - 1)).toEqual(all(400, TRIES - 1))
    expect(await signIn('right@example.com', PASSWORD, '192.0.2.3')).toBe(200)
  }
  const together = Array.from({ length: 30 }, () =>
    signIn('right@example.com', PASSWORD, '192.0.2.3'),
  )
  expect(await Promise.all(together)).toEqual(all(200, 30))
})

test('wrong passwords from many addresses lock the account for strangers, not for a known address', async () => {
  await server.addUser('target@example.com')
  expect(await signIn('target@example.com', PASSWORD, '198.51.100.1')).toBe(200)
  const statuses = []
  for (let i = 0; i < TRIES * 10 + 1; i++)
    statuses.push(...(await wrong('target@example.com', `203.0.113.${i}`)))
  expect(statuses).toEqual([...all(400, TRIES * 10), 429])
  expect(await signIn('target@example.com', PASSWORD, '198.51.100.1')).toBe(200)
})

test('wrong passwords from one address are limited over all accounts', async () => {
  const statuses = []
  for (let i = 0; i < TRIES * 15 + 1; i++)
    statuses.push(...(await wrong(`guess${i}@example.com`, '192.0.2.50')))
  expect(statuses).toEqual([...all(400, TRIES * 15), 429])
})

test.each([
  ['request-password-reset', 204],
  ['request-verification', 204],
  ['request-otp', 200],
])(
  '%s is limited to 15 per account and address, whether or not the account exists',
  async (route, status) => {
    await server.addUser(`${route}@example.com`)
    for (const email of [`${route}@example.com`, `no-${route}@example.com`]) {
      const statuses = []
      for (let i = 0; i < 16; i++) {
        const answer = await server.post(
          `/api/collections/users/${route}`,
          { email },
          from('192.0.2.77'),
        )
        statuses.push(answer.status)
      }
      expect(statuses).toEqual([...all(status, 15), 429])
    }
  },
)

test.each([
  [
    'a change of it',
    (id: string, body: object) => ['PATCH', `/api/collections/users/records/${id}`, body],
  ],
  [
    'a change in a batch',
    (id: string, body: object) => [
      'POST',
      '/api/batch',
      { requests: [{ method: 'PATCH', url: `/api/collections/users/records/${id}`, body }] },
    ],
  ],
  [
    'the query of a request in a batch',
    (id: string, { oldPassword, ...body }: { oldPassword?: string }) => [
      'POST',
      '/api/batch',
      {
        requests: [
          {
            method: 'PATCH',
            url: `/api/collections/users/records/${id}?oldPassword=${oldPassword}`,
            body,
          },
        ],
      },
    ],
  ],
] as const)('a token does not allow more guesses of the password: %s', async (name, change) => {
  const email = `${name.replaceAll(' ', '')}@example.com`
  const id = await server.addUser(email)
  const headers = {
    authorization: await server.signIn('users', email, PASSWORD),
    ...from('192.0.2.60'),
  }
  const guess = async (oldPassword: string) => {
    const body = { oldPassword, password: 'newpassword1', passwordConfirm: 'newpassword1' }
    const [method, path, given] = change(id, body) as [string, string, object]
    return (await server.call(method, path, given, headers)).status
  }
  const statuses = []
  for (let i = 0; i <= TRIES; i++) statuses.push(await guess('wrong'))
  expect(statuses).toEqual([...all(400, TRIES), 429])
  expect(await guess(PASSWORD)).toBe(429)
})

test('password changes without the present password count as attempts, and other changes do not clear them', async () => {
  const id = await server.addUser('setter@example.com')
  const headers = {
    authorization: await server.signIn('users', 'setter@example.com', PASSWORD),
    ...from('192.0.2.61'),
  }
  const change = async (collection: string, record: string, body: object) =>
    (await server.call('PATCH', `/api/collections/${collection}/records/${record}`, body, headers))
      .status
  const group = { name: 'a', user: id }
  const made = await server.call('POST', '/api/collections/contact_groups/records', group, headers)
  const statuses = []
  for (let i = 0; i <= TRIES; i++) {
    statuses.push(
      await change('users', id, { password: 'newpassword1', passwordConfirm: 'newpassword1' }),
    )
    expect(
      await change('contact_groups', String(made.body.id), { name: 'b', oldPassword: 'a' }),
    ).toBe(200)
  }
  expect(statuses).toEqual([...all(400, TRIES), 429])
  expect(await change('users', id, { name: 'Ann' })).toBe(200)
})

test('concurrent attempts keep the limit exactly', async () => {
  const tried = {
    db,
    config: { signInTries: TRIES },
    collection: 'users',
    account: 'node',
    ip: '192.0.2.90',
  }
  const outcomes = await Promise.all(
    Array.from({ length: TRIES * 4 }, () =>
      limitSignInAttempts(tried, async () => {
        throw badRequest()
      }).catch((error: { status: number }) => error.status),
    ),
  )
  expect(outcomes.filter((status) => status === 400)).toHaveLength(TRIES)
})

test('an attempt refused because the server is busy does not count as wrong', async () => {
  const tried = {
    db,
    config: { signInTries: TRIES },
    collection: 'users',
    account: 'busy',
    ip: '192.0.2.91',
  }
  const refuse = async () => {
    throw makeOverLimit('passwords to check', true, 5)
  }
  for (let i = 0; i <= TRIES; i++)
    await expect(limitSignInAttempts(tried, refuse)).rejects.toMatchObject({ retryAfterSeconds: 5 })
})

test("an attempt from a known address does not wait for strangers' attempts", async () => {
  const of = (account: string, ip: string) => ({
    db,
    config: { signInTries: TRIES },
    collection: 'users',
    account,
    ip,
  })
  const signIn = () => limitSignInAttempts(of('seen', '192.0.2.100'), async () => 'signed in')
  await signIn()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const strangers = Array.from({ length: 20 }, (_, i) =>
    limitSignInAttempts(of(`stranger${i}`, `198.51.100.${100 + i}`), () => released),
  )
  expect(await signIn()).toBe('signed in')
  release()
  await Promise.all(strangers)
})
