import type { Collection } from '../collections/collection.ts'
import type { QueryStructure } from '../filter/compiled-filter.ts'
import { ROWID, writeBaseColumn } from '../filter/sql-pieces.ts'
import type { CoveringTable } from './collection-extension.ts'
import { columnsOf } from './record-row.ts'

/** The parts by which the statement of a list is chosen and written. */
export interface ListPlan {
  readonly collection: Collection
  readonly structure: QueryStructure
  /** SQL after FROM, WHERE, ORDER BY. The collection's table is always `b`. */
  readonly from: string
  readonly where: string
  readonly orderBy: string
  readonly limit: string
  /** SQL of the page size and of the number of rows before the page. */
  readonly size: string
  readonly before: string
  readonly version: string
  readonly isFirstPage: boolean
  /** Whether to find the page's keys before reading rows: skipping 600,000 takes 60 ms instead of 1,240. */
  readonly isDeep: boolean
  readonly skipsTotal: boolean
  /** SQL of the stored total; undefined if there is none. */
  readonly total: string | undefined
  /** Whether all sort keys are columns of the record itself. */
  readonly hasKeys: boolean
  /** Whether an index of the collection yields the rows in order. */
  readonly isIndexed: boolean
  readonly isPlannedOnce: boolean
  /** Whether an index of the collection alone can count the rows. */
  readonly isIndexOnlyCount: boolean
  /** The covering table, if it has all that filter and sort read. */
  readonly covering: CoveringTable | undefined
  /** For a search: SQL that tests the owner of rows, '' for all owners. */
  readonly searched: string | undefined
}

interface Shape {
  readonly name: string
  readonly when: (plan: ListPlan) => boolean
  readonly write: (plan: ListPlan) => string
}

/** A list's statements; the first that fits is used. Their test: test/engine/records/list-shapes */
export const SHAPES: readonly Shape[] = [
  {
    name: 'search the newest rows first',
    when: ({ searched, skipsTotal, isFirstPage }) =>
      searched !== undefined && skipsTotal && isFirstPage,
    write: writeNewestSearch,
  },
  {
    name: 'count and find in the covering table',
    when: ({ covering, isIndexed }) => covering !== undefined && !isIndexed,
    write: writeCoveredFind,
  },
  {
    name: 'find without a total',
    when: ({ skipsTotal }) => skipsTotal,
    write: (plan) => writePageSql(plan, plan.where, `, -1, ${plan.version}`),
  },
  {
    name: 'find, with the stored total',
    when: ({ total }) => total !== undefined,
    write: (plan) => writeTotalAndPage(plan, plan.total!),
  },
  {
    name: 'count in the covering table, then find',
    when: ({ covering }) => covering !== undefined,
    write: (plan) => writeTotalAndPage(plan, writeCountSql(writeCoveringFrom(plan), plan.where)),
  },
  {
    name: 'count while finding',
    when: ({ hasKeys, isFirstPage, isPlannedOnce, isIndexOnlyCount }) =>
      hasKeys && isFirstPage && !isPlannedOnce && !isIndexOnlyCount,
    write: writeCountAndFind,
  },
  {
    name: 'count, then find',
    when: () => true,
    write: (plan) => writeTotalAndPage(plan, writeCountSql(plan.from, plan.where)),
  },
]

const writeCountSql = (from: string, where: string) =>
  `(SELECT count(*) FROM ${from}${writeClause('WHERE', where)})`

const writeCoveringFrom = ({ covering }: ListPlan) => `${covering!.table} b`

/** SQL of a page without its total. `more`: further columns at the end of each row. */
function writePageSql(plan: ListPlan, where: string, more = ''): string {
  const { collection, isDeep, from } = plan
  if (isDeep) return writeRowsByKeySql(plan, writePageKeysSql(plan, from, where), more)
  const columns = columnsOf(collection).select + more
  return `SELECT ${columns} FROM ${from}${writeClause('WHERE', where)}${writeClause('ORDER BY', plan.orderBy)} ${plan.limit}`
}

