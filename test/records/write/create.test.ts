import { expect, test } from 'vitest'
import { startWriteTestServer } from '../../support/server/write-test-server.ts'
import { stopAfterAll } from '../../support/stop-after-all.ts'

const create = (collection: string, body: unknown, who = '') =>
  shop.ask(who, 'POST', `collections/${collection}/records`, body)
const codes = (data: Record<string, { code: string }>) =>
  Object.fromEntries(
    Object.entries(data).map(([field, { code }]) => [field, code.replace('validation_', '')]),
  )

const shop = stopAfterAll(await startWriteTestServer())
await create('shelves', { id: 'shelf0000000001' })
await create('tools', { id: 'hammer000000001', name: 'hammer', maker: 'acme', serial: 'ONE' })

test('all errors come at once, those of related records too', async () => {
  const { status, body } = await create('tools', {
    name: 'x',
    count: 101,
    kind: 'other',
    shelf: 'nope',
    spares: ['shelf0000000001', 'no'],
  })
  expect(status).toBe(400)
  expect(body.message).toBe('Failed to create record.')
  expect(codes(body.data)).toEqual({
    name: 'min_text_constraint',
    count: 'max_number_constraint',
    kind: 'invalid_value',
    shelf: 'missing_rel_records',
    spares: 'missing_rel_records',
  })
})

test.each([
  ['a file that nobody has', { name: 'saw', photo: 'x.png' }, { photo: 'invalid_file' }],
  ['password', { name: 'saw', key: 'abc' }, { key: 'min_text_constraint' }],
] as const)('%s', async (_, body, errors) => {
  expect(codes((await create('tools', body)).body.data)).toEqual(errors)
})

test('of a long name of a file that nobody has 250 bytes are told', async () => {
  const { body } = await create('tools', { name: 'saw', photo: `x${'é'.repeat(200)}` })
  expect(body.data.photo.params).toEqual({ invalidFiles: [`x${'é'.repeat(124)}\ufffd`] })
})

