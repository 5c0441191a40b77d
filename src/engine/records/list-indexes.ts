import { memoize } from '../../platform/tools/lru.ts'
import type { Collection } from '../collections/collection.ts'
import { listIndexedColumns, writeInsertionOrderSql } from '../collections/own-indexes.ts'
import type { CompiledFilter, Predicate, QueryStructure } from '../filter/compiled-filter.ts'
import { ROWID, writeBaseColumn } from '../filter/sql-pieces.ts'
import type { CoveringTable, Extension } from './collection-extension.ts'

const RANGES: ReadonlySet<string> = new Set(['<', '<=', '>', '>='])

type Test = Extract<Predicate, { kind: 'comparison' }>
type Comparison = Test & { readonly value: Exclude<Test['value'], ''> }

export const isComparison = (one: Predicate): one is Comparison =>
  one.kind === 'comparison' && one.value !== ''

export const isEqual = ({ sign }: Comparison) => sign === '='

const listConjuncts = ({ condition }: QueryStructure): readonly Predicate[] =>
  condition.kind === 'and' ? condition.items : [condition]
const listComparisons = (structure: QueryStructure) => listConjuncts(structure).filter(isComparison)
const findFixedColumns = (structure: QueryStructure) =>
  new Set(listComparisons(structure).flatMap((test) => (isEqual(test) ? test.column : [])))

export const indexesOf = memoize(listIndexedColumns)

type Indexes = readonly (readonly string[])[]

/** The one column that sorts the list, apart from the order of insertion. */
function findSortColumn({
  sortKeys: [key, tiebreak, ...more],
}: QueryStructure): string | undefined {
  if (more.length > 0) return undefined
  if (key?.column === ROWID) return tiebreak ? undefined : ROWID
  return tiebreak?.column === ROWID && !tiebreak.direction ? key?.column : undefined
}

/** Whether an index yields the rows in order: the filter fixes its first columns, the sort key is next. */
export function isIndexScan(indexes: Indexes, structure: QueryStructure): boolean {
  const sorted = findSortColumn(structure)
  const tests = listConjuncts(structure)
  if (sorted === undefined || tests.length === 0 || !tests.every(isComparison)) return false
  const equal = tests.filter(isEqual).map(({ column }) => column)
  const ranges = tests.filter((test) => !isEqual(test))
  const isWithin = ranges.every(({ column, sign }) => column === sorted && RANGES.has(sign))
  if (ranges.length > 2 || !isWithin) return false
  return indexes.some(
    (columns) =>
      columns[equal.length] === sorted &&
      columns.slice(0, equal.length).every((column) => equal.includes(column)),
  )
}

/** The most leading columns that the filter fixes in any index. */
function countFixedPrefix(indexes: Indexes, fixed: ReadonlySet<string>): number {
  const prefix = (columns: readonly string[]) => {
    const end = columns.findIndex((column) => !fixed.has(column))
    return end < 0 ? columns.length : end
  }
  return Math.max(0, ...indexes.map(prefix))
}

/** Whether a covering table has all columns of filter and sort, and an index that begins with a fixed one. */
export function isIndexCovering(
  structure: QueryStructure,
  { columns, indexes }: CoveringTable,
): boolean {
  const has = (column: string) => column === ROWID || columns.includes(column)
  const { columns: read, sortKeys, readsOneTable } = structure
  const hasAll = readsOneTable && read.every(has) && sortKeys.every((key) => key && has(key.column))
  return hasAll && countFixedPrefix(indexes, findFixedColumns(structure)) > 0
}

/** The comparisons with which a covering table narrows a search more than any own index does. */
export function findNarrowing(
  collection: Collection,
  structure: QueryStructure,
  { columns, indexes }: CoveringTable,
): readonly Comparison[] {
  const fixed = findFixedColumns(structure)
  const isNarrower =
    countFixedPrefix(indexes, fixed) > countFixedPrefix(indexesOf(collection), fixed)
  if (!structure.readsOneTable || !isNarrower) return []
  return listComparisons(structure).filter(
    ({ column, sign, value }) =>
      columns.includes(column) && value.cast === 'text' && (sign === '=' || RANGES.has(sign)),
  )
}

export const writeComparisonSql = ({ column, sign, value }: Comparison): string =>
  `${writeBaseColumn(column)} ${sign} $${value.index + 1}::${value.cast}`

/** ORDER BY. Spelled like the index that has the filtered rows in order of insertion, if there is one. */
export function writeIndexOrder(
  collection: Collection,
  { orderBy, structure }: CompiledFilter,
): string {
  if (findSortColumn(structure) !== ROWID) return orderBy
  const equal = findFixedColumns(structure)
  const isInOrder = indexesOf(collection).some((columns) => {
    const place = columns.indexOf(ROWID)
    return place > 0 && columns.slice(0, place).every((column) => equal.has(column))
  })
  return isInOrder ? writeInsertionOrderSql(structure.sortKeys[0]!.direction ?? 'ASC') : orderBy
}

export const isIndexOnlyCount = (
  collection: Collection,
  { columns: read }: QueryStructure,
): boolean =>
  indexesOf(collection).some((columns) => read.every((column) => columns.includes(column)))

/** For a search by more than owner and time: SQL that tests the owner of rows, '' for all owners. */
export function writeSearchedOwner(
  structure: QueryStructure,
  search: Extension['search'],
): string | undefined {
  if (!search || findSortColumn(structure) !== search.order) return undefined
  const tests = listConjuncts(structure)
  const compared = tests
    .filter(isComparison)
    .filter((one) => isEqual(one) || one.column === search.order)
  if (compared.length === tests.length) return undefined
  const owner = compared.filter(isEqual).find(({ column }) => column === search.owner)
  return owner ? writeComparisonSql(owner) : ''
}