const writePageKeysSql = ({ orderBy, limit }: ListPlan, from: string, where: string) =>
  `SELECT b._rowid AS row FROM ${from}${writeClause('WHERE', where)}${writeClause('ORDER BY', orderBy)} ${limit}`

const listKeyColumns = ({ structure }: ListPlan) =>
  [
    ...new Set(
      [ROWID, ...structure.sortKeys.flatMap((key) => key?.column ?? [])].map(writeBaseColumn),
    ),
  ].join(', ')

function writeRowsByKeySql({ collection, orderBy }: ListPlan, keys: string, more: string): string {
  const { select, table } = columnsOf(collection)
  return `SELECT ${select}${more} FROM (${keys}) p JOIN ${table} b ON b._rowid = p.row ORDER BY ${orderBy}`
}

/** SQL of a page and its total. An empty page is one row with the total. `OFFSET 0` avoids counting twice. */
function writeTotalThenSql(total: string, version: string, page: string): string {
  return `SELECT p.*, t.total, ${version} FROM (SELECT ${total} AS total OFFSET 0) t
    LEFT JOIN LATERAL (${page}) p ON true`
}

const limitByTotal = ({ where, before }: ListPlan) =>
  `${where && `(${where}) AND `}t.total > ${before}`

const writeTotalAndPage = (plan: ListPlan, total: string) =>
  writeTotalThenSql(total, plan.version, writePageSql(plan, limitByTotal(plan)))

function writeCoveredFind(plan: ListPlan): string {
  const { skipsTotal, version, where } = plan
  const from = writeCoveringFrom(plan)
  if (skipsTotal)
    return writeRowsByKeySql(plan, writePageKeysSql(plan, from, where), `, -1, ${version}`)
  const page = writeRowsByKeySql(plan, writePageKeysSql(plan, from, limitByTotal(plan)), '')
  return writeTotalThenSql(writeCountSql(from, where), version, page)
}

/** SQL that finds and counts in one pass. `OFFSET 0` hides the limit from the planner: 12 ms, not 55. */
function writeCountAndFind(plan: ListPlan): string {
  const { from, where, orderBy, limit, version } = plan
  const rows = `SELECT ${listKeyColumns(plan)}, count(*) OVER () AS "the total" FROM ${from}${writeClause('WHERE', where)} OFFSET 0`
  const page = `SELECT b._rowid AS row, "the total" AS total FROM (${rows}) b ORDER BY ${orderBy} ${limit}`
  return writeRowsByKeySql(plan, page, `, p.total, ${version}`)
}

const NEWEST = 5_000

/** SQL to search an owner's newest rows and, if too few match, all rows. A rare word takes 0.1 s, not 30. */
function writeNewestSearch(plan: ListPlan): string {
  const { collection, from, where, orderBy, limit, size, version, structure, searched } = plan
  const { table } = columnsOf(collection)
  const newest = `SELECT * FROM ${table} b${writeClause('WHERE', searched!)} ORDER BY ${orderBy} LIMIT ${NEWEST}`
  const isEnough = `(SELECT count(*) FROM newest) = ${size}`
  const page = `
    WITH newest AS MATERIALIZED (
      SELECT b._rowid AS row FROM (${newest}) b${structure.joins} WHERE ${where} ORDER BY ${orderBy} ${limit})
    SELECT row FROM newest WHERE ${isEnough}
    UNION ALL (SELECT b._rowid FROM (
      SELECT ${listKeyColumns(plan)} FROM ${from} WHERE (${where}) AND NOT ${isEnough} OFFSET 0) b ORDER BY ${orderBy} ${limit})`
  return writeRowsByKeySql(plan, page, `, -1, ${version}`)
}

const writeClause = (word: string, sql: string) => sql && ` ${word} ${sql}`
