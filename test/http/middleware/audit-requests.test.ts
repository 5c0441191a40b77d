import { deleteOldAuditEntries } from '../../../src/engine/auth/audit/delete-old-audit-entries.ts'
import { publishAuditEntries } from '../../../src/engine/auth/audit/publish-audit-entries.ts'
import { PASSWORD, startServerWithMail } from '../../support/server/server-with-mail.ts'
import { SUPERUSER } from '../../support/server/start.ts'

const server = await startServerWithMail({ TRUSTED_PROXIES: '127.0.0.1,::1' })
const root = { ...(await server.superuser()), 'x-forwarded-for': '203.0.113.7' }
const user = await server.addUser('ann@example.com')

beforeEach(() => server.rows('truncate _audit, _audit_queue, _audit_numbers, _audit_logs'))

interface Row {
  readonly [name: string]: unknown
}
const get = (query: string) => server.call('GET', `/api/audit${query}`, undefined, root)
const rows = async (query = '') => {
  const { status, body } = await get(query)
  expect(status).toBe(200)
  return body.items as Row[]
}
const brief = async () =>
  (await rows('?sort=@rowid')).map((row) => [row.action, row.collection, row.record, row.fields])

const contact = { user: '', name: 'Secret Name', phone: '+4915112345678' }
const RULE = ['listRule', 'updated']
const NEW = { name: 'notes', fields: [{ name: 'text', type: 'text' }] }

test.each<[string, string, string, unknown, (string | string[])[][]]>([
  [
    'a record',
    'POST',
    'contacts/records',
    contact,
    [['create', 'contacts', '*', ['user', 'name', 'phone']]],
  ],
  ['a user', 'PATCH', 'users/records/USER', { name: 'A' }, [['update', 'users', 'USER', ['name']]]],
  ['a collection', 'POST', '', NEW, [['create collection', 'notes', '', '*']]],
  [
    'the rule of a collection',
    'PATCH',
    'notes',
    { listRule: '' },
    [['update collection', 'notes', '', RULE]],
  ],
  [
    'a collection by deleting all its records',
    'DELETE',
    'notes/truncate',
    undefined,
    [['truncate', 'notes', '', []]],
  ],
  [
    'a collection by deleting it',
    'DELETE',
    'notes',
    undefined,
    [['delete collection', 'notes', '', []]],
  ],
  [
    'the signed-in user by impersonation',
    'POST',
    'users/impersonate/USER',
    {},
    [['impersonate', 'users', 'USER', []]],
  ],
])(
  "a superuser's change of %s (%s %s) is audited as $4",
  async (_, method, path, body, expected) => {
    const url = `/api/collections/${path}`.replace('USER', user).replace(/\/$/, '')
    const given = body && { ...body, ...('user' in (body as object) && { user }) }
    expect((await server.call(method, url, given, root)).status).toBeLessThan(300)
    const named = expected.map((row) =>
      row.map((cell) => (cell === 'USER' ? user : cell === '*' ? expect.anything() : cell)),
    )
    expect(await brief()).toEqual(named)
  },
)

test('an entry names the person, address, time and fields, but no written values', async () => {
  const smtp = { password: 'hidden', host: 'mail.example.com' }
  await server.call('PATCH', '/api/settings', { smtp }, root)
  const [row] = await rows()
  expect(row).toMatchObject({
    email: SUPERUSER.email,
    ip: '203.0.113.7',
    action: 'update settings',
    fields: ['smtp.host', 'smtp.password'],
  })
  expect(row!.created).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(JSON.stringify(row)).not.toMatch(/hidden|mail\.example/)
})

test('each part of a successful batch is audited, and no part of a failed one', async () => {
  const part = (name: string, phone: string) => ({
    method: 'POST',
    url: '/api/collections/contacts/records',
    body: { user, name, phone },
  })
  const good = { requests: [part('A', '+4915100000001'), part('B', '+4915100000002')] }
  expect((await server.post('/api/batch', good, root)).status).toBe(200)
  expect((await brief()).map(([action]) => action)).toEqual(['create', 'create'])
  const bad = { requests: [part('C', '+4915100000003'), part('D', 'no number')] }
  expect((await server.post('/api/batch', bad, root)).status).toBe(400)
  expect(await brief()).toHaveLength(2)
})

