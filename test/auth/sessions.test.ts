import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { cleanUpSignIns } from '../../src/auth/account/clean-up.ts'
import { PASSWORD, type ServerWithMail, startServerWithMail } from '../support/server/server-with-mail.ts'

let server: ServerWithMail
beforeAll(async () => {
  server = await startServerWithMail()
})
afterAll(() => server.stop())

let count = 0
let email: string
let id: string
beforeEach(async () => {
  email = `session${++count}@example.com`
  id = await server.addUser(email, { verified: true })
})

const as = (authorization: string) => ({ authorization })
const signIn = async (agent: string) => {
  const form = { identity: email, password: PASSWORD }
  const path = '/api/collections/users/auth-with-password'
  return String((await server.post(path, form, { 'user-agent': agent })).body.token)
}
interface Listed {
  id: string
  user_agent: string
  current: boolean
  created: string
  used_at: string
}
const list = async (token: string, agent = '') =>
  (await server.call('GET', '/api/account/sessions', undefined, { ...as(token), 'user-agent': agent })).body
    .items as Listed[]
const refresh = (token: string, agent: string) =>
  server.post('/api/collections/users/auth-refresh', {}, { ...as(token), 'user-agent': agent })
const isSignedIn = async (token: string) =>
  (await server.call('GET', `/api/collections/users/records/${id}`, undefined, as(token))).status === 200
const rows = async (text: string) => (await server.server.services.store.db.query(text, [id])).rows

test('each sign-in is a session of its own, which a refresh keeps', async () => {
  const [laptop, phone] = [await signIn('Laptop'), await signIn('Phone')]
  const renewed = String((await refresh(laptop, 'Laptop')).body.token)
  const sessions = await list(renewed, 'Laptop')
  expect(sessions.map(({ user_agent, current }) => [user_agent, current])).toEqual([
    ['Laptop', true],
    ['Phone', false],
  ])
  expect(sessions[0]!.used_at > sessions[0]!.created).toBe(true)
  expect((await list(phone, 'Phone')).find(({ current }) => current)?.user_agent).toBe('Phone')
})

test('nobody sees the sessions of others', async () => {
  await signIn('Mine')
  email = `stranger${count}@example.com`
  await server.addUser(email)
  const theirs = await signIn('Theirs')
  expect((await list(theirs)).map(({ user_agent }) => user_agent)).toEqual(['Theirs'])
  expect((await server.call('GET', '/api/account/sessions')).status).toBe(401)
})

test('signing out everywhere else leaves the one that asks', async () => {
  const [laptop, phone] = [await signIn('Laptop'), await signIn('Phone')]
  const answer = await server.post('/api/account/end-other-sessions', undefined, {
    ...as(laptop),
    'user-agent': 'Laptop',
  })
  expect(answer).toMatchObject({ status: 200, body: { record: { id, email } } })
  const token = String(answer.body.token)
  expect([await isSignedIn(laptop), await isSignedIn(phone), await isSignedIn(token)]).toEqual([
    false,
    false,
    true,
  ])
  expect(await list(token, 'Laptop')).toMatchObject([{ current: true }])
})

test('an impersonation is no session, and cannot become one', async () => {
  const path = `/api/collections/users/impersonate/${id}`
  const token = String((await server.post(path, {}, await server.superuser())).body.token)
  expect(await list(token)).toEqual([])
  expect((await server.post('/api/account/end-other-sessions', undefined, as(token))).status).toBe(403)
})

test('a new password ends all of them, and their rows go', async () => {
  const laptop = await signIn('Laptop')
  const form = { oldPassword: PASSWORD, password: 'new-password', passwordConfirm: 'new-password' }
  const path = `/api/collections/users/records/${id}`
  expect((await server.call('PATCH', path, form, as(laptop))).status).toBe(200)
  expect(await isSignedIn(laptop)).toBe(false)
  expect(await rows('select 1 from auth_sessions where record = $1')).toEqual([])
})

test('rows of a deleted account go, and old ones in the end', async () => {
  await signIn('Laptop')
  await rows(`update auth_sessions set expires_at = now() - interval '1 second' where record = $1`)
  await signIn('Phone')
  await cleanUpSignIns(server.server.services.store)
  const agents = await rows('select user_agent from auth_sessions where record = $1')
  expect(agents).toEqual([['Phone']])
  await server.call('DELETE', `/api/collections/users/records/${id}`, undefined, await server.superuser())
  expect(await rows('select 1 from auth_sessions where record = $1')).toEqual([])
})

test('however often somebody signs in, few rows are kept, and no token is void for it', async () => {
  const first = await signIn('First')
  const { db } = server.server.services.store
  await db.query(
    `insert into auth_sessions (id, collection, record, token_hash, expires_at, ip, user_agent)
     select 'filler' || n || $2::text, '_pb_users_auth_', $1, '', now() + interval '1 day', '', '' from generate_series(1, 200) n`,
    [id, String(count)],
  )
  await signIn('Last')
  expect((await rows('select 1 from auth_sessions where record = $1')).length).toBe(50)
  expect(await isSignedIn(first)).toBe(true)
})

test('a page before the sign-in learns whether there is a superuser, and mail', async () => {
  const setup = async () => (await server.call('GET', '/api/setup')).body
  expect(await setup()).toEqual({ has_superuser: true, sends_mail: true })
})
