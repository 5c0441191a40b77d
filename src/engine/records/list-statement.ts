import type { Collection } from '../collections/collection.ts'
import { toColumnName } from '../collections/sql-names.ts'
import type { CompiledFilter } from '../filter/compiled-filter.ts'
import type { AuthRecord } from '../request/request.ts'
import { writeAuthVersionSql } from './check-auth-version.ts'
import type { CoveringTable, Extension } from './collection-extension.ts'
import {
  findNarrowing,
  indexesOf,
  isComparison,
  isEqual,
  isIndexCovering,
  isIndexOnlyCount,
  isIndexScan,
  writeComparisonSql,
  writeIndexOrder,
  writeSearchedOwner,
} from './list-indexes.ts'
import { type ListPlan, SHAPES } from './list-statement-shapes.ts'
import { columnsOf } from './record-row.ts'

export interface PageRange {
  /** Counts from 1. Up to 64 bits, like PocketBase's integers. */
  readonly page: bigint
  readonly perPage: number
  /** Number of rows before the page. 0 if it wraps at 64 bits to a negative number, as in PocketBase. */
  readonly offset: bigint
  readonly skipTotal: boolean
}

/** Reading a page of at most this many rows by an index is about as fast as a few lookups by id. */
const SHORT = 100
/** Maximum rows of an index that Postgres skips about as fast as it looks up one id. */
export const NEAR = 500n
/** These page sizes are constants in the SQL, not parameters: a page then takes 250 µs instead of 385. */
export const USUAL_SIZES: ReadonlySet<number> = new Set([1, 30, 500, 1000])

/** SQL of a page. Each row ends with the total (-1: not counted) and `xmin` of the caller's auth record. */
export function writeListStatement(
  collection: Collection,
  compiled: CompiledFilter,
  page: PageRange,
  auth: AuthRecord | null,
  extension: Extension | undefined,
  hasFilter: boolean,
) {
  const plan = planListStatement(collection, compiled, page, auth, extension, hasFilter)
  const shape = SHAPES.find(({ when }) => when(plan))!
  const { isIndexed, isPlannedOnce, total } = plan
  // a short page reads only the first rows of an index and counts nothing
  const isCounted = total === undefined && !page.skipTotal
  const isShort =
    isIndexed && isPlannedOnce && !isCounted && page.perPage <= SHORT && page.offset <= NEAR
  return { text: shape.write(plan), shape: shape.name, isPlannedOnce, isShort }
}

function planListStatement(
  collection: Collection,
  compiled: CompiledFilter,
  { offset, perPage, skipTotal }: PageRange,
  auth: AuthRecord | null,
  extension: Extension | undefined,
  hasFilter: boolean,
): ListPlan {
  const { structure, where, params } = compiled
  const covering = extension?.covering
  const hasCovered = covering !== undefined && isIndexCovering(structure, covering)
  const isIndexed = isIndexScan(indexesOf(collection), structure)
  const isFound = isIndexed || (hasCovered && isIndexScan(covering.indexes, structure))
  const hasKeys = structure.readsOneTable && structure.sortKeys.every((key) => key !== undefined)
  const isDeep = hasKeys && offset > NEAR
  let last = params.length
  const before = offset === 0n ? '0' : `$${++last}::bigint`
  const size = USUAL_SIZES.has(perPage) ? String(perPage) : `$${++last}::bigint`
  return {
    collection,
    structure,
    from: writeListSource(collection, compiled, covering),
    where,
    orderBy: writeIndexOrder(collection, compiled),
    limit: before === '0' ? `LIMIT ${size}` : `LIMIT ${size} OFFSET ${before}`,
    size,
    before,
    version: writeAuthVersionSql(auth, last + 1),
    isFirstPage: offset === 0n,
    isDeep,
    // a plan for all values suits a client's filter only if one index finds the rows
    isPlannedOnce: (hasFilter ? isFound : structure.sortsByOwnField) && !isDeep,
    skipsTotal: skipTotal,
    total: skipTotal ? undefined : findKnownTotal(collection, compiled, extension?.total),
    hasKeys,
    isIndexed,
    isIndexOnlyCount: isIndexOnlyCount(collection, structure),
    covering: hasCovered ? covering : undefined,
    searched: writeSearchedOwner(structure, extension?.search),
  }
}

/** SQL after FROM. If the covering table leaves fewer rows than any index, only these are read. */
function writeListSource(
  collection: Collection,
  { from, structure }: CompiledFilter,
  covering?: CoveringTable,
) {
  const tests = covering ? findNarrowing(collection, structure, covering) : []
  if (tests.length === 0) return from
  const candidates = `SELECT b._rowid AS row FROM ${covering!.table} b WHERE ${tests.map(writeComparisonSql).join(' AND ')}`
  return `(${candidates}) c JOIN ${from} ON b._rowid = c.row`
}

/** SQL that reads the stored total; undefined if rows must be counted. */
function findKnownTotal(
  collection: Collection,
  { where, structure: { condition } }: CompiledFilter,
  total: Extension['total'],
): string | undefined {
  if (!total) return undefined
  const { table } = columnsOf(collection)
  if (where === '') return total.sql(table)
  if (!isComparison(condition) || !isEqual(condition)) return undefined
  const isOfOne = condition.column === toColumnName(total.by) && condition.value.cast === 'text'
  return isOfOne ? total.sql(table, '$1') : undefined
}