test.each([
  ['signed in', SUPERUSER.email, SUPERUSER.password, [['sign in', SUPERUSER.email]]],
  ['refused', SUPERUSER.email, 'wrong', [['sign in refused', SUPERUSER.email]]],
  ['unknown, without the typed name', 'my-password', 'wrong', [['sign in refused', '']]],
])(
  "a superuser's sign-in is audited as $3 when they are %s",
  async (_, identity, password, expected) => {
    await server.post('/api/collections/_superusers/auth-with-password', { identity, password })
    expect((await rows()).map((row) => [row.action, row.email])).toEqual(expected)
  },
)

test("users' changes are not audited", async () => {
  const authorization = await server.signIn('users', 'ann@example.com', PASSWORD)
  const body = { ...contact, user, phone: '+4915100000009' }
  const made = await server.post('/api/collections/contacts/records', body, { authorization })
  expect(made.status).toBe(200)
  expect(await rows()).toEqual([])
})

test('failed requests are not audited', async () => {
  await server.post('/api/collections/contacts/records', { name: 'without a number' }, root)
  await server.call('DELETE', '/api/collections/contacts/records/nonexistent0000', undefined, root)
  await server.call('PATCH', '/api/collections/users', { listRule: 'no such field = 1' }, root)
  expect(await rows()).toEqual([])
})

test('entries can be filtered, sorted and paged like records', async () => {
  for (const name of ['one', 'two', 'three'])
    await server.call('PATCH', `/api/collections/users/records/${user}`, { name }, root)
  const filter = encodeURIComponent(
    'collection = "users" && fields ~ "name" && created > "2020-01-01"',
  )
  const { body } = await get(`?perPage=2&sort=-created&filter=${filter}`)
  expect(body).toMatchObject({ page: 1, perPage: 2, totalItems: 3, totalPages: 2 })
  expect((await get('?filter=%40collection.users.email%20!%3D%20%22%22')).status).toBe(400)
})

test('an export has a line for each entry that the filter finds, newest first', async () => {
  await server.rows(
    `insert into _audit (action) select 'old ' || n from generate_series(1, 2500) n`,
  )
  const ask = (query: string, headers: Record<string, string> = root) =>
    fetch(`${server.server.url}/api/audit/export${query}`, { headers })
  const all = await ask('')
  expect(all.headers.get('content-type')).toBe('application/x-ndjson')
  const lines = (await all.text()).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).action)).toEqual(
    Array.from({ length: 2500 }, (_, i) => `old ${2500 - i}`),
  )
  const one = await ask(`?filter=${encodeURIComponent('action = "old 7"')}&fields=action`)
  expect(await one.text()).toBe('{"action":"old 7"}\n')
  expect((await ask('?filter=%40collection.users.email%20!%3D%20%22%22')).status).toBe(400)
  const authorization = await server.signIn('users', 'ann@example.com', PASSWORD)
  expect((await ask('', { ...root, authorization })).status).toBe(403)
})

test.each([
  [30, 1],
  [0, 2],
])('a retention of %i days leaves %i of two entries', async (days, left) => {
  await server.rows(
    `insert into _audit (action, created) values ('old', pb_text(now() - interval '31 days')), ('new', pb_text(now()))`,
  )
  const { store } = server.server.services
  await publishAuditEntries(store.db)
  await deleteOldAuditEntries(store.db, days)
  expect(await brief()).toHaveLength(left)
})

test.each([
  ['a guest', async () => ({}), 401],
  [
    'a user',
    async () => ({ authorization: await server.signIn('users', 'ann@example.com', PASSWORD) }),
    403,
  ],
])('%s cannot read the audit log: status $2', async (_, headers, status) => {
  expect((await server.call('GET', '/api/audit', undefined, await headers())).status).toBe(status)
})

test.each([
  ['GET', '/api/collections/_audit'],
  ['DELETE', '/api/collections/_audit/truncate'],
  ['POST', '/api/collections/_audit/records'],
  ['DELETE', '/api/audit'],
])(
  'the audit log cannot be read or written as a collection: %s %s is answered with 404',
  async (method, path) => {
    expect((await server.call(method, path, undefined, root)).status).toBe(404)
  },
)
