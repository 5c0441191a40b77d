import { removeSuperuserFactor } from '../../../src/engine/auth/superusers.ts'
import { request } from '../../support/server/request.ts'
import { startServerWithMail } from '../../support/server/server-with-mail.ts'
import { setUpApp } from '../../support/server/set-up-app.ts'
import { SUPERUSER } from '../../support/server/start.ts'

const server = await startServerWithMail({ SUPERUSER_SECOND_FACTOR: 'true' })
const { url, services } = server.server
const root = await server.superuser()
const user = await server.addUser('ann@example.com')

type Row = [method: string, path: string, body?: object]

const CLOSED: readonly Row[] = [
  ['GET', '/api/settings'],
  ['PATCH', '/api/settings', { meta: { appName: 'Mine' } }],
  ['GET', '/api/collections'],
  ['GET', '/api/collections/users/records'],
  ['PATCH', `/api/collections/users/records/${user}`, { name: 'Eve' }],
  ['POST', `/api/collections/users/impersonate/${user}`],
  ['POST', '/api/batch', { requests: [] }],
  ['POST', '/api/files/token'],
  ['POST', '/api/backups', {}],
  ['GET', '/api/backups'],
  ['GET', '/api/audit'],
  ['GET', '/api/logs'],
  ['GET', '/metrics'],
  ['GET', '/api/account/second-factor/../../settings'],
  ['GET', '/api/account/second-factor%2f..%2fsettings'],
]
const OPEN: readonly Row[] = [
  ['GET', '/api/health'],
  ['GET', '/api/account/second-factor'],
  ['GET', '/api/account/sessions'],
  ['POST', '/api/collections/_superusers/auth-refresh'],
  ['GET', '/api/collections/_superusers/auth-methods'],
]
const ask = (method: string, path: string, body?: object) => request(url, method, path, body, root)

test.each(CLOSED)(
  'a superuser without a second factor is refused: %s %s',
  async (method, path, body) => {
    const { status, text } = await ask(method, path, body)
    expect([400, 403, 404]).toContain(status)
    if (status === 403) expect(text).toContain('requires a second factor of superusers')
  },
)

test.each(OPEN)(
  'a superuser without a second factor may ask for %s %s',
  async (method, path, body) => {
    expect((await ask(method, path, body)).status).toBe(200)
  },
)

async function storeProtectedFile(): Promise<string> {
  const fields = [{ name: 'file', type: 'file', protected: true, maxSelect: 1 }]
  await ask('POST', '/api/collections', { name: 'papers', type: 'base', fields })
  const body = new FormData()
  body.set('file', new Blob(['secret']), 'paper.txt')
  const path = `${url}/api/collections/papers/records`
  const made = await fetch(path, { method: 'POST', body, headers: root })
  const { id, file } = (await made.json()) as { id: string; file: string }
  return `/api/files/papers/${id}/${file}`
}

test('a superuser who sets up a second factor may do everything at once, until it is removed', async () => {
  expect((await ask('GET', '/api/settings')).status).toBe(403)
  await setUpApp(url, root, SUPERUSER.password)
  expect((await ask('GET', '/api/settings')).status).toBe(200)
  expect((await ask('GET', '/metrics')).status).toBe(200)
  const file = await storeProtectedFile()
  const { token } = (await ask('POST', '/api/files/token')).body
  const open = async () => (await fetch(`${url}${file}?token=${token}`)).status
  expect(await open()).toBe(200)
  await removeSuperuserFactor(services.store, SUPERUSER.email)
  expect((await ask('GET', '/api/settings')).status).toBe(403)
  expect(await open()).toBe(403)
})

test('users, and guests who sign in, need no second factor', async () => {
  const authorization = await server.signIn('users', 'ann@example.com', 'password1')
  expect((await request(url, 'GET', '/api/account/me', undefined, { authorization })).status).toBe(
    200,
  )
})
