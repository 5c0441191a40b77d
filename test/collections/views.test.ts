import { expect, test } from 'vitest'
import { removeCollection } from '../../src/collections/edit/edit.ts'
import { collectionStore, create, refusal, rowsOf, update } from '../support/collection-store.ts'

const kind = (maxSelect: number) => ({ name: 'kind', type: 'select', values: ['p', 'q'], maxSelect })
const fields = [
  { name: 'userName', type: 'text' },
  { name: 'user', type: 'text' },
  { name: 'rank', type: 'number' },
  { name: 'flag', type: 'bool' },
]

const store = await collectionStore()
await create(store, { name: 'people', fields: [...fields, kind(1)] })
await store.db.query(
  `insert into people (id, "userName", "user", rank, flag, kind) values ('one', 'Ann', 'u1', 2, true, 'p'), ('two', 'Bob', '', 3, false, '')`,
)

const view = (name: string, viewQuery: string) => create(store, { name, type: 'view', viewQuery })
const typesOf = (name: string) => store.catalog.find(name)!.fields.map((field) => [field.name, field.type])

test('field types come from the columns, and from what expressions say', async () => {
  await view(
    'typed',
    'select p.id, p.userName as nm, p.id as person, count(p.id) as n, cast(p.rank as int) as r, cast(p.flag as bool) f, p.rank+1 as more from people p group by p.id',
  )
  expect(typesOf('typed')).toEqual([
    ['id', 'text'],
    ['nm', 'text'],
    ['person', 'relation'],
    ['n', 'number'],
    ['r', 'number'],
    ['f', 'bool'],
    ['more', 'json'],
  ])
  expect(await rowsOf(store, 'typed', 'id', 'nm', 'n', 'r', 'f', 'more')).toEqual([
    ['one', 'Ann', 1, 2, true, '3'],
    ['two', 'Bob', 1, 3, false, '4'],
  ])
  await removeCollection(store, 'typed')
})

test.each([
  [
    'a number as id is text',
    'select (row_number() over ()) as id, userName as n from people',
    ['id'],
    [['1'], ['2']],
  ],
  ['a name with capitals', 'select id, userName from people', ['userName'], [['Ann'], ['Bob']]],
  ['an alias with capitals', 'select id, userName as theName from people', ['theName'], [['Ann'], ['Bob']]],
  ['a keyword of Postgres', 'select id, user from people', ['user'], [['u1'], ['']]],
  ['backticks and brackets', 'select `id`, [userName] from `people`', ['userName'], [['Ann'], ['Bob']]],
  ['text that is JSON', `select id, ('{"a":1}' || '') as j from people limit 1`, ['j'], [['{"a":1}']]],
  ['text that is none', `select id, (userName || '') as j from people limit 1`, ['j'], [['"Ann"']]],
  [
    'what an outer join lacks is null',
    `select p.id, q.userName as other, q.rank as points from people p left join people q on q.id = 'no'`,
    ['other', 'points'],
    [
      [null, null],
      [null, null],
    ],
  ],
  ['a comparison is 0 or 1', 'select id, (rank > 2) as big from people', ['big'], [['0'], ['1']]],
  ['no text in double quotes', 'select id, coalesce(user, "") as n from people', ['n'], [['"u1"'], ['""']]],
  ['total is never null', 'select id, total(rank) as t from people group by id', ['t'], [[2], [3]]],
])('%s', async (_, query, columns, expected) => {
  await view('looked', query)
  expect(await rowsOf(store, 'looked', ...columns)).toEqual(expected)
  await removeCollection(store, 'looked')
})

test.each([
  [
    'a second statement',
    'select id from people; delete from people',
    'multiple statements are not supported',
  ],
  [
    'a second one that hides',
    'select id from people) q; delete from people; select (1',
    'syntax error|multiple commands|unbalanced',
  ],
  ['all columns', 'select * from people', 'wildcard columns'],
  ['equal ids', `select 'x' as id from people`, 'non-unique ids'],
  ['empty ids', `select '' as id`, 'empty or invalid ids'],
  ['an unknown column', 'select id, nope from people', 'SQL logic error: no such column: nope \\(1\\)'],
  ['an unknown collection', 'select id from nope', 'SQL logic error: no such table: main.nope \\(1\\)'],
  ['an unknown function', 'select id, nope(id) from people', 'no such function: nope'],
  [
    'a name that no field can have',
    'select id, kind as "a b" from people',
    'invalid field "a b" \\(1\\): name: must be in a valid format',
  ],
  [
    'a name that comes again',
    'select id, kind as a, userName as A from people',
    'invalid field "A:1" \\(2\\): name: must be in a valid format',
  ],
  [
    'a reserved name',
    'select id, kind as expand from people',
    'invalid field "expand" \\(1\\): name: must not be in list',
  ],
])('refused: %s', async (_, query, cause) => {
  const refused = await refusal(view('bad', query))
  expect(refused?.data.viewQuery).toMatchObject({
    code: 'validation_invalid_view_query',
    message: expect.stringMatching(cause),
  })
  expect(await rowsOf(store, 'people', 'id')).toHaveLength(2)
})

test('a view follows the fields it shows, also one over a view', async () => {
  await view('kinds', 'select id, kind from people')
  await view('kinds_again', 'select id, kind as k from kinds')
  await update(store, 'people', { fields: [...fields, kind(2)] })
  expect(store.catalog.find('kinds_again')!.fields[1]).toMatchObject({ type: 'select', maxSelect: 2 })
  expect(await rowsOf(store, 'kinds_again', 'k')).toEqual([[['p']], [[]]])
})

test('a view that another one reads can be renamed, and show more', async () => {
  await update(store, 'kinds', { viewQuery: 'select id, kind, rank from people' })
  await update(store, 'kinds', { name: 'sorts' })
  expect(await rowsOf(store, 'sorts', 'rank')).toEqual([[2], [3]])
  expect(await rowsOf(store, 'kinds_again', 'id')).toEqual([['one'], ['two']])
  await update(store, 'sorts', { name: 'kinds' })
})

test('a view that is there can come to read another one', async () => {
  await view('later', 'select id from people')
  await update(store, 'later', { viewQuery: "select id, IFNULL(id, '') as again from kinds_again" })
  expect(await rowsOf(store, 'later', 'id', 'again')).toEqual([
    ['one', '"one"'],
    ['two', '"two"'],
  ])
  await removeCollection(store, 'later')
})

test('a field that a view shows cannot go, nor its collection', async () => {
  const dropped = await refusal(update(store, 'people', { fields }))
  expect(dropped?.message).toMatch(/^Failed to update collection\. Raw error: \n/)
  const deleted = await refusal(removeCollection(store, 'people'))
  expect(deleted?.message).toBe('Failed to delete collection.')
  expect(await rowsOf(store, 'kinds', 'id')).toHaveLength(2)
})
