import type { Collection } from '../../collections/collection.ts'
import { columnName, quote, tableName } from '../../collections/names.ts'
import { indexedColumns, insertionOrderBy } from '../../collections/table/own-indexes.ts'
import type { CompiledFilter, Predicate, QueryStructure } from '../../filter/compile/compiled-filter.ts'
import { baseColumn, ROWID } from '../../filter/sql/sql.ts'
import { memoize } from '../../tools/memoize.ts'
import type { Extension } from '../extension.ts'
import type { Page } from './page.ts'

/** As many rows are read in the time of a few look-ups. */
const SHORT = 100
/** Rows that an index scan skips in the time of one lookup. */
const NEAR = 500n

/** What an index finds from one value on, or up to one. */
const RANGES: ReadonlySet<string> = new Set(['<', '<=', '>', '>='])

type Comparison = Extract<Predicate, { kind: 'comparison' }>

const isComparison = (one: Predicate): one is Comparison => one.kind === 'comparison' && one.value !== ''
const isEqual = ({ sign }: Comparison) => sign === '='

const conjuncts = ({ condition }: Pick<QueryStructure, 'condition'>): readonly Predicate[] =>
  condition.kind === 'and' ? condition.items : [condition]

/** How a list is read. */
export interface ListPlan {
  readonly orderBy: string
  /** SQL of the total; undefined if it has to be counted. */
  readonly total: string | undefined
  /** See searchedOwner. */
  readonly searched: string | undefined
  /** The rows are counted while the page is found: 1.0 ms for 30 of 2,000 messages, 1.5 ms for two passes. */
  readonly isCounted: boolean
  /** The rows before the page are skipped in an index: 600,000 take 60 ms, not 1,240. */
  readonly isDeep: boolean
  /**
   * Postgres plans the statement once. With a client's filter such a plan may be a hundred times slower,
   * unless an index answers it whole; with an unknown OFFSET it may sort.
   */
  readonly isPlannedOnce: boolean
  /** It is found at once: the first rows of an index, and no total to be counted. */
  readonly isLookUp: boolean
}

/** Chooses how a page of a compiled list is read. */
export function planList(
  collection: Collection,
  compiled: CompiledFilter,
  page: Page,
  extension: Extension | undefined,
  hasFilter: boolean,
): ListPlan {
  const { structure } = compiled
  const { offset, skipTotal } = page
  const total = skipTotal ? '-1' : knownTotal(collection, compiled, extension)
  const hasKeys = structure.readsOneTable && structure.sortKeys.every((key) => key !== undefined)
  const isDeep = hasKeys && offset > NEAR
  const isFitting = hasFilter ? isIndexScan(collection, structure) : structure.sortsByOwnField
  const isPlannedOnce = isFitting && !isDeep
  const isFirst = total === undefined && offset === 0n
  return {
    orderBy: indexOrderBy(collection, compiled),
    total,
    searched: searchedOwner(structure, page, extension?.search),
    isCounted: hasKeys && isFirst && !isPlannedOnce && !isIndexOnlyCount(collection, structure),
    isDeep,
    isPlannedOnce,
    isLookUp: isPlannedOnce && total !== undefined && isShortIndexScan(collection, structure, page),
  }
}

/** SQL of a total that need not be counted. */
function knownTotal(
  collection: Collection,
  { where, structure }: CompiledFilter,
  extension: Extension | undefined,
): string | undefined {
  const total = extension?.total
  if (!total) return undefined
  const table = quote(tableName(collection))
  if (where === '') return total.sql(table)
  const isOfOne = singleEqualityColumn(structure) === columnName(total.by)
  return isOfOne ? total.sql(table, '$1') : undefined
}

/** The column of which a condition asks for one value, `$1`, and nothing else. */
export function singleEqualityColumn({ condition }: Pick<QueryStructure, 'condition'>): string | undefined {
  if (condition.kind !== 'comparison' || !isEqual(condition) || condition.value === '') return undefined
  const { index, cast } = condition.value
  return index === 0 && cast === 'text' ? condition.column : undefined
}

/** What is asked of a table. */
type Asked = Pick<QueryStructure, 'condition' | 'sortKeys'>

/** The one column that is sorted by, besides the order of insertion. */
function sortedBy({ sortKeys: [key, tiebreak, ...more] }: Asked): string | undefined {
  if (more.length > 0) return undefined
  if (key?.column === ROWID) return tiebreak ? undefined : ROWID
  return tiebreak?.column === ROWID && !tiebreak.direction ? key?.column : undefined
}

const indexesOf = memoize(indexedColumns)

/** An index finds the rows in order: one value of its first columns, then the sorted one. */
export function isIndexScan(collection: Collection, asked: Asked): boolean {
  const sorted = sortedBy(asked)
  const tests = conjuncts(asked)
  if (sorted === undefined || tests.length === 0 || !tests.every(isComparison)) return false
  const equal = tests.filter(isEqual).map(({ column }) => column)
  const ranges = tests.filter((test) => !isEqual(test))
  const isWithin = ranges.every(({ column, sign }) => column === sorted && RANGES.has(sign))
  if (ranges.length > 2 || !isWithin) return false
  return indexesOf(collection).some(
    (columns) =>
      columns[equal.length] === sorted &&
      columns.slice(0, equal.length).every((column) => equal.includes(column)),
  )
}

/** An index has the rows of one value, or of several, in order: mostly those of a user by time. */
export function isSortedByIndex(collection: Collection, asked: Asked): boolean {
  const sorted = sortedBy(asked)
  const tests = conjuncts(asked).filter(isComparison).filter(isEqual)
  const equal = new Set(tests.map(({ column }) => column))
  return indexesOf(collection).some((columns) => {
    const place = columns.indexOf(sorted ?? '')
    return place > 0 && columns.slice(0, place).every((column) => equal.has(column))
  })
}

/** ORDER BY of the same order, as that index has it. */
function indexOrderBy(collection: Collection, { orderBy, structure }: CompiledFilter): string {
  const isInOrder = sortedBy(structure) === ROWID && isSortedByIndex(collection, structure)
  return isInOrder ? insertionOrderBy(structure.sortKeys[0]!.direction ?? 'ASC') : orderBy
}

/** Whether an index alone says how many rows a condition lets through. */
export const isIndexOnlyCount = (
  collection: Collection,
  { columns: read }: Pick<QueryStructure, 'columns'>,
): boolean => indexesOf(collection).some((columns) => read.every((column) => columns.includes(column)))

/** A page is the first rows of an index. */
export const isShortIndexScan = (collection: Collection, asked: Asked, { perPage, offset }: Page): boolean =>
  perPage <= SHORT && offset <= NEAR && isIndexScan(collection, asked)

/** SQL of the owner's test ('' for all) if a page is a search in the order of `search`, else undefined. */
export function searchedOwner(
  structure: QueryStructure,
  { offset, skipTotal }: Page,
  search: Extension['search'],
): string | undefined {
  if (!search || sortedBy(structure) !== search.order || !skipTotal || offset > 0n) return undefined
  const tests = conjuncts(structure)
  const compared = tests.filter(isComparison).filter((one) => isEqual(one) || one.column === search.order)
  if (!structure.readsOneTable || compared.length === tests.length) return undefined
  const owner = compared.filter(isEqual).find(({ column }) => column === search.owner)
  if (!owner || owner.value === '') return ''
  return `${baseColumn(owner.column)} = $${owner.value.index + 1}::${owner.value.cast}`
}
