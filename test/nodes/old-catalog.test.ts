import { type Answer, client } from '../support/server/server-with-devices.ts'
import { SUPERUSER, startServer } from '../support/server/start.ts'

// A server whose catalog is old: another node has renamed a field, and its word of it has not arrived.

const PASSWORD = 'secret-enough'
let id: string
let names: string[]

const call = (method: string, path: string, body?: unknown, token = root): Promise<Answer> =>
  client(server.url, '', token).call(method, `/api/${path}`, body)

/** Renames a field behind the server's back, there or back again. Answers its new name. */
async function rename(collection: string): Promise<string> {
  const [from, to] = names as [string, string]
  names = [to, from]
  await server.services.store.db.transaction(async (db) => {
    await db.query(`alter table ${collection} rename ${from} to ${to}`)
    await db.query(
      'update _collections set data = replace(data::text, $2, $3)::json where name = $1',
      [collection, `"name":"${from}"`, `"name":"${to}"`],
    )
  })
  return to
}

const server = await startServer()
const { email: identity, password } = SUPERUSER
const signedIn = await call(
  'POST',
  'collections/_superusers/auth-with-password',
  { identity, password },
  '',
)
const root: string = signedIn.body.token
const fields = [{ name: 'before', type: 'text' }]
const open = { listRule: '', viewRule: '', createRule: '', updateRule: '', deleteRule: '' }
const collections = [
  { name: 'notes', type: 'base', fields, ...open },
  { name: 'people', type: 'auth', fields, ...open },
  {
    name: 'replies',
    type: 'base',
    fields: [{ name: 'note', type: 'relation', collectionId: 'notes', maxSelect: 1 }],
    ...open,
  },
]
for (const collection of collections) {
  const { status, body } = await call('POST', 'collections', { id: collection.name, ...collection })
  expect([status, body.message]).toEqual([200, undefined])
}

beforeEach(async () => {
  names = ['before', 'after']
  id = (await call('POST', 'collections/notes/records', { before: 'text' })).body.id
  return async () => {
    if (names[0] === 'after') await rename('notes').catch(() => {})
    await server.services.store.reload()
  }
})

// `fields`: the description of the API that all answers are held against is of the old collections, too
test.each<[what: string, method: string, path: () => string, body: object | undefined]>([
  ['a list', 'GET', () => 'notes/records?fields=id', undefined],
  ['a sorted list, planned once', 'GET', () => 'notes/records?sort=-id&fields=id', undefined],
  ['a filtered list', 'GET', () => 'notes/records?filter=id!="x"&fields=id', undefined],
  ['a record', 'GET', () => `notes/records/${id}?fields=id`, undefined],
  ['a create', 'POST', () => 'notes/records?fields=id', {}],
  ['an update', 'PATCH', () => `notes/records/${id}?fields=id`, {}],
  ['a delete', 'DELETE', () => `notes/records/${id}`, undefined],
])(
  'a node whose catalog is out of date answers %s as after the change',
  async (what, method, path, body) => {
    expect((await call(method, `collections/${path()}`, body)).status).toBeLessThan(300)
    if (method === 'DELETE') id = (await call('POST', 'collections/notes/records', {})).body.id
    await rename('notes')
    const answer = await call(method, `collections/${path()}`, body)
    expect([what, answer.status]).toEqual([what, method === 'DELETE' ? 204 : 200])
  },
)

test('a batch succeeds on a node whose catalog is out of date', async () => {
  const requests = [{ method: 'POST', url: '/api/collections/notes/records?fields=id', body: {} }]
  await rename('notes')
  expect((await call('POST', 'batch', { requests })).status).toBe(200)
})

test('an expand is complete on a node whose catalog is out of date', async () => {
  const made = await call('POST', 'collections/replies/records', { note: id })
  await rename('notes')
  const { body } = await call(
    'GET',
    `collections/replies/records/${made.body.id}?expand=note&fields=expand.note.id`,
  )
  expect(body).toEqual({ expand: { note: { id } } })
})

test('tokens and sign-ins work on a node whose catalog is out of date', async () => {
  const email = 'ann@example.com'
  const credentials = { identity: email, password: PASSWORD }
  await call('POST', 'collections/people/records', {
    email,
    password: PASSWORD,
    passwordConfirm: PASSWORD,
  })
  const signIn = () =>
    call('POST', 'collections/people/auth-with-password?fields=token', credentials, '')
  const { token } = (await signIn()).body
  await rename('people')
  expect(
    (await call('POST', 'collections/people/auth-refresh?fields=token', undefined, token)).status,
  ).toBe(200)
  await rename('people')
  expect((await signIn()).status).toBe(200)
})

test('a wrong request is refused as usual on a node whose catalog is out of date', async () => {
  const wrong = `notes/records?filter=${encodeURIComponent('nothing = 1')}`
  expect((await call('GET', `collections/${wrong}`)).status).toBe(400)
  await server.services.store.db.query('alter table notes rename before to elsewhere')
  expect((await call('GET', 'collections/notes/records')).status).toBe(400)
  await server.services.store.db.query('alter table notes rename elsewhere to before')
})