test('what the server says itself: id, dates, generated texts', async () => {
  const { status, body } = await create('tools', {
    name: 'saw',
    created: '2000-01-01',
    unknown: 1,
    key: 'geheim',
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({ name: 'saw', key: '', kinds: [], kind: '', meta: null, count: 0 })
  expect(body.id).toMatch(/^[a-z0-9]{15}$/)
  expect(body.serial).toMatch(/^[A-Z]{8}$/)
  expect(body.created).toBe(body.updated)
  expect(Math.abs(Date.now() - Date.parse(body.created))).toBeLessThan(10_000)
  expect(await shop.ask('', 'GET', `collections/tools/records/${body.id}`)).toMatchObject({ body })
})

test('hidden fields are set by superusers only', async () => {
  const guest = await create('tools', { id: 'pliers000000001', name: 'pliers', secret: 'mine' })
  expect(guest.body).not.toHaveProperty('secret')
  const seen = await shop.ask('super', 'GET', 'collections/tools/records/pliers000000001')
  expect(seen.body.secret).toBe('')
  expect((await create('tools', { name: 'pliers', secret: 'ours' }, 'super')).body.secret).toBe('ours')
})

test('an id of an own pattern', async () => {
  expect((await create('codes', { id: 'Ab-1' })).status).toBe(200)
  expect(codes((await create('codes', { id: 'aB-1' })).body.data)).toEqual({ id: 'pk_invalid' })
  expect((await create('codes', { id: 'z-1' })).status).toBe(200)
  expect(codes((await create('codes', { id: 'Z-1' })).body.data)).toEqual({ id: 'pk_invalid' })
  expect(codes((await create('codes', { id: 'Z-2' })).body.data)).toEqual({ id: 'invalid_format' })
  expect(codes((await create('codes', { id: 'a b' })).body.data)).toEqual({ id: 'forbidden_pk_character' })
  expect(codes((await create('codes', { id: 'nul' })).body.data)).toEqual({ id: 'reserved_pk' })
})

test.each([
  [
    'an urlencoded form',
    'count=7&kinds=hand&kinds=old&name=true',
    { count: 7, kinds: ['hand', 'old'], name: 'true' },
  ],
  ['with the query', 'name=abc', { name: 'abc', maker: 'query' }],
  [
    '@jsonPayload wins',
    'name=abc&@jsonPayload={"name":"json","meta":{"b":1,"a":2}}',
    { name: 'json', meta: { a: 2, b: 1 } },
  ],
] as const)('%s', async (_, form, values) => {
  const path = 'collections/tools/records?maker=query'
  const { body } = await shop.ask('', 'POST', path, form, 'application/x-www-form-urlencoded')
  expect(body).toMatchObject(values)
})

test('a multipart form; files are stored, those for other fields ignored', async () => {
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

test.each([
  ['POST', 'collections/nope/records', 404, 'Missing or invalid collection context.'],
  ['PATCH', 'collections/nope/records/x', 404, 'Missing or invalid collection context.'],
  ['DELETE', 'collections/nope/records/x', 404, 'Missing collection context.'],
  ['POST', 'collections/_superusers/records', 403, 'Only superusers can perform this action.'],
  ['PUT', 'collections/tools/records/hammer000000001', 404, "The requested resource wasn't found."],
] as const)('%s %s: %i', async (method, path, status, message) => {
  expect(await shop.ask('', method, path, {})).toMatchObject({ status, body: { message, data: {} } })
})

test('the answer is picked and expanded as any other', async () => {
  const path = 'collections/tools/records?expand=shelf&fields=name,expand.shelf.id'
  const { text } = await shop.ask('', 'POST', path, { name: 'axe', shelf: 'shelf0000000001' })
  expect(text.trim()).toBe('{"expand":{"shelf":{"id":"shelf0000000001"}},"name":"axe"}')
})

test('minus zero is answered as it came, and no other record is', async () => {
  const count = async (n: string) => {
    const { text, body } = await create('tools', `{"name":"saw","count":${n}}`)
    const stored = await shop.ask('super', 'GET', `collections/tools/records/${body.id}`)
    return [text, stored.text].map((one) => /"count":([^,]*)/.exec(one)![1])
  }
  expect(await count('0')).toEqual(['0', '0'])
  expect(await count('-0')).toEqual(['-0', '0'])
  expect(await count('0')).toEqual(['0', '0'])
})

test('of several unique indexes the newest is told, the id last', async () => {
  const columns = ['a', 'b']
  const indexes = columns.map((name) => `CREATE UNIQUE INDEX marks_${name} ON marks (${name})`)
  const fields = columns.map((name) => ({ name, type: 'text' }))
  await shop.ask('super', 'POST', 'collections', {
    name: 'marks',
    createRule: '',
    updateRule: '',
    fields,
    indexes,
  })
  const taken = { id: 'mark00000000001', a: 'x', b: 'y' }
  const told = async (body: object) => Object.keys((await create('marks', { ...taken, ...body })).body.data)
  expect((await create('marks', taken)).status).toBe(200)
  expect((await create('marks', { id: 'mark00000000002', a: 'o', b: 'o' })).status).toBe(200)
  const all = async () => [await told({}), await told({ b: '' }), await told({ a: '', b: '' })]
  expect(await all()).toEqual([['b'], ['a'], ['id']])
  const path = 'collections/marks/records/mark00000000002'
  expect(Object.keys((await shop.ask('', 'PATCH', path, { a: 'x', b: 'y' })).body.data)).toEqual(['b'])
  await shop.ask('super', 'PATCH', 'collections/marks', { indexes: indexes.toReversed() })
  expect(await all()).toEqual([['a'], ['a'], ['id']])
  await shop.ask('super', 'PATCH', 'collections/marks', {
    indexes: ['CREATE UNIQUE INDEX marks_both ON marks (b, a)'],
  })
  expect(await told({})).toEqual(['a', 'b'])
})
