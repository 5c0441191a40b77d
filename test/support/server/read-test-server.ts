import type { TestServer } from '../database/open.ts'
import { base, relation, text, USERS } from './schema.ts'
import { startServer } from './start.ts'

// A small library, with every kind of relation, rule and hidden value that the read side knows:
// readers (users) own shelves, shelves hold books, a book has one cover, patrons sign in and are sponsored by
// readers.

export const ANN = { id: 'readerann000001', email: 'ann@example.com', password: 'annpass12345' } as const
export const BEN = { id: 'readerben000001', email: 'ben@example.com', password: 'benpass12345' } as const

const OWN = '@request.auth.id != "" && owner = @request.auth.id'

const SCHEMA = [
  base('shelves', [
    text('title'),
    { name: 'Rank', type: 'number' },
    text('secret', { hidden: true }),
    { name: 'meta', type: 'json' },
    { name: 'place', type: 'geoPoint' },
    { name: 'day', type: 'date' },
    { name: 'open', type: 'bool' },
    { name: 'tags', type: 'select', values: ['old', 'new', 'rare'], maxSelect: 3 },
    relation('owner', USERS),
  ]),
  base('books', [text('title'), relation('shelf', 'shelves')]),
  base('covers', [text('color'), relation('book', 'books')], {
    indexes: ['CREATE UNIQUE INDEX `idx_covers_book` ON `covers` (`book`)'],
  }),
  base('diaries', [text('text'), relation('shelf', 'shelves'), relation('owner', USERS)], {
    listRule: OWN,
    viewRule: OWN,
  }),
  base('patrons', [relation('sponsor', USERS), text('pin', { hidden: true })], {
    type: 'auth',
    manageRule: '@request.auth.id != "" && @request.auth.id = sponsor',
  }),
]

const FIXTURES = {
  users: [
    { ...ANN, name: 'Ann', emailVisibility: false, verified: true },
    { ...BEN, name: 'Ben', emailVisibility: true, verified: true },
  ],
  shelves: [
    {
      id: 'shelfone0000001',
      title: 'One & <two>',
      Rank: 1.5,
      secret: 's1',
      meta: { b: 1, a: [1, 2, { x: null }] },
      place: { lon: 7.5, lat: 50 },
      day: '2026-11-20 07:00:00.000Z',
      open: true,
      tags: ['rare', 'old'],
      owner: ANN.id,
    },
    { id: 'shelftwo0000001', title: 'Two', Rank: -2, secret: 's2', owner: BEN.id },
    { id: 'shelfthree00001', title: 'Three' },
  ],
  books: [
    { id: 'bookone00000001', title: 'First', shelf: 'shelfone0000001' },
    { id: 'booktwo00000001', title: 'Second', shelf: 'shelfone0000001' },
    { id: 'bookthree000001', title: 'Third', shelf: 'shelftwo0000001' },
  ],
  covers: [{ id: 'coverone0000001', color: 'red', book: 'bookone00000001' }],
  diaries: [
    { id: 'diaryann0000001', text: 'mine', shelf: 'shelfone0000001', owner: ANN.id },
    { id: 'diaryben0000001', text: 'his', shelf: 'shelfone0000001', owner: BEN.id },
  ],
  patrons: [
    { id: 'memberone000001', email: 'm1@example.com', password: 'mem1pass12345', sponsor: ANN.id, pin: '11' },
    { id: 'membertwo000001', email: 'm2@example.com', password: 'mem2pass12345', sponsor: BEN.id, pin: '22' },
    { id: 'memberthree0001', email: 'm3@example.com', password: 'mem3pass12345', emailVisibility: true },
  ],
}

/** A server with the library in it. */
export const startReadTestServer = (): Promise<TestServer> =>
  startServer({ schema: SCHEMA, fixtures: FIXTURES })
