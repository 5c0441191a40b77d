import type { Collection } from '../../collections/collection.ts'
import type { CompiledFilter } from '../../filter/compile/compiled-filter.ts'
import { baseColumn, ROWID } from '../../filter/sql/sql.ts'
import type { AuthRecord } from '../../request/request.ts'
import { columnsOf, type RecordRow } from '../columns.ts'
import type { Extension } from '../extension.ts'
import { authVersionSql } from '../fresh-auth.ts'
import type { ListStatement } from './list-statement.ts'
import type { Page } from './page.ts'
import type { Border, NearBorder } from './page-borders.ts'
import { isDeep } from './query-plan.ts'

/** So many records before a page stands the border that is remembered: the page may move by as many. */
const LEAD = 500
/** A younger record is no border: what comes or goes beside it need not change the stamp. */
const OLD = `pb_text(now() - interval '1 day')`
/** Values of a row behind those of the record: the total, the requester's version, and two of the border. */
export const DEEP_EXTRA = 4

/** A list whose deep pages are found from remembered borders. */
export interface BorderedList {
  /** SQL of its total. */
  readonly total: string
  /** SQL of its stamp (Extension.total). */
  readonly stamp: string
  readonly isNewestFirst: boolean
}

/**
 * Whether borders serve a page: a deep one of a list whose `total` is known, by the column `created` that
 * the extension's stamp is about.
 */
export function borderedList(
  collection: Collection,
  { structure }: CompiledFilter,
  page: Page,
  total: string | undefined,
  stamp: string | undefined,
  order: Extension['search'],
): BorderedList | undefined {
  const [key, tiebreak, ...more] = structure.sortKeys
  if (!total || !stamp || !isDeep(structure, page) || more.length > 0) return undefined
  if (!key?.direction || key.column !== order?.order || tiebreak?.column !== ROWID || tiebreak.direction)
    return undefined
  if (!isWrittenOnce(collection, key.column)) return undefined
  return { total, stamp, isNewestFirst: key.direction === 'DESC' }
}

/** Whether a column has the date of its record's creation, which a superuser may have changed. */
const isWrittenOnce = ({ fields }: Collection, column: string): boolean =>
  fields.some((field) => field.name === column && field.type === 'autodate' && !field.onUpdate)

/**
 * A statement for a deep page. Its rows have the total, the version of the requester's record, the stamp and
 * a new border at their end; there is always one. Rows before the page are passed over in
 * an index that has all that the condition and the order need: from the beginning, some 100 ns each, or from
 * `border`. Totals, stamp and rows are of one moment, so the place of the border is exact: nothing is found
 * if the stamp is another by now, or the border stands behind the page.
 */
export function deepStatement(
  collection: Collection,
  { from, where, orderBy, params: own }: CompiledFilter,
  { perPage, offset }: Page,
  { total, stamp, isNewestFirst }: BorderedList,
  auth: AuthRecord | null,
  border: NearBorder | undefined,
): ListStatement {
  const params = [...own]
  const bind = (value: unknown, type: string) => `$${params.push(value)}::${type}`
  const before = bind(offset, 'bigint')
  const size = bind(perPage, 'bigint')
  const version = authVersionSql(auth, params.length + 1)
  if (auth) params.push(auth.id)
  const tests = [where && `(${where})`, `(SELECT total FROM "the list") > ${before}`]
  let place = '0'
  if (border) {
    const created = bind(border.created, 'text')
    const row = bind(border.row, 'bigint')
    const older = bind(border.older, 'bigint')
    const [later, column] = [isNewestFirst ? '<' : '>', baseColumn('created')]
    if (isNewestFirst) place = `((SELECT total FROM "the list") - ${older})`
    else place = older
    tests.push(
      `${column} ${later}= ${created}`,
      `(${column} ${later} ${created} OR ${baseColumn(ROWID)} >= ${row})`,
      `(SELECT stamp FROM "the list") = ${bind(border.stamp, 'text')}`,
      `${before} >= ${place}`,
    )
  }
  const near = `SELECT ${baseColumn('created')}, ${baseColumn(ROWID)} FROM ${from}
    WHERE ${tests.filter((test) => test !== '').join(' AND ')} ORDER BY ${orderBy}
    LIMIT ${size} + ${LEAD} OFFSET greatest(${before} - ${LEAD} - ${place}, 0)`
  const text = `WITH "the list" AS MATERIALIZED (SELECT ${total} AS total, ${stamp} AS stamp),
    "near rows" AS MATERIALIZED (${near})
    SELECT p.*, k.total, ${version}, k.stamp, (
      SELECT (${baseColumn('created')} < ${OLD}) || '|' || ${baseColumn('created')} || '|' || ${baseColumn(ROWID)}
      FROM "near rows" b ORDER BY ${orderBy} LIMIT 1)
    FROM "the list" k LEFT JOIN LATERAL (
      SELECT ${columnsOf(collection).select}
      FROM (SELECT ${baseColumn(ROWID)} AS row FROM "near rows" b ORDER BY ${orderBy}
        LIMIT ${size} OFFSET least(greatest(${before} - ${place}, 0), ${LEAD})) r
      JOIN ${from} ON ${baseColumn(ROWID)} = r.row ORDER BY ${orderBy}) p ON true`
  return { text, params }
}

/** What a row of such a statement says of the list. */
export interface DeepFacts {
  /** Null where it is not known. */
  readonly total: number | null
  readonly stamp: string
  readonly isFound: boolean
  /** Undefined where nothing was found, or what was found is too young. */
  readonly border: Border | undefined
}

/** Reads it. */
export function deepFacts(
  collection: Collection,
  row: RecordRow,
  { offset }: Page,
  { isNewestFirst }: BorderedList,
  used: NearBorder | undefined,
): DeepFacts {
  const { count } = columnsOf(collection)
  const total = row[count] === null ? null : Number(row[count])
  const [isOld, created = '', rowid = ''] = String(row[count + 3] ?? '').split('|')
  const from = used ? (isNewestFirst ? Number(total) - used.older : used.older) : 0
  const place = Math.max(Number(offset) - LEAD, from)
  const older = isNewestFirst ? Number(total) - place : place
  const border = isOld === 'true' ? { created, row: rowid, older } : undefined
  return { total, stamp: String(row[count + 2]), isFound: rowid !== '', border }
}
