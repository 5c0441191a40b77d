import type { Collection } from '../../../src/engine/collections/collection.ts'
import type { Predicate } from '../../../src/engine/filter/compiled-filter.ts'
import { isLocalTest, testRowLocally } from '../../../src/engine/realtime/topic-access.ts'
import { all, any, compare, OPAQUE } from '../../support/predicates.ts'

const fields = [
  { name: 'id', type: 'text' },
  { name: 'user', type: 'relation', collectionId: 'users', maxSelect: 1 },
  { name: 'open', type: 'bool' },
  { name: 'count', type: 'number' },
]
const tasks = { id: 'tasks', name: 'tasks', type: 'base', fields } as unknown as Collection
const ROW = ['task1', 'ann', true, 3]

const nothing = (column: string, sign: string): Predicate => ({
  kind: 'comparison',
  column,
  sign,
  value: '',
})
const OPEN: Predicate = { kind: 'flag', column: 'open' }
const USER = compare('user')
const ID = compare('id', '=', 1)

const verdict = (condition: Predicate, params: readonly string[]) =>
  testRowLocally(condition, tasks, ROW, params)

test.each([
  ['nothing', all(), [], true],
  ['a parameter', USER, ['ann'], true],
  ['a parameter that differs', USER, ['ben'], false],
  ['a parameter with <>', compare('user', '<>'), ['ben'], true],
  ['the empty text', nothing('user', '='), [], false],
  ['not the empty text', nothing('user', '<>'), [], true],
  ['a bool', OPEN, [], true],
  ['or', any(USER, ID), ['ben', 'task1'], true],
  ['"and" inside "or"', any(all(OPEN, USER), ID), ['ben', 'no'], false],
  ['"or" inside "and"', all(any(OPEN, USER), compare('id', '<>', 1)), ['ben', 'task1'], false],
])('a condition of %s is decided in memory as $3', (_, condition, params, expected) => {
  expect([verdict(condition, params), isLocalTest(condition)]).toEqual([expected, true])
})

test.each([
  ['an order', compare('user', '>')],
  ['a number', compare('count', '=', 0, 'float8')],
  ['an opaque condition', OPAQUE],
  ['"and" with an opaque condition', all(OPEN, OPAQUE)],
  ['"or" with an opaque condition', any(USER, OPAQUE)],
])('a condition of %s needs the database', (_, condition) => {
  expect([verdict(condition, ['ben']), isLocalTest(condition)]).toEqual([undefined, false])
})

test.each([
  ['a conjunct that is false', all(OPAQUE, USER), 'ben', false],
  ['an alternative that is true', any(OPAQUE, USER), 'ann', true],
  ['a group of them', all(OPAQUE, any(USER, ID)), 'ben', false],
])(
  'a condition of %s is decided in memory for a record as $3, but not for all records',
  (_, condition, user, expected) => {
    expect([verdict(condition, [user, 'no']), isLocalTest(condition)]).toEqual([expected, false])
  },
)
