import { createRequire } from 'node:module'
import { PASSWORD, startServerWithMail } from '../../support/server/server-with-mail.ts'

const withPassword = (body: object, query = '', headers = {}) =>
  server.post(`/api/collections/users/auth-with-password${query}`, body, headers)

const server = await startServerWithMail()
await server.addUser('alice@example.com', { name: 'alice' })

test('an unknown identity costs the same password hash as a wrong password', async () => {
  const compare = vi.spyOn(createRequire(import.meta.url)('bcrypt'), 'compare')
  for (const identity of ['nobody@example.com', 'alice@example.com'])
    await withPassword({ identity, password: 'wrong' })
  const costs = compare.mock.calls.map(([, hash]) => String(hash).slice(0, 7))
  compare.mockRestore()
  expect(costs).toEqual(['$2b$04$', '$2b$04$'])
})

test('a token of a deleted record counts as a guest', async () => {
  const carol = await server.addUser('carol@example.com', { name: 'carol' })
  const authorization = await server.signIn('users', 'carol@example.com', PASSWORD)
  await server.rows('delete from users where id = $1', carol)
  expect(
    (await server.post('/api/collections/users/auth-refresh', {}, { authorization })).status,
  ).toBe(401)
})

const origins = async (id: string) =>
  (await server.rows('select 1 from "_authOrigins" where "recordRef" = $1', id)).length

test('a sign-in from a new place is mailed, except the first, and five places are remembered', async () => {
  const dora = await server.addUser('dora@example.com', { name: 'dora' })
  const from = (agent: string) =>
    withPassword({ identity: 'dora@example.com', password: PASSWORD }, '', { 'user-agent': agent })
  for (const agent of ['first', 'first']) await from(agent)
  expect([
    await origins(dora),
    server.mail.mails.filter(({ to }) => to === 'dora@example.com').length,
  ]).toEqual([1, 0])
  await from('<second>')
  const alert = server.mail.mails.findLast(({ to }) => to === 'dora@example.com')
  expect([alert?.subject, alert?.text]).toEqual([
    'Login from a new location',
    expect.stringContaining('127.0.0.1 <second>'),
  ])
  for (const agent of ['3', '4', '5', '6']) await from(agent)
  expect(await origins(dora)).toBe(5)
})

test('a failed login alert does not stop the sign-in, and the place stays unknown', async () => {
  const eve = await server.addUser('eve@example.com', { name: 'eve' })
  await server.signIn('users', 'eve@example.com', PASSWORD)
  server.mail.refuses = true
  const form = { identity: 'eve@example.com', password: PASSWORD }
  expect((await withPassword(form, '', { 'user-agent': 'other' })).status).toBe(200)
  server.mail.refuses = false
  expect(await origins(eve)).toBe(1)
})
