import { expect, test } from 'vitest'
import type { Collection } from '../../src/collections/collection.ts'
import { plainTest } from '../../src/realtime/plain.ts'

const fields = [
  { name: 'id', type: 'text' },
  { name: 'user', type: 'relation', collectionId: 'users', maxSelect: 1 },
  { name: 'open', type: 'bool' },
  { name: 'count', type: 'number' },
  { name: 'tags', type: 'select', values: ['a'], maxSelect: 2 },
]
const tasks = { id: 'tasks', name: 'tasks', type: 'base', fields } as unknown as Collection
const ROW = ['task1', 'ann', true, 3, ['a']]

test.each([
  ['nothing', '', [], true],
  ['a parameter', 'b."user" = $1::text', ['ann'], true],
  ['another one', 'b."user" = $1::text', ['ben'], false],
  ['a constant', `b."user" = ''`, [], false],
  ['a quoted constant', `b."user" <> 'it''s'`, [], true],
  ['a bool', 'b."open"', [], true],
  ['or', 'b."user" = $1::text OR b."id" = $2::text', ['ben', 'task1'], true],
  ['and before or', 'b."open" AND b."user" = $1::text OR b."id" = $2::text', ['ben', 'no'], false],
  ['brackets', '(b."open" OR b."user" = $1::text) AND b."id" <> $2::text', ['ben', 'task1'], false],
])('%s', (_, where, params, expected) => {
  expect(plainTest(tasks, where)!(ROW, params)).toBe(expected)
})

test.each([
  ['an order', 'b."user" > $1::text'],
  ['a number', 'b."count" = $1::float8'],
  ['a number as a text', 'b."count" = $1::text'],
  ['a list', 'b."tags" = $1::text'],
  ['an unknown column', 'b."_rowid" = $1::text'],
  ['another table', 'j1."user" = $1::text'],
  ['a subquery', 'b."open" AND EXISTS (SELECT 1)'],
  ['something behind', 'b."user" = $1::text COLLATE "C"'],
  ['a column with something behind', 'b."open"::text'],
  ['an open bracket', '(b."open"'],
])('not here: %s', (_, where) => {
  expect(plainTest(tasks, where)).toBeUndefined()
})
