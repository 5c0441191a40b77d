import { expect, test } from 'vitest'
import { removeCollection } from '../../src/collections/edit/edit.ts'
import { collectionStore, create, rowsOf } from '../support/collection-store.ts'

const store = await collectionStore()
await create(store, {
  name: 'things',
  fields: [
    { name: 'num', type: 'number' },
    { name: 'flag', type: 'bool' },
    { name: 'day', type: 'date' },
    { name: 'note', type: 'text' },
    { name: 'data', type: 'json' },
    { name: 'tags', type: 'select', values: ['a', 'b'], maxSelect: 2 },
  ],
})
await store.db.query(`insert into things (id, num, flag, day, note, data, tags) values
  ('full', 12.75, true, '2024-01-31 12:30:00.000Z', ' 12abc', '{"a":[1,"x"],"b":"deep"}', '{a,b}'),
  ('none', 0, false, '', '', null, '{}')`)

/** What a view of these expressions answers, a row for each record. */
async function shown(rest: string, ...expressions: string[]): Promise<unknown[][]> {
  const columns = expressions.map((expression, i) => `${expression} as c${i}`)
  await create(store, {
    name: 'shown',
    type: 'view',
    viewQuery: `select ${['id', ...columns].join(', ')} from ${rest}`,
  })
  const rows = await rowsOf(store, 'shown', ...expressions.map((_, i) => `c${i}`))
  await removeCollection(store, 'shown')
  return rows
}

test.each([
  ['division by a text in its type', `7 / '0'::int`, null],
  ['a list without doubles', '(select group_concat(distinct t.flag) from (select * from things) t)', '"0,1"'],
])('%s', async (_, expression, answer) => {
  expect(await shown(`things where id = 'full'`, `(${expression})`)).toEqual([[answer]])
})

test('a name that every object has', async () => {
  const source = `(select id, num as constructor from things where id = 'full') s`
  expect(await shown(source, '(constructor + 1)')).toEqual([['13.75']])
})

test("what makes no sense as SQLite's is Postgres' own", async () => {
  expect(await shown(`things where id = 'full'`, `(repeat('x', cast(num as int)))`)).toEqual([
    [`"${'x'.repeat(13)}"`],
  ])
})
