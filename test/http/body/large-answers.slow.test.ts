import { connect, type Socket } from 'node:net'
import { admission } from '../../../src/platform/limits/shared-limits.ts'
import { ANN, BEN, startServerWithUsers } from '../../support/server/server-with-users.ts'

// Ann has contacts that expand into each other, Ben has some with large data. Each row is a way to ask for
// more than one answer may hold.

const LOOP = 'user.contacts_via_user.user.contacts_via_user'
const MIB = 1 << 20
const LARGE = 60

const sockets: Socket[] = []

const server = await startServerWithUsers()
const ann = await server.signedIn('users', ANN.id)
const ben = await server.signedIn('users', BEN.id)
const addContacts = (user: string, letter: string, count: number, data: string) =>
  server.rows(
    `insert into contacts (id, "user", name, phone, data, created, updated)
    select $1 || lpad(n::text, 14, '0'), $2, 'name ' || n, '+491' || $3 || n, ${data}, pb_text(now()), pb_text(now())
    from generate_series(1, $4::int) n`,
    [letter, user, letter === 'a' ? '1' : '2', count],
  )
await addContacts(ANN.id, 'a', 1000, `'{}'`)
await addContacts(BEN.id, 'b', LARGE, `to_json(repeat('x', 1000000))`)

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await vi.waitFor(() => expect(admission.memory.taken).toBe(0), 5_000)
})

const CONTACTS = '/api/collections/contacts/records'

const ask = (method: string, path: string, headers = ann, body?: object) =>
  server.ask(method, path, body, headers)

const count = async (condition: string) =>
  Number((await server.rows(`select count(*) from contacts where ${condition}`))[0]![0])

const inBatch = (n: number) =>
  Array.from({ length: n }, (_, i) => ({
    method: 'POST',
    url: `${CONTACTS}?expand=user.contacts_via_user,user.contacts(user)`,
    body: { user: ANN.id, name: 'in a batch', phone: `+4977700${i}` },
  }))

const ONE = 'a00000000000001'
const CREATED = { user: ANN.id, name: 'created', phone: '+4966600' }

test.each([
  ['a list of one', 'GET', `${CONTACTS}?perPage=1&expand=${LOOP}`],
  ['a list of one with fields', 'GET', `${CONTACTS}?perPage=1&expand=${LOOP}&fields=id`],
  ['a full list', 'GET', `${CONTACTS}?perPage=1000&skipTotal=1&expand=user.contacts_via_user`],
  ['six levels', 'GET', `${CONTACTS}?perPage=1&expand=${LOOP}.user.contacts_via_user`],
  [
    'two at once',
    'GET',
    `${CONTACTS}?perPage=15&expand=user.contacts_via_user,user.contacts(user)`,
  ],
  ['a view', 'GET', `${CONTACTS}/${ONE}?expand=${LOOP}`],
  ['an export', 'GET', `/api/collections/contacts/export?expand=${LOOP}`],
  ['a create', 'POST', `${CONTACTS}?expand=${LOOP}`, CREATED],
  ['an update', 'PATCH', `${CONTACTS}/${ONE}?expand=${LOOP}`, { name: 'updated' }],
  [
    'a token',
    'POST',
    '/api/collections/users/auth-refresh?expand=contacts_via_user.user.contacts_via_user',
  ],
  ['a batch', 'POST', '/api/batch', { requests: inBatch(11) }],
])('%s with too many expanded records is refused', async (_, method, path, body?: object) => {
  const { status, text } = await ask(method, path, ann, body)
  expect([status, text]).toEqual([
    400,
    expect.stringMatching(/more than (20000 expanded records|8 MiB)/),
  ])
})

test('writes whose answer was refused are not stored', async () => {
  expect(await count(`name in ('created', 'updated', 'in a batch')`)).toBe(0)
})

