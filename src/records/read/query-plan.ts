import type { Collection } from '../../collections/collection.ts'
import { indexedColumns, insertionOrderBy } from '../../collections/table/own-indexes.ts'
import type { CompiledFilter } from '../../filter/compile/compile.ts'
import { memoize } from '../../tools/memoize.ts'
import type { Page } from './page.ts'

/** As many rows are read in the time of a few look-ups. */
const SHORT = 100
/** So many are passed over in about the same time. */
const NEAR = 500n

const ONE_VALUE = /^b\.("(?:[^"]|"")+") = \$1::text$/
const TEST = /^b\.("(?:[^"]|"")+") (=|>=?|<=?) \$\d+::(?:text|float8)$/
const EQUAL = /^b\.("(?:[^"]|"")+") = \$\d+::(?:text|float8)$/
const ONE_KEY = /^b\.("(?:[^"]|"")+") (?:ASC|DESC), b\._rowid$/
/** Sorted by nothing else than the order of insertion. */
const IN_ORDER = /^b\._rowid(?: (ASC|DESC))?$/
const ROWID = '"_rowid"'
const COLUMN = /\bb\.("(?:[^"]|"")+"|\w+)/g

/** What a statement asks of its table, as SQL. */
type Asked = Pick<CompiledFilter, 'where' | 'orderBy'>

/**
 * The quoted column of which a condition asks for one value, `$1`, and for nothing else: mostly whose a
 * record is.
 */
export const singleEqualityColumn = ({ where }: Pick<CompiledFilter, 'where'>): string | undefined =>
  ONE_VALUE.exec(where)?.[1]

const sortedBy = ({ orderBy }: Asked): string | undefined =>
  IN_ORDER.test(orderBy) ? ROWID : ONE_KEY.exec(orderBy)?.[1]

const indexesOf = memoize(indexedColumns)

/**
 * Whether an index finds what is asked for in its order, and nothing else: one value of each of its first
 * columns, and of the next, by which is sorted, perhaps from one to another. No values could make another
 * plan better.
 */
export function isIndexScan(collection: Collection, asked: Asked): boolean {
  const sorted = sortedBy(asked)
  const tests = asked.where.split(' AND ').map((test) => TEST.exec(test))
  if (sorted === undefined || tests.includes(null)) return false
  const named = (isEqual: boolean) =>
    tests.filter((test) => (test![2] === '=') === isEqual).map((test) => test![1]!)
  const [equal, ranges] = [named(true), named(false)]
  if (ranges.length > 2 || ranges.some((column) => column !== sorted)) return false
  return indexesOf(collection).some(
    (columns) =>
      columns[equal.length] === sorted &&
      columns.slice(0, equal.length).every((column) => equal.includes(column)),
  )
}

/**
 * Whether an index has the rows of one value, or of several, in the order that is asked for: mostly those of
 * a user by time. However few of them a condition lets through, to go along them all is no waste.
 */
export function isSortedByIndex(collection: Collection, asked: Asked): boolean {
  const sorted = sortedBy(asked)
  const equal = new Set(asked.where.split(' AND ').flatMap((test) => EQUAL.exec(test)?.[1] ?? []))
  return indexesOf(collection).some((columns) => {
    const place = columns.indexOf(sorted ?? '')
    return place > 0 && columns.slice(0, place).every((column) => equal.has(column))
  })
}

/** ORDER BY of the same order, as that index has it. */
export function indexOrderBy(collection: Collection, asked: Asked): string {
  const order = IN_ORDER.exec(asked.orderBy)
  return order && isSortedByIndex(collection, asked) ? insertionOrderBy(order[1] ?? 'ASC') : asked.orderBy
}

/** Whether an index alone says how many rows a condition lets through. */
export function isIndexOnlyCount(collection: Collection, { where }: Pick<CompiledFilter, 'where'>): boolean {
  const read = new Set([...where.matchAll(COLUMN)].map(([, column]) => column!))
  return indexesOf(collection).some((columns) => [...read].every((column) => columns.includes(column)))
}

/**
 * Whether a page, without its total, is the first rows of an index: done at once, however many records there
 * are.
 */
export const isShortIndexScan = (collection: Collection, asked: Asked, { perPage, offset }: Page): boolean =>
  perPage <= SHORT && offset <= NEAR && isIndexScan(collection, asked)
