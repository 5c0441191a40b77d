import PocketBase from 'pocketbase'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../../src/server.ts'
import { SUPERUSER, startServer } from '../support/server/start.ts'

// A sort through records that point back takes the first one's key; which one that is, the indexes decide.
// Shelf one has two books, the second of which comes first by title; shelf two has one, between them in all
// keys.

let server: RunningServer
let pb: PocketBase

const ONE = 'shelfone0000001'
const TWO = 'shelftwo0000001'
const BOOKS = [
  { id: 'bookbbbbbbbbbbb', shelf: ONE, title: 'b', year: 1, pages: 3 },
  { id: 'bookaaaaaaaaaaa', shelf: ONE, title: 'a', year: 2, pages: 1 },
  { id: 'bookaabbbbbbbbb', shelf: TWO, title: 'aa', year: 1.5, pages: 2 },
]

beforeAll(async () => {
  server = await startServer()
  pb = new PocketBase(server.url)
  await pb.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)
  await pb.collections.create({ id: 'shelves', name: 'shelves', type: 'base', fields: [] })
  for (const id of [ONE, TWO]) await pb.collection('shelves').create({ id })
})
afterAll(() => server.stop())

const SHELF = '`shelf`'
const SHELF_TITLE = '`shelf`, `title`'

test.each([
  ['no index: the smallest key', [], 'title', [ONE, TWO]],
  ['an index of the relation alone: insertion', [SHELF], 'title', [TWO, ONE]],
  ['in both directions', [SHELF], '-title', [ONE, TWO]],
  ['further columns of the index', [SHELF_TITLE], 'pages', [ONE, TWO]],
  ['one backwards', ['`shelf`, `year` DESC'], 'title', [ONE, TWO]],
  ['one that folds case', ['`shelf`, `title` COLLATE NOCASE'], 'pages', [ONE, TWO]],
  ['the newest of two', [SHELF_TITLE, SHELF], 'pages', [TWO, ONE]],
  ['and the other way round', [SHELF, SHELF_TITLE], 'pages', [ONE, TWO]],
  ['one that has all that is read comes before', [SHELF_TITLE, SHELF], 'title', [ONE, TWO]],
  ['an index that begins with another column is none', ['`year`, `shelf`'], 'title', [ONE, TWO]],
] as const)('%s', async (_, columns, key, shelves) => {
  const number = (name: string) => ({ name, type: 'number' })
  await pb.collections.create({
    name: 'books',
    type: 'base',
    fields: [
      { name: 'shelf', type: 'relation', collectionId: 'shelves' },
      { name: 'title', type: 'text' },
      number('year'),
      number('pages'),
    ],
    indexes: columns.map((list, i) => `CREATE INDEX \`books_${i}\` ON \`books\` (${list})`),
  })
  for (const book of BOOKS) await pb.collection('books').create(book)
  const sort = key.replace(/^-?/, '$&books_via_shelf.')
  const found = await pb.collection('shelves').getFullList({ sort: `${sort},id` })
  expect(found.map(({ id }) => id)).toEqual(shelves)
  await pb.collections.delete('books')
})
