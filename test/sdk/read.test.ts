import PocketBase from 'pocketbase'
import { expect, test } from 'vitest'
import { startReadTestServer } from '../support/server/read-test-server.ts'
import { stopAfterAll } from '../support/stop-after-all.ts'

const odd = `it's "quoted" \\ and {:title} ~ % 'so'`
const server = stopAfterAll(await startReadTestServer())
await server.services.store.db.query(
  `insert into "books" (id, title, shelf)
   select 'extra' || lpad(i::text, 10, '0'), 'Extra ' || i, 'shelfthree00001' from generate_series(1, 2100) i`,
)
await server.services.store.db.query(
  `insert into "shelves" (id, title, "Rank", day) values ('shelfodd0000001', $1, 41.5, '2027-01-02 03:04:05.678Z')`,
  [odd],
)
const pb = new PocketBase(server.url)

test('getFullList pages by the echoed perPage, also where the server lowers it', async () => {
  const all = await pb.collection('books').getFullList({ sort: '@rowid', batch: 5000 })
  expect(all).toHaveLength(2103)
  expect(new Set(all.map(({ id }) => id)).size).toBe(2103)
})

test.each([
  ['a text with quotes', 'title = {:value}', { value: odd }],
  ['a number', 'Rank = {:value}', { value: 41.5 }],
  ['a date', 'day = {:value}', { value: new Date('2027-01-02T03:04:05.678Z') }],
  ['a date as a bound', 'day >= {:value}', { value: new Date('2027-01-01T00:00:00Z') }],
  ['a part of a text', 'title ~ {:value}', { value: '"quoted"' }],
  ['null and booleans', 'owner = {:none} && open = {:no} && Rank != 0', { none: null, no: false }],
])('filter() with %s', async (_, raw, values) => {
  const found = await pb.collection('shelves').getFullList({ filter: pb.filter(raw, values) })
  expect(found.map(({ id }) => id)).toEqual(['shelfodd0000001'])
})
