import type { Collection } from '../../collections/collection.ts'
import type { CompiledFilter, QueryStructure } from '../../filter/compile/compiled-filter.ts'
import { baseColumn, ROWID } from '../../filter/sql/sql.ts'
import type { AuthRecord } from '../../request/request.ts'
import { columnsOf } from '../columns.ts'
import { authVersionSql } from '../fresh-auth.ts'
import type { Page } from './page.ts'
import type { ListPlan } from './query-plan.ts'

/**
 * A statement for a page, the total (-1: not counted) and the version of the requester's record, in this
 * order. A row of it is a Row with the two at its end.
 */
interface ListStatement {
  readonly text: string
  readonly params: readonly unknown[]
}

/**
 * Sizes that clients ask for without choosing one. They are constants in the statement, so that Postgres
 * plans once: for an unknown size it plans each time (385 µs instead of 250).
 */
const USUAL_SIZES: ReadonlySet<number> = new Set([1, 30, 500, 1000])

/** Parts of a statement as SQL; '' for what it does not have. */
interface Parts {
  readonly columns: string
  readonly from: string
  readonly where: string
  readonly orderBy: string
  /** LIMIT and OFFSET. */
  readonly limit: string
  readonly version: string
  readonly isDeep: boolean
  readonly structure: QueryStructure
}

/** The statement for a page of what a compiled rule and filter allow, read as planned. */
export function listStatement(
  collection: Collection,
  { from, where, params: first, structure }: CompiledFilter,
  page: Page,
  auth: AuthRecord | null,
  { orderBy, total, searched, isCounted, isDeep }: ListPlan,
): ListStatement {
  const params = [...first]
  const bind = (value: unknown) => `$${params.push(value)}::bigint`
  const before = page.offset === 0n ? '0' : bind(page.offset)
  const size = USUAL_SIZES.has(page.perPage) ? String(page.perPage) : bind(page.perPage)
  const version = authVersionSql(auth, params.length + 1)
  if (auth) params.push(auth.id)
  const parts: Parts = {
    columns: columnsOf(collection).select,
    from,
    where,
    orderBy,
    limit: before === '0' ? `LIMIT ${size}` : `LIMIT ${size} OFFSET ${before}`,
    version,
    isDeep,
    structure,
  }
  if (searched !== undefined) return { text: search(parts, searched, size), params }
  if (page.skipTotal) return { text: rowsOf(parts, where, `, -1, ${version}`), params }
  if (isCounted) return { text: counted(parts), params }
  const known = total ?? `(SELECT count(*) FROM ${from}${clause('WHERE', where)})`
  return { text: withTotal(parts, known, before), params }
}

/** A page alone, with more values at the end of each row. */
function rowsOf(parts: Parts, where: string, more = ''): string {
  const page = (columns: string) =>
    `SELECT ${columns} FROM ${parts.from}${clause('WHERE', where)}${clause('ORDER BY', parts.orderBy)} ${parts.limit}`
  return parts.isDeep ? rowsByKey(parts, page('b._rowid AS row'), more) : page(parts.columns + more)
}

/** The columns that find a row and its place. */
const keysOf = ({ structure }: Parts) =>
  [...new Set([ROWID, ...structure.sortKeys.flatMap((key) => key?.column ?? [])].map(baseColumn))].join(', ')

/** The rows whose `_rowid` a statement selects as `row`. */
const rowsByKey = ({ columns, from, orderBy }: Parts, keys: string, more: string) =>
  `SELECT ${columns}${more} FROM (${keys}) p JOIN ${from} ON b._rowid = p.row ORDER BY ${orderBy}`

/**
 * A page with its total, always with a row. A page beyond the end is not searched for: 5.8 ms instead of 84
 * of 102,000 rows. The total is behind OFFSET, or Postgres would count twice.
 */
function withTotal(parts: Parts, total: string, before: string): string {
  const { where, version } = parts
  const gate = `${where && `(${where}) AND `}t.total > ${before}`
  return `SELECT p.*, t.total, ${version} FROM (SELECT ${total} AS total OFFSET 0) t
    LEFT JOIN LATERAL (${rowsOf(parts, gate)}) p ON true`
}

/**
 * A page that is counted while it is found. The rows are behind OFFSET: seeing the size of the page, Postgres
 * would go along an index through everybody's 200,000 messages (55 ms instead of 12).
 */
function counted(parts: Parts): string {
  const { from, where, orderBy, limit, version } = parts
  // no column can have this name
  const rows = `SELECT ${keysOf(parts)}, count(*) OVER () AS "the total" FROM ${from}${clause('WHERE', where)} OFFSET 0`
  const page = `SELECT b._rowid AS row, "the total" AS total FROM (${rows}) b ORDER BY ${orderBy} ${limit}`
  return rowsByKey(parts, page, `, p.total, ${version}`)
}

/** Rows that are read in some 5 ms. */
const NEWEST = 5_000

/**
 * A page alone that searches the newest rows first, of the owner whose test is `searched`. Without that, a
 * word that no message has takes 30 s instead of 0.1.
 */
function search(parts: Parts, searched: string, size: string): string {
  const { from, where, orderBy, limit, version } = parts
  const newest = `SELECT * FROM ${from}${clause('WHERE', searched)} ORDER BY ${orderBy} LIMIT ${NEWEST}`
  const isEnough = `(SELECT count(*) FROM newest) = ${size}`
  const page = `
    WITH newest AS MATERIALIZED (SELECT b._rowid AS row FROM (${newest}) b WHERE ${where} ORDER BY ${orderBy} ${limit})
    SELECT row FROM newest WHERE ${isEnough}
    UNION ALL (SELECT b._rowid FROM (
      SELECT ${keysOf(parts)} FROM ${from} WHERE (${where}) AND NOT ${isEnough} OFFSET 0) b ORDER BY ${orderBy} ${limit})`
  return rowsByKey(parts, page, `, -1, ${version}`)
}

const clause = (word: string, sql: string) => sql && ` ${word} ${sql}`
