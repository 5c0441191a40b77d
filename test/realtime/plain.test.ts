import { expect, test } from 'vitest'
import type { Collection } from '../../src/collections/collection.ts'
import { localTestOf } from '../../src/realtime/clients/local-test.ts'

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
  const { test, isWhole } = localTestOf(tasks, where)!
  expect([test(ROW, params), isWhole]).toEqual([expected, true])
})

test.each([
  ['an order', 'b."user" > $1::text'],
  ['a number', 'b."count" = $1::float8'],
  ['a number as a text', 'b."count" = $1::text'],
  ['a list', 'b."tags" = $1::text'],
  ['an unknown column', 'b."_rowid" = $1::text'],
  ['another table', 'j1."user" = $1::text'],
  ['a subquery', 'EXISTS (SELECT 1)'],
  ['a choice', 'b."open" OR EXISTS (SELECT 1 AND b."open")'],
  ['something behind', 'b."user" = $1::text COLLATE "C"'],
  ['a column with something behind', 'b."open"::text'],
  ['an open bracket', '(b."open"'],
])('not here: %s', (_, where) => {
  expect(localTestOf(tasks, where)).toBeUndefined()
})

test.each([
  ['before', 'b."user" = $1::text AND EXISTS (SELECT 1)'],
  ['behind', 'EXISTS (SELECT 1 WHERE x = \') AND (\' AND y) AND b."user" = $1::text'],
  ['between', 'b."count" > 1 AND (b."user" = $1::text OR b."id" = $1::text) AND b."count" < 3'],
])('a part of a condition: %s what is asked', (_, where) => {
  const { test, isWhole } = localTestOf(tasks, where)!
  expect([test(ROW, ['ann']), test(ROW, ['ben']), isWhole]).toEqual([true, false, false])
})
