import { startWriteTestServer } from '../../support/server/write-test-server.ts'

// What no recorded case of test/conformance shows.

const shop = await startWriteTestServer()
const TOOL = 'collections/tools/records/hammer000000001'
const create = (collection: string, body: unknown, who = '') =>
  shop.ask(who, 'POST', `collections/${collection}/records`, body)
const patch = (body: unknown) => shop.ask('', 'PATCH', TOOL, body)
const view = async (path: string) => (await shop.ask('super', 'GET', path)).body

beforeEach(async () => {
  await shop.ask('super', 'DELETE', TOOL)
  await create(
    'tools',
    { id: 'hammer000000001', name: 'hammer', count: 5, serial: 'SERIAL' },
    'super',
  )
})

test('an error names the first 250 bytes of a long unknown file name', async () => {
  const { body } = await create('tools', { name: 'saw', photo: `x${'é'.repeat(200)}` })
  expect(body.data.photo.params).toEqual({ invalidFiles: [`x${'é'.repeat(124)}\ufffd`] })
})

test('a multipart form stores its files and ignores files for unknown fields', async () => {
  const form = new FormData()
  form.append('name', 'drill')
  form.append('name', 'bit')
  form.append('kind', 'hand')
  form.append('kind', 'power')
  form.append('nothing', new File(['x'], 'x.txt'))
  const { body } = await shop.ask('', 'POST', 'collections/shelves/records', form)
  expect(body.id).toBeTruthy()
  form.append('photo', new File(['x'], 'x.txt'))
  const refused = await shop.ask('', 'POST', 'collections/tools/records', form)
  // its name is a list, which no text can be
  expect(refused.body.data).toMatchObject({ name: { code: 'validation_required' } })
  expect(refused.body.data).not.toHaveProperty('photo')
})

test('minus zero is returned by its create only', async () => {
  const count = async (n: string) => {
    const { text, body } = await create('tools', `{"name":"saw","count":${n}}`)
    const stored = await shop.ask('super', 'GET', `collections/tools/records/${body.id}`)
    return [text, stored.text].map((one) => /"count":([^,]*)/.exec(one)![1])
  }
  expect(await count('0')).toEqual(['0', '0'])
  expect(await count('-0')).toEqual(['-0', '0'])
  expect(await count('0')).toEqual(['0', '0'])
})

/** Waits until the database writes a later date than this. */
const clockAfter = (date: string) =>
  expect
    .poll(
      async () =>
        (await shop.server.services.store.db.query('select pb_text(now()) > $1', [date])).rows,
    )
    .toEqual([[true]])

test('an empty update still sets the updated date', async () => {
  const before = (await shop.ask('', 'GET', TOOL)).body
  await clockAfter(before.updated)
  const { body } = await patch({})
  expect(body.updated > before.updated).toBe(true)
  expect(body.created).toBe(before.created)
})

test('a password stays unless the update has a new one', async () => {
  const hash = async () => {
    const { rows } = await shop.server.services.store.db.query(
      'select key from tools where id = $1',
      ['hammer000000001'],
    )
    return rows[0]![0]
  }
  await patch({ key: 'first key' })
  const first = await hash()
  expect(first).toMatch(/^\$2b\$04\$/)
  await patch({ name: 'mallet' })
  expect(await hash()).toBe(first)
  await patch({ key: '' })
  expect(await hash()).toBe('')
})

test('columns written by another program in the meantime are kept', async () => {
  const { db } = shop.server.services.store
  await db.query(`update tools set maker = 'psql' where id = 'hammer000000001'`)
  expect((await patch({ name: 'mallet' })).body).toMatchObject({ maker: 'psql', name: 'mallet' })
})

test('removing a dangling reference sets the updated date without validation', async () => {
  await create('shelves', { id: 'shelf0000000001' })
  await create('tools', {
    id: 'file00000000000',
    name: 'file',
    shelf: 'shelf0000000001',
    spares: ['shelf0000000001'],
  })
  const path = 'collections/tools/records/file00000000000'
  const { updated } = await view(path)
  await clockAfter(updated)
  await shop.ask('super', 'DELETE', 'collections/shelves/records/shelf0000000001')
  const tool = await view(path)
  expect(tool).toMatchObject({ shelf: '', spares: [] })
  expect(tool.updated > updated).toBe(true)
})

test('a failed expand does not undo the write', async () => {
  const { db } = shop.server.services.store
  await db.query('alter table jobs rename to jobs_elsewhere')
  const path = 'collections/tools/records'
  const { status, body } = await shop.ask('super', 'POST', `${path}?expand=jobs_via_tool`, {
    name: 'saw',
  })
  await db.query('alter table jobs_elsewhere rename to jobs')
  expect(status).toBe(200)
  expect((await view(`${path}/${body.id}`)).name).toBe('saw')
})

test('record keys are sorted by bytes, also in expanded records', async () => {
  await create('shelves', { id: 'shelfone0000001', label: 'One & <two>' })
  const path = 'collections/tools/records/drill0000000001?expand=shelf'
  await create('tools', { id: 'drill0000000001', name: 'drill', shelf: 'shelfone0000001' })
  expect((await shop.ask('', 'GET', path)).text).toMatch(
    /"created":"[^"]+","expand":\{"shelf":\{"collectionId":"\w+","collectionName":"shelves","id":"\w+","label":"One & <two>"\}\},"id":/,
  )
})

test('a back-relation expands at most 1,000 records', async () => {
  const shelf = 'shelfmany000001'
  await create('shelves', { id: shelf })
  await shop.server.services.store.db.query(
    `insert into tools (id, name, shelf) select 'many' || lpad(i::text, 11, '0'), 'M', $1 from generate_series(1, 1100) i`,
    [shelf],
  )
  const { expand } = await view(`collections/shelves/records/${shelf}?expand=tools_via_shelf`)
  expect(expand.tools_via_shelf).toHaveLength(1000)
})

test('a sign-in whose tokenKey was changed can neither write nor read', async () => {
  const [id, password] = ['workerann000001', 'secret12345']
  const email = 'ann@example.com'
  await create('workers', { id, email, password, passwordConfirm: password })
  await shop.signIn('ann', 'workers', email, password)
  const change = (emailVisibility: boolean) =>
    shop.ask('ann', 'PATCH', `collections/workers/records/${id}`, { emailVisibility })
  expect((await change(true)).status).toBe(200)
  expect((await create('notes', { worker: id, text: 'in time' }, 'ann')).status).toBe(200)
  await shop.server.services.store.db.query(`update workers set "tokenKey" = repeat('x', 50)`)
  expect((await change(false)).status).toBe(404)
  expect((await create('notes', { worker: id, text: 'late' }, 'ann')).status).toBe(400)
  const list = async (who: string, from: string) =>
    (await shop.ask(who, 'GET', `collections/${from}/records`)).body
  expect((await list('ann', 'sms_messages')).status).toBe(401)
  expect((await list('super', 'notes')).totalItems).toBe(1)
  await shop.server.services.store.db.query(`update _superusers set "tokenKey" = repeat('x', 50)`)
  expect((await list('super', 'notes')).totalItems).toBe(0)
})