test('an expand of 101 relations is refused', async () => {
  const names = Array.from({ length: 101 }, (_, i) => `x${i}`)
  const { status, text } = await ask('GET', `${CONTACTS}/${ONE}?expand=${names}`)
  expect([status, text]).toEqual([400, expect.stringContaining('100 relations')])
})

test('a list of 1,000 records that expand the same record is answered', async () => {
  const { status, text } = await ask('GET', `${CONTACTS}?perPage=1000&expand=user`)
  expect([status, JSON.parse(text).items.length]).toEqual([200, 1000])
})

test.each([
  ['a page', `${CONTACTS}?perPage=1000`],
  ['a page without a total', `${CONTACTS}?perPage=500&skipTotal=1`],
  ['a page of short fields', `${CONTACTS}?perPage=1000&fields=id`],
  ['a second page', `${CONTACTS}?perPage=40&page=2&expand=user.contacts_via_user`],
  ['one record', `${CONTACTS}?perPage=1&expand=user.contacts_via_user`],
])('%s with too many bytes is refused', async (_, path) => {
  const { status, text } = await ask('GET', path, ben)
  expect([status, text]).toEqual([400, expect.stringMatching(/more than 32 MiB/)])
})

test('a page of large records is answered below the limit', async () => {
  const { status, text } = await ask('GET', `${CONTACTS}?perPage=20`, ben)
  expect([status, text.length > 18_000_000, JSON.parse(text).items.length]).toEqual([200, true, 20])
})

test('an export of large records contains all of them', async () => {
  const { status, text } = await ask('GET', '/api/collections/contacts/export?fields=id,data', ben)
  expect([status, text.split('\r\n').length]).toEqual([200, LARGE + 3])
})

/** Sends requests, and reads nothing. */
function sendUnread(
  paths: string[],
  headers: Record<string, string>,
  localAddress = '127.0.0.1',
): Socket {
  const socket = connect({
    port: Number(new URL(server.url).port),
    host: '127.0.0.1',
    localAddress,
  })
  socket.pause()
  socket.on('error', () => {})
  const heads = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(
    paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n${heads.join('')}\r\n`).join(''),
  )
  sockets.push(socket)
  return socket
}

test('answers that their client does not read hold at most the memory share of their account', async () => {
  for (let i = 0; i < 8; i++) sendUnread([`${CONTACTS}?perPage=12`], ben)
  await vi.waitFor(() => expect(admission.memory.taken).toBeGreaterThan(20 * MIB), 10_000)
  // others notice nothing
  for (let i = 0; i < 5; i++) {
    expect((await ask('GET', `${CONTACTS}?perPage=500`)).status).toBe(200)
    expect((await ask('GET', '/api/health', {})).status).toBe(200)
    expect(admission.memory.taken).toBeLessThanOrEqual(97 * MIB)
  }
})

test('pipelined requests of one connection are answered one at a time', async () => {
  sendUnread(Array(20).fill(`${CONTACTS}?perPage=3&sort=-phone`), ben)
  await vi.waitFor(() => expect(admission.memory.taken).toBeGreaterThan(2 * MIB), 10_000)
  expect((await ask('GET', '/api/health', {})).status).toBe(200)
  expect(admission.memory.taken).toBeLessThan(4 * MIB)
})

test('a connection with 200 pipelined requests is closed, and so are later ones from its address', async () => {
  const hostile = '127.0.0.3'
  const { stackTraceLimit } = Error
  for (const count of [200, 1]) {
    const socket = sendUnread(Array(count).fill('/api/health'), {}, hostile)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.resume()
    await closed
  }
  // the server has it back
  await ask('GET', '/api/health')
  expect(Error.stackTraceLimit).toBe(stackTraceLimit)
})

test('pipelined requests are answered in order', async () => {
  const socket = sendUnread(['/api/health', `${CONTACTS}/${ONE}`, '/api/nothing'], ann)
  let text = ''
  socket.on('data', (bytes) => (text += bytes)).resume()
  await vi.waitFor(() =>
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 404']),
  )
})
