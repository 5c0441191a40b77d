import { expect, test } from 'vitest'
import { startWriteTestServer } from '../../support/server/write-test-server.ts'
import { stopAfterAll } from '../../support/stop-after-all.ts'

const shop = stopAfterAll(await startWriteTestServer())

const SHELVES = '/api/collections/shelves/records'
const post = (url: string, body: unknown) => ({ method: 'POST', url, body })
const batch = (requests: unknown) => shop.ask('', 'POST', 'batch', { requests })
const count = async () => (await shop.ask('', 'GET', 'collections/shelves/records')).body.totalItems

test('the query of a request is part of its body', async () => {
  const { body } = await batch([post(`${SHELVES}?label=query`, {})])
  expect(body[0].body).toMatchObject({ label: 'query' })
})

test.each([
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

test('a long url is refused', async () => {
  expect(await batch([post('x'.repeat(2001), {})])).toMatchObject({
    status: 400,
    body: { data: { requests: { 0: { url: { code: 'validation_length_too_long' } } } } },
  })
})

test.each([[['x']], [[post(SHELVES, [1])]], [[{ ...post(SHELVES, {}), headers: { a: 1 } }]]])(
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
