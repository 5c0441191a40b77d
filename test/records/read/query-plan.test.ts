import { expect, test } from 'vitest'
import type { Collection } from '../../../src/collections/collection.ts'
import type { CompiledFilter } from '../../../src/filter/compile/compile.ts'
import { type Page, readPage } from '../../../src/records/read/page.ts'
import {
  isIndexOnlyCount,
  isIndexScan,
  isShortIndexScan,
  isSortedByIndex,
  singleEqualityColumn,
} from '../../../src/records/read/query-plan.ts'

const NOTES = {
  indexes: [
    'CREATE INDEX `a` ON `notes` (`owner`, `created` DESC)',
    'CREATE INDEX `b` ON `notes` (`owner`, `title`) WHERE `title` != ""',
    'CREATE INDEX `c` ON `notes` (`size`)',
    'CREATE INDEX `d` ON `notes` (`owner`, `state`, `created`)',
    'CREATE INDEX `e` ON `notes` (`title` COLLATE NOCASE, `created`)',
  ],
} as unknown as Collection
const OWNER = 'b."owner" = $1::text'
const NEWEST = 'b."created" DESC, b._rowid'

const ask = (where: string, orderBy: string, page: Partial<Record<keyof Page, string>> = {}) =>
  isShortIndexScan(NOTES, { where, orderBy } as CompiledFilter, readPage(page))

test.each([
  ['the first of an index', OWNER, NEWEST, {}, true],
  ['the other way round', OWNER, 'b."created" ASC, b._rowid', {}, true],
  ['a hundred', OWNER, NEWEST, { perPage: '100' }, true],
  ['more', OWNER, NEWEST, { perPage: '101' }, false],
  ['near', OWNER, NEWEST, { page: '3' }, true],
  ['far', OWNER, NEWEST, { page: '200' }, false],
  ['another order', OWNER, 'b."title" ASC, b._rowid', {}, false],
  ['two orders', OWNER, 'b."created" DESC, b."title" ASC', {}, false],
  ['no order', OWNER, '', {}, false],
  ['another column', 'b."size" = $1::text', NEWEST, {}, false],
  ['more conditions', `(${OWNER} AND b."size" = $2)`, NEWEST, {}, false],
  ['none', '', NEWEST, {}, false],
] as const)('%s', (_, where, orderBy, page, is) => {
  expect(ask(where, orderBy, page)).toBe(is)
})

const STATE = 'b."state" = $2::text'
const SINCE = 'b."created" >= $3::text'

test.each([
  ['one value of each column', `${OWNER} AND ${STATE}`, NEWEST, true],
  ['in another order', `${STATE} AND ${OWNER}`, NEWEST, true],
  ['from a time on', `${OWNER} AND ${STATE} AND ${SINCE}`, NEWEST, true],
  ['from one to another', `${OWNER} AND ${SINCE} AND b."created" < $4::text`, NEWEST, true],
  ['three ends', `${OWNER} AND ${SINCE} AND ${SINCE} AND ${SINCE}`, NEWEST, false],
  ['without the first column', `${STATE} AND ${SINCE}`, NEWEST, false],
  ['one column twice', `${OWNER} AND b."owner" = $2::text`, NEWEST, false],
  ['a range of another column', `${OWNER} AND b."state" > $2::text`, NEWEST, false],
  ['a column without an index', `${OWNER} AND b."size" = $2::float8`, NEWEST, false],
  ['one of several values', `${OWNER} AND b."state" IN ($2::text, $3::text)`, NEWEST, false],
  ['a look at each', `${OWNER} AND b."state" ILIKE $2::text COLLATE "C"`, NEWEST, false],
  ['by an index that folds case', 'b."title" = $1::text', NEWEST, false],
] as const)('an index finds what is asked: %s', (_, where, orderBy, is) => {
  expect(isIndexScan(NOTES, { where, orderBy })).toBe(is)
})

test.each([
  ['its columns', `${OWNER} AND b."state" <> $2::text`, true],
  ['one of them', SINCE, true],
  ['one more', `${OWNER} AND ${STATE} AND b."size" > $3::float8`, false],
  ['a folded one', 'b."title" = $1::text', false],
  ['the row itself', `${OWNER} AND b._rowid > $2::float8`, false],
] as const)('an index counts %s', (_, where, is) => {
  expect(isIndexOnlyCount(NOTES, { where })).toBe(is)
})

test.each([
  [OWNER, '"owner"'],
  ['b."a""b" = $1::text', '"a""b"'],
  ['b."owner" = $2::text', undefined],
  ['b."owner" <> $1::text', undefined],
  [`${OWNER} OR b."x" = $1::text`, undefined],
])('the one column of %s', (where, column) => {
  expect(singleEqualityColumn({ where })).toBe(column)
})

test.each([
  ['the rows of one value by time', `${OWNER} AND b."title" LIKE $2::text COLLATE "C"`, NEWEST, true],
  ['the last of three columns', `${OWNER} AND ${STATE} AND b."title" <> $3::text`, NEWEST, true],
  ['nobody is asked for', 'b."title" LIKE $1::text COLLATE "C"', NEWEST, false],
  ['one of several', 'b."owner" IN ($1::text, $2::text)', NEWEST, false],
  ['perhaps one', `(${OWNER} OR b."title" = $2::text)`, NEWEST, false],
  ['as they came', `${OWNER} AND b."title" LIKE $2::text COLLATE "C"`, 'b._rowid', false],
  ['by another column', OWNER, 'b."title" ASC, b._rowid', false],
  ['by the first column', 'b."title" <> $1::text', 'b."size" ASC, b._rowid', false],
] as const)('an index has them in order: %s', (_, where, orderBy, is) => {
  expect(isSortedByIndex(NOTES, { where, orderBy })).toBe(is)
})
