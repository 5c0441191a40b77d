import type { Collection } from '../../collections/collection.ts'
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
export function indexOrderBy(collection: Collection, { orderBy, structure }: CompiledFilter): string {
  const isInOrder = sortedBy(structure) === ROWID && isSortedByIndex(collection, structure)
  return isInOrder ? insertionOrderBy(structure.sortKeys[0]!.direction ?? 'ASC') : orderBy
}

/** Whether an index alone says how many rows a condition lets through. */
export const isIndexOnlyCount = (
  collection: Collection,
  { columns: read }: Pick<QueryStructure, 'columns'>,
): boolean => indexesOf(collection).some((columns) => read.every((column) => columns.includes(column)))

/** A page without its total is the first rows of an index, so it is found at once. */
export const isShortIndexScan = (collection: Collection, asked: Asked, { perPage, offset }: Page): boolean =>
  perPage <= SHORT && offset <= NEAR && isIndexScan(collection, asked)

/**
 * Whether a list gets a named statement, which Postgres plans once. With a client's filter such a plan may be
 * a hundred times slower, unless an index answers it whole.
 */
export const isPlannedOnce = (
  collection: Collection,
  structure: QueryStructure,
  hasFilter: boolean,
): boolean => (hasFilter ? isIndexScan(collection, structure) : structure.sortsByOwnField)

/**
 * How a page is read, with its total. `flat`: a plain SELECT. `gated`: only if the total reaches it.
 * `counted`: counted while found; `counted-first`: without the page's size; `counted-in-order`: by an index.
 * `deep`: skips rows in an index. `newest-first`: the newest rows, then all.
 */
export type PageShape =
  | 'flat'
  | 'gated'
  | 'counted'
  | 'counted-first'
  | 'counted-in-order'
  | 'deep'
  | 'newest-first'

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

/** Whether it pays to pass over the rows before a page without reading them. */
export const isDeep = (structure: QueryStructure, { offset }: Page): boolean =>
  offset > NEAR && structure.readsOneTable && structure.sortKeys.every((key) => key !== undefined)

/** Chooses one. `total`, `always`: as of listStatement, which says what each is for. */
export function pageShape(
  collection: Collection,
  structure: QueryStructure,
  page: Page,
  total: string | undefined,
  always: boolean,
  searched?: string,
): PageShape {
  const { offset, skipTotal } = page
  if (searched !== undefined) return 'newest-first'
  if (isDeep(structure, page)) return 'deep'
  if (always || (offset > 0n && !skipTotal)) return 'gated'
  const counts = !skipTotal && total === undefined
  if (!counts || !structure.readsOneTable || isIndexOnlyCount(collection, structure)) return 'flat'
  const isByColumns = structure.sortKeys.every((key) => key !== undefined)
  if (!isByColumns) return 'counted'
  return isSortedByIndex(collection, structure) ? 'counted-in-order' : 'counted-first'
}
