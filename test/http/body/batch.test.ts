import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWriteTestServer, type WriteTestServer } from '../../support/server/write-test-server.ts'

let shop: WriteTestServer
beforeAll(async () => {
  shop = await startWriteTestServer()
})
afterAll(() => shop.stop())

const SHELVES = '/api/collections/shelves/records'
const TOOLS = '/api/collections/tools/records'
const post = (url: string, body: unknown) => ({ method: 'POST', url, body })
const batch = (requests: unknown) => shop.ask('', 'POST', 'batch', { requests })
const count = async () => (await shop.ask('', 'GET', 'collections/shelves/records')).body.totalItems

test('requests see what those before them wrote; a query is part of its request', async () => {
  const answer = await batch([
    post(SHELVES, { id: 'shelf0000000001', label: 'one' }),
    post(`${TOOLS}?expand=shelf&fields=name,expand.shelf.label`, { name: 'saw', shelf: 'shelf0000000001' }),
    { method: 'PATCH', url: `${SHELVES}/shelf0000000001?label=query`, body: {} },
    { method: 'PUT', url: SHELVES, body: { id: 'shelf0000000001', label: 'put' } },
    { method: 'PUT', url: SHELVES, body: { id: 'shelf0000000002' } },
    { method: 'DELETE', url: `${SHELVES}/shelf0000000002` },
  ])
  const shelf = { id: 'shelf0000000001', collectionId: 'shelves', collectionName: 'shelves' }
  expect(answer.body).toEqual([
    { status: 200, body: { ...shelf, label: 'one' } },
    { status: 200, body: { name: 'saw', expand: { shelf: { label: 'one' } } } },
    { status: 200, body: { ...shelf, label: 'query' } },
    { status: 200, body: { ...shelf, label: 'put' } },
    { status: 200, body: { ...shelf, id: 'shelf0000000002', label: '' } },
    { status: 204, body: null },
  ])
})

test.each([
  ['a field', post(TOOLS, { name: 'x' }), 400, 'Failed to create record.'],
  ['a unique value', post(SHELVES, { id: 'shelf0000000001' }), 400, 'Failed to create record.'],
  [
    'a missing record',
    { method: 'DELETE', url: `${SHELVES}/nope` },
    404,
    "The requested resource wasn't found.",
  ],
  ['a missing collection', post('/api/collections/nope/records', {}), 404, 'Missing collection context.'],
  [
    'another action',
    { method: 'GET', url: SHELVES },
    500,
    'Something went wrong while processing your request.',
  ],
  [
    'a wrong fields parameter',
    post(`${SHELVES}?fields=id:foo`, {}),
    500,
    'Something went wrong while processing your request.',
  ],
  [
    'a malformed query',
    post(`${SHELVES}?label=%zz`, {}),
    400,
    'Something went wrong while processing your request.',
  ],
  [
    'a broken escape in the path',
    { method: 'PATCH', url: `${SHELVES}/%zz`, body: {} },
    500,
    'Something went wrong while processing your request.',
  ],
  [
    'null rule',
    post('/api/collections/_superusers/records', {}),
    403,
    'Only superusers can perform this action.',
  ],
] as const)('%s undoes all', async (_, request, status, message) => {
  const before = await count()
  const { status: whole, body } = await batch([post(SHELVES, {}), request, post(SHELVES, {})])
  expect([whole, body.message]).toEqual([400, 'Batch transaction failed.'])
  expect(Object.keys(body.data.requests)).toEqual(['1'])
  expect(body.data.requests[1]).toMatchObject({
    code: 'batch_request_failed',
    message: 'Batch request failed.',
    response: { status, message },
  })
  expect(await count()).toBe(before)
})

test('what PocketBase has no answer for is a 400 in the first place', async () => {
  const { body } = await batch([{ method: 'GET', url: SHELVES }, post(SHELVES, {})])
  expect(body.data.requests[0].response.status).toBe(400)
})

const required = { code: 'validation_required' }

test.each([
  ['none', [], { requests: required }],
  [
    'too many',
    Array(51).fill(post(SHELVES, {})),
    { requests: { code: 'validation_length_too_long', params: { max: 50, min: 0 } } },
  ],
  ['no method', [{ url: SHELVES }], { requests: { 0: { method: required } } }],
  [
    'lower case',
    [{ method: 'post', url: SHELVES }],
    { requests: { 0: { method: { code: 'validation_in_invalid' } } } },
  ],
  [
    'a long url',
    [post('x'.repeat(2001), {})],
    { requests: { 0: { url: { code: 'validation_length_too_long' } } } },
  ],
] as const)('%s: invalid', async (_, requests, data) => {
  expect(await batch(requests)).toMatchObject({
    status: 400,
    body: { message: 'Invalid batch request data.', data },
  })
})

test.each([['x'], [['x']], [[post(SHELVES, [1])]], [[{ ...post(SHELVES, {}), headers: { a: 1 } }]]])(
  'unreadable: %j',
  async (requests) => {
    expect(await batch(requests)).toMatchObject({
      status: 400,
      body: { message: 'Failed to read the submitted batch data.', data: {} },
    })
  },
)

test('a header that is null is an empty one', async () => {
  expect(await batch([{ ...post(SHELVES, {}), headers: { 'X-A': null } }])).toMatchObject({ status: 200 })
})

test('as the SDK sends it: multipart with a JSON part, and files', async () => {
  const form = new FormData()
  form.append('@jsonPayload', JSON.stringify({ requests: [post(TOOLS, { name: 'drill', count: '7' })] }))
  expect((await shop.ask('', 'POST', 'batch', form)).body[0].body).toMatchObject({ name: 'drill', count: 7 })
  form.append('requests.0.photo', new File(['x'], 'x.png'))
  const { body } = await shop.ask('', 'POST', 'batch', form)
  expect(body[0].body.photo).toMatch(/^x\w{10}_\w{10}_\w{10}\.png$/)
})

test('settings switch it off', async () => {
  await shop.ask('super', 'PATCH', 'settings', { batch: { enabled: false } })
  expect(await batch([post(SHELVES, {})])).toMatchObject({
    status: 403,
    body: { message: 'Batch requests are not allowed.' },
  })
})
