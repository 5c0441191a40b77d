import PocketBase from 'pocketbase'
import { SUPERUSER, startServer } from '../../support/server/start.ts'

// A sort through records that point back takes the key of the one that was inserted first, in both
// directions and whatever indexes there are. Shelf one has two books, the second of which comes first by
// title; shelf two has one, between them in all keys.

const ONE = 'shelfone0000001'
const TWO = 'shelftwo0000001'
const BOOKS = [
  { id: 'bookbbbbbbbbbbb', shelf: ONE, title: 'b', pages: 3 },
  { id: 'bookaaaaaaaaaaa', shelf: ONE, title: 'a', pages: 1 },
  { id: 'bookaabbbbbbbbb', shelf: TWO, title: 'aa', pages: 2 },
]

const server = await startServer()
const pb = new PocketBase(server.url)
await pb.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)
await pb.collections.create({ id: 'shelves', name: 'shelves', type: 'base', fields: [] })
for (const id of [ONE, TWO]) await pb.collection('shelves').create({ id })

const SHELF = '`shelf`'
const SHELF_TITLE = '`shelf`, `title`'

test.each([
  ['upwards', [], 'title', [TWO, ONE]],
  ['downwards', [], '-title', [ONE, TWO]],
  ['with an index of the relation', [SHELF], 'title', [TWO, ONE]],
  ['with an index of the key', [SHELF_TITLE], 'title', [TWO, ONE]],
  ['with an index of another column', [SHELF_TITLE], 'pages', [TWO, ONE]],
] as const)('sorting by a back-relation %s gives $3', async (_, columns, key, shelves) => {
  await pb.collections.create({
    name: 'books',
    type: 'base',
    fields: [
      { name: 'shelf', type: 'relation', collectionId: 'shelves' },
      { name: 'title', type: 'text' },
      { name: 'pages', type: 'number' },
    ],
    indexes: columns.map((list, i) => `CREATE INDEX \`books_${i}\` ON \`books\` (${list})`),
  })
  for (const book of BOOKS) await pb.collection('books').create(book)
  const sort = key.replace(/^-?/, '$&books_via_shelf.')
  const found = await pb.collection('shelves').getFullList({ sort: `${sort},id` })
  expect(found.map(({ id }) => id)).toEqual(shelves)
  await pb.collections.delete('books')
})
