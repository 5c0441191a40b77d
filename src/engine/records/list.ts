import { listFault } from '../../platform/db/database-errors.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { readBool } from '../fields/convert-values.ts'
import { compileFilter } from '../filter/compile-filter.ts'
import { FilterError } from '../filter/parse-filter.ts'
import { findCollation } from '../filter/sort-collation.ts'
import type { RequestInfo } from '../request/request.ts'
import { answerRecords } from './answer-records.ts'
import {
  checkAuthFresh,
  checkAuthVersion,
  describeVersionSql,
  listVersionValues,
} from './check-auth-version.ts'
import { requireRule } from './check-rules.ts'
import type { Extension, Extensions } from './collection-extension.ts'
import { NEAR, type PageRange, USUAL_SIZES, writeListStatement } from './list-statement.ts'
import { pickFieldsEach } from './pick.ts'
import {
  findOrWriteStatement,
  type RowStatement,
  selectRecordRows,
  writeRowStatement,
} from './read-records.ts'
import { rowSizeOf } from './row-size.ts'

/** If the rows of a page cannot exceed this many bytes, they are read without measuring them. */
const UNGUARDED_BYTES = 8 << 20
/** UNGUARDED_BYTES for collections without large fields: few rows fill every field to its maximum. */
const UNGUARDED_SHORT_BYTES = 48 << 20

/** A page of records as JSON. Throws 400 for an invalid query; also 403, StaleAuth. Contract 3.1 */
export async function listRecords(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  request: RequestInfo,
): Promise<string> {
  const extension = extensions.get(collection.id)
  const rule = requireRule(collection, 'listRule', request.auth, extension?.authRequired)
  const query = compileList(store, extension, collection, rule, request)
  const page = await findPage(store, query, request)
  return renderPage(store, query, page, request)
}

/** Whether this number of rows may be so large that their bytes must be counted while they are read. */
export function mustGuardRows(collection: Collection, rows: number): boolean {
  const { max, hasLarge } = rowSizeOf(collection)
  return rows * max > (hasLarge ? UNGUARDED_BYTES : UNGUARDED_SHORT_BYTES)
}

interface ListQuery {
  readonly collection: Collection
  readonly page: PageRange
  readonly statement: RowStatement | undefined
  readonly params: readonly unknown[]
}

/** The statement of a page, by default the one that the query names. Throws 400 for an invalid query. */
export function compileList(
  store: Store,
  extension: Extension | undefined,
  collection: Collection,
  rule: string,
  request: RequestInfo,
  page = parsePage(request.query, extension?.maxPerPage),
): ListQuery {
  const { auth } = request
  const { filter = '', sort = '', sortLanguage = '' } = request.query
  const compiled = compileFilter(store.catalog, {
    collection,
    rule,
    filter,
    sort,
    collation: sort === '' ? undefined : findCollation(sortLanguage),
    request,
    ticket: store.db.ticket,
  })
  const { perPage, offset, skipTotal } = page
  const isUsual = USUAL_SIZES.has(perPage)
  const pageValues = [
    offset === 0n ? [] : offset,
    isUsual ? [] : perPage,
    listVersionValues(auth),
  ].flat()
  const params = [...compiled.params, ...pageValues]
  if (compiled.never) return { collection, page, statement: undefined, params }
  const place = offset === 0n ? 'first' : offset > NEAR ? 'far' : 'near'
  const kind = isUsual
    ? `list ${perPage} ${place} ${skipTotal} ${describeVersionSql(auth)}`
    : undefined
  const statement = findOrWriteStatement(compiled.structure, kind, () => {
    const written = writeListStatement(collection, compiled, page, auth, extension, filter !== '')
    return writeRowStatement(store.catalog, collection, {
      text: written.text,
      values: params.length,
      extra: 2,
      plannedOnce: written.isPlannedOnce ? (filter ? 'free' : 'ruled') : undefined,
      way: written.isShort ? 'firstRows' : 'shaped',
      isGuarded: mustGuardRows(collection, perPage),
    })
  })
  return { collection, page, statement, params }
}

/** The rows of a page and the total. Throws StaleAuth if the caller's auth record has changed. */
export async function findPage(
  store: Store,
  { page, statement, params }: ListQuery,
  request: RequestInfo,
) {
  const { auth } = request
  const failed = (error: unknown) => {
    throw listFault(error)
  }
  const rows = statement
    ? await selectRecordRows(store, statement, params, request).catch(failed)
    : []
  const [first] = rows
  if (!statement || !first) {
    await checkAuthFresh(store, auth)
    return { rows, total: page.skipTotal ? -1 : 0 }
  }
  const { id, count } = statement.columns
  checkAuthVersion(auth, first[count + 1])
  // an empty page is one row that has only the total
  return { rows: first[id] === null ? [] : rows, total: Number(first[count]) }
}

/** The page as JSON, with visible fields and expanded records. */
export async function renderPage(
  store: Store,
  { collection, page: { page, perPage } }: ListQuery,
  { rows, total }: Awaited<ReturnType<typeof findPage>>,
  request: RequestInfo,
): Promise<string> {
  const whole = await answerRecords(store, collection, rows, request)
  const { fields } = request.query
  const items = fields ? await pickFieldsEach(whole, fields) : whole
  // `+` joins strings without copying them until the answer is sent; `join` would copy them here as well
  let text = '{"items":['
  let comma = ''
  for (const item of items) {
    text += comma + item
    comma = ','
  }
  const pages = total < 0 ? -1 : Math.ceil(total / perPage)
  return `${text}],"page":${page},"perPage":${perPage},"totalItems":${total},"totalPages":${pages}}`
}

const DEFAULT_PER_PAGE = 30n
export const MAX_PER_PAGE = 1000

const INTEGER = /^[-+]?\d+$/

/** Reads `page`, `perPage`, `skipTotal`. Numbers below 1 become the default. Throws FilterError. */
function parsePage(query: Readonly<Record<string, string>>, maxPerPage = MAX_PER_PAGE): PageRange {
  const skipTotal = query.skipTotal ? readBool(query.skipTotal) : false
  if (skipTotal === undefined) throw new FilterError('skipTotal is neither true nor false')
  const page = readInteger(query, 'page', 1n)
  const asked = readInteger(query, 'perPage', DEFAULT_PER_PAGE)
  const perPage = asked > maxPerPage ? maxPerPage : Number(asked)
  const offset = BigInt.asIntN(64, BigInt(perPage) * (page - 1n))
  return { page, perPage, offset: offset > 0n ? offset : 0n, skipTotal }
}

function readInteger(
  query: Readonly<Record<string, string>>,
  name: string,
  otherwise: bigint,
): bigint {
  const text = query[name] ?? ''
  if (text === '') return otherwise
  const value = INTEGER.test(text) ? BigInt(text.replace('+', '')) : undefined
  if (value === undefined || BigInt.asIntN(64, value) !== value)
    throw new FilterError(`${name} is not a whole number`)
  return value > 0n ? value : otherwise
}
