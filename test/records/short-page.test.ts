import { expect, test } from 'vitest'
import type { Collection } from '../../src/collections/collection.ts'
import type { Compiled } from '../../src/filter/compile.ts'
import { type Page, readPage } from '../../src/records/page.ts'
import { isShort, onlyColumn } from '../../src/records/short-page.ts'

const NOTES = {
  indexes: [
    'CREATE INDEX `a` ON `notes` (`owner`, `created` DESC)',
    'CREATE INDEX `b` ON `notes` (`owner`, `title`) WHERE `title` != ""',
    'CREATE INDEX `c` ON `notes` (`size`)',
  ],
} as unknown as Collection
const OWNER = 'b."owner" = $1::text'
const NEWEST = 'b."created" DESC, b._rowid'

const ask = (where: string, orderBy: string, page: Partial<Record<keyof Page, string>> = {}) =>
  isShort(NOTES, { where, orderBy } as Compiled, readPage(page))

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

test.each([
  [OWNER, '"owner"'],
  ['b."a""b" = $1::text', '"a""b"'],
  ['b."owner" = $2::text', undefined],
  ['b."owner" <> $1::text', undefined],
  [`${OWNER} OR b."x" = $1::text`, undefined],
])('the one column of %s', (where, column) => {
  expect(onlyColumn({ where })).toBe(column)
})
