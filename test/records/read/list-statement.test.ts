import { expect, test } from 'vitest'
import type { Collection } from '../../../src/collections/collection.ts'
import type {
  CompiledFilter,
  Predicate,
  QueryStructure,
  SortColumn,
} from '../../../src/filter/compile/compiled-filter.ts'
import { readPage } from '../../../src/records/read/list.ts'
import {
  isIndexOnlyCount,
  isIndexScan,
  isShortIndexScan,
  isSortedByIndex,
  type ListPlan,
  type Page,
  planList,
  searchedOwner,
  singleEqualityColumn,
} from '../../../src/records/read/list-statement.ts'
import { all, any, compare, OPAQUE } from '../../support/predicates.ts'

const NOTES = {
  indexes: [
    'CREATE INDEX `a` ON `notes` (`owner`, `created` DESC)',
    'CREATE INDEX `b` ON `notes` (`owner`, `title`) WHERE `title` != ""',
    'CREATE INDEX `c` ON `notes` (`size`)',
    'CREATE INDEX `d` ON `notes` (`owner`, `state`, `created`)',
    'CREATE INDEX `e` ON `notes` (`title` COLLATE NOCASE, `created`)',
  ],
} as unknown as Collection
type SortKeys = QueryStructure['sortKeys']
const TIEBREAK: SortColumn = { column: '_rowid' }
const by = (column: string, direction: 'ASC' | 'DESC' = 'ASC'): SortKeys => [{ column, direction }, TIEBREAK]

const OWNER = compare('owner')
const NEWEST = by('created', 'DESC')
const STATE = compare('state', '=', 1)
const SINCE = compare('created', '>=', 2)

const ask = (condition: Predicate, sortKeys: SortKeys, page: Partial<Record<keyof Page, string>> = {}) =>
  isShortIndexScan(NOTES, { condition, sortKeys }, readPage(page))

test.each([
  ['the first of an index', OWNER, NEWEST, {}, true],
  ['the other way round', OWNER, by('created'), {}, true],
  ['a hundred', OWNER, NEWEST, { perPage: '100' }, true],
  ['more', OWNER, NEWEST, { perPage: '101' }, false],
  ['near', OWNER, NEWEST, { page: '3' }, true],
  ['far', OWNER, NEWEST, { page: '200' }, false],
  ['another order', OWNER, by('title'), {}, false],
  ['two orders', OWNER, [...by('created').slice(0, 1), ...by('title')], {}, false],
  ['two orders and no tiebreak', OWNER, [by('created')[0], by('id')[0]], {}, false],
  ['an order that is no column', OWNER, [undefined, TIEBREAK], {}, false],
  ['no order', OWNER, [], {}, false],
  ['another column', compare('size'), NEWEST, {}, false],
  ['the empty text', { ...OWNER, value: '' } as Predicate, NEWEST, {}, false],
  ['more conditions', all(OWNER, any(STATE, OPAQUE)), NEWEST, {}, false],
  ['none', all(), NEWEST, {}, false],
] as const)('%s', (_, condition, sortKeys, page, is) => {
  expect(ask(condition, sortKeys, page)).toBe(is)
})

test.each([
  ['one value of each column', [OWNER, STATE], true],
  ['in another order', [STATE, OWNER], true],
  ['from a time on', [OWNER, STATE, SINCE], true],
  ['from one to another', [OWNER, SINCE, compare('created', '<', 3)], true],
  ['three ends', [OWNER, SINCE, SINCE, SINCE], false],
  ['without the first column', [STATE, SINCE], false],
  ['one column twice', [OWNER, compare('owner', '=', 1)], false],
  ['a range of another column', [OWNER, compare('state', '>', 1)], false],
  ['all values but one', [OWNER, compare('created', '<>', 1)], false],
  ['a column without an index', [OWNER, compare('size', '=', 1, 'float8')], false],
  ['one of several values', [OWNER, any(STATE, compare('state', '=', 2))], false],
  ['a look at each', [OWNER, OPAQUE], false],
  ['a flag', [OWNER, { kind: 'flag', column: 'state' }], false],
  ['by an index that folds case', [compare('title')], false],
] as const)('an index finds what is asked: %s', (_, items, is) => {
  expect(isIndexScan(NOTES, { condition: all(...items), sortKeys: NEWEST })).toBe(is)
})

test.each([
  ['its columns', ['owner', 'state'], true],
  ['one of them', ['created'], true],
  ['one more', ['owner', 'state', 'size'], false],
  ['a folded one', ['title'], false],
  ['the row itself', ['owner', '_rowid'], false],
])('an index counts %s', (_, columns, is) => {
  expect(isIndexOnlyCount(NOTES, { columns })).toBe(is)
})

