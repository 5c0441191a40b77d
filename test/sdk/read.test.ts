import PocketBase, { ClientResponseError } from 'pocketbase'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startReadTestServer } from '../support/server/read-test-server.ts'
import { stopAfterAll } from '../support/stop-after-all.ts'

let pb: PocketBase

const server = stopAfterAll(await startReadTestServer())
await server.services.store.db.query(
  `insert into "books" (id, title, shelf)
   select 'extra' || lpad(i::text, 10, '0'), 'Extra ' || i, 'shelfthree00001' from generate_series(1, 2100) i`,
)

beforeEach(() => {
  pb = new PocketBase(server.url)
})

/** The error that a call ends with. */
async function failure(call: Promise<unknown>): Promise<ClientResponseError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ClientResponseError)
  return error as ClientResponseError
}

describe('lists', () => {
  test('getList', async () => {
    const page = await pb.collection('books').getList(2, 3, { sort: 'title', filter: 'title ~ "Extra 2%"' })
    expect(page).toMatchObject({ page: 2, perPage: 3, totalItems: 212, totalPages: 71 })
    expect(page.items.map(({ title }) => title)).toEqual(['Extra 2000', 'Extra 2001', 'Extra 2002'])
  })

  test('getFullList pages by the echoed perPage, also where the server lowers it', async () => {
    const all = await pb.collection('books').getFullList({ sort: '@rowid', batch: 5000 })
    expect(all).toHaveLength(2103)
    expect(new Set(all.map(({ id }) => id)).size).toBe(2103)
  })

  test('own parameters and headers reach the server as they are', async () => {
    const { items } = await pb
      .collection('books')
      .getList(1, 1, { query: { filter: 'title="Third"' }, foo: { a: 1 } })
    expect(items[0]?.title).toBe('Third')
  })
})

describe('one record', () => {
  test('getFirstListItem', async () => {
    const filter = pb.filter('title = {:title}', { title: 'Two' })
    expect((await pb.collection('shelves').getFirstListItem(filter)).id).toBe('shelftwo0000001')
    expect((await failure(pb.collection('shelves').getFirstListItem('title = "Zero"'))).status).toBe(404)
  })
})

describe('filter() with bound values', () => {
  const odd = `it's "quoted" \\ and {:title} ~ % 'so'`
  beforeAll(() =>
    server.services.store.db.query(
      `insert into "shelves" (id, title, "Rank", day) values ('shelfodd0000001', $1, 41.5, '2027-01-02 03:04:05.678Z')`,
      [odd],
    ),
  )

  test.each([
    ['a text with quotes', 'title = {:value}', odd],
    ['a number', 'Rank = {:value}', 41.5],
    ['a date', 'day = {:value}', new Date('2027-01-02T03:04:05.678Z')],
    ['a date as a bound', 'day >= {:value}', new Date('2027-01-01T00:00:00Z')],
    ['a part of a text', 'title ~ {:value}', '"quoted"'],
  ])('%s', async (_, raw, value) => {
    const found = await pb.collection('shelves').getFullList({ filter: pb.filter(raw, { value }) })
    expect(found.map(({ id }) => id)).toEqual(['shelfodd0000001'])
  })

  test('null and booleans', async () => {
    const filter = pb.filter('owner = {:none} && open = {:no}', { none: null, no: false })
    const found = await pb.collection('shelves').getFullList({ filter, sort: 'title' })
    expect(found.map(({ title }) => title)).toEqual(['Three', odd])
  })
})

describe('errors and cancellation', () => {
  test('ClientResponseError has what the server says', async () => {
    const error = await failure(pb.collection('books').getOne('nope'))
    expect(error).toMatchObject({
      url: `${server.url}/api/collections/books/records/nope`,
      status: 404,
      isAbort: false,
      message: "The requested resource wasn't found.",
      response: { status: 404, message: "The requested resource wasn't found.", data: {} },
    })
  })

  test('a second request of the same kind cancels the first; the server goes on', async () => {
    const first = failure(pb.collection('books').getList(1, 500))
    const second = pb.collection('books').getList(1, 1)
    expect(await first).toMatchObject({ isAbort: true, status: 0 })
    expect((await second).items).toHaveLength(1)
  })

  test('requests with keys of their own run side by side', async () => {
    const both = await Promise.all(
      ['a', 'b'].map((requestKey) => pb.collection('books').getList(1, 1, { requestKey })),
    )
    expect(both.map(({ items }) => items.length)).toEqual([1, 1])
  })
})