test.each([
  ['one value', OWNER, 'owner'],
  ['another parameter', compare('owner', '=', 1), undefined],
  ['a number', compare('size', '=', 0, 'float8'), undefined],
  ['all values but one', compare('owner', '<>'), undefined],
  ['no value', { ...OWNER, value: '' } as Predicate, undefined],
  ['a choice', any(OWNER, compare('x')), undefined],
])('the one column of which is asked: %s', (_, condition, column) => {
  expect(singleEqualityColumn({ condition })).toBe(column)
})

test.each([
  ['the rows of one value by time', all(OWNER, OPAQUE), NEWEST, true],
  ['the last of three columns', all(OWNER, STATE, compare('title', '<>', 2)), NEWEST, true],
  ['nobody is asked for', OPAQUE, NEWEST, false],
  ['one of several', any(OWNER, compare('owner', '=', 1)), NEWEST, false],
  ['perhaps one', any(OWNER, compare('title', '=', 1)), NEWEST, false],
  ['as they came', all(OWNER, OPAQUE), [TIEBREAK], false],
  ['by another column', OWNER, by('title'), false],
  ['by the first column', compare('title', '<>'), by('size'), false],
] as const)('an index has them in order: %s', (_, condition, sortKeys, is) => {
  expect(isSortedByIndex(NOTES, { condition, sortKeys })).toBe(is)
})

const structure = (rest: Partial<QueryStructure> = {}): QueryStructure => ({
  condition: all(OWNER, OPAQUE),
  columns: ['owner', 'size'],
  sortKeys: by('title'),
  sortsByOwnField: true,
  readsOneTable: true,
  tables: ['notes'],
  from: { text: '"notes" b', places: [] },
  joins: '',
  where: { text: '', places: [] },
  ...rest,
})

const plan = (rest: Partial<QueryStructure>, page: Partial<Record<keyof Page, string>>, hasFilter: boolean) =>
  planList(
    NOTES,
    { structure: structure(rest), where: 'x', orderBy: 'y' } as CompiledFilter,
    readPage(page),
    undefined,
    hasFilter,
  )

test.each([
  ['the first', {}, {}, { isCounted: true, isDeep: false, isPlannedOnce: false, total: undefined }],
  ['in no order of columns', { sortKeys: [undefined, TIEBREAK] }, {}, { isCounted: false }],
  ['by several tables', { readsOneTable: false }, {}, { isCounted: false }],
  ['that an index counts', { columns: ['owner'] }, {}, { isCounted: false }],
  ['without its total', {}, { skipTotal: '1' }, { isCounted: false, total: '-1' }],
  ['behind the first', {}, { page: '2' }, { isCounted: false, isDeep: false }],
  ['far from the beginning', {}, { page: '18' }, { isCounted: false, isDeep: true }],
  ['far away, by several tables', { readsOneTable: false }, { page: '18' }, { isDeep: false }],
] as [string, Partial<QueryStructure>, object, Partial<ListPlan>][])('a page %s', (_, rest, page, wanted) => {
  expect(plan(rest, page, true)).toMatchObject(wanted)
})

const SEARCH = { order: 'size', owner: 'owner' }
const owner = expect.stringMatching(/^b\."owner" = \$\d+::text$/)
test.each([
  ['one of an owner', {}, {}, owner],
  ["everybody's", { condition: OPAQUE }, {}, ''],
  ['one with its total', {}, { skipTotal: '' }, undefined],
  ['a second page', {}, { page: '2' }, undefined],
  ['in another order', { sortKeys: by('title') }, {}, undefined],
  ['what an index answers', { condition: OWNER }, {}, undefined],
  ['by several tables', { readsOneTable: false }, {}, undefined],
] as const)('the newest are searched first: %s', (_, rest, page, wanted) => {
  const asked = structure({ sortKeys: by('size'), ...rest })
  expect(searchedOwner(asked, readPage({ skipTotal: '1', ...page }), SEARCH)).toEqual(wanted)
})

test.each([
  ['a filter that an index answers', { condition: OWNER, sortKeys: NEWEST }, true, {}, true],
  ['the same far from the beginning', { condition: OWNER, sortKeys: NEWEST }, true, { page: '18' }, false],
  ['another filter', {}, true, {}, false],
  ['no filter', {}, false, {}, true],
  ['a sort by other records', { sortsByOwnField: false }, false, {}, false],
])('a statement is planned once: %s', (_, rest, hasFilter, page, is) => {
  expect(plan(rest, page, hasFilter).isPlannedOnce).toBe(is)
})
