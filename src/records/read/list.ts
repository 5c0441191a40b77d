import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { columnName, quote, tableName } from '../../collections/names.ts'
import { listFault } from '../../db/errors.ts'
import { badRequest } from '../../errors.ts'
import { compile } from '../../filter/compile/compile.ts'
import type { CompiledFilter } from '../../filter/compile/compiled-filter.ts'
import { MAX_RELATED } from '../../filter/compile/write-template.ts'
import { FilterError } from '../../filter/errors.ts'
import type { RequestInfo } from '../../request/request.ts'
import { ruleFor } from '../../rules/access.ts'
import { clientOf } from '../client-shaped.ts'
import { columnsOf, type RecordRow } from '../columns.ts'
import { answerRecords } from '../expand/answer.ts'
import type { Extension, Extensions } from '../extension.ts'
import { checkAuthFresh, checkAuthVersion } from '../fresh-auth.ts'
import { guardedSql, meterOf, readerOf, readGuarded } from '../guarded-read.ts'
import { pickEach } from '../render/pick.ts'
import { rowSizeOf } from '../row-size.ts'
import { statementName } from '../select.ts'
import { listStatement } from './list-statement.ts'
import { type Page, readPage } from './page.ts'
import { isDeep, isPlannedOnce, isShortIndexScan, searchedOwner, singleEqualityColumn } from './query-plan.ts'
import { checkAuthRequired } from './require-auth.ts'

/** A page whose rows cannot have more bytes than this is read without counting them. */
const UNGUARDED_BYTES = 8 << 20
/** The same where all fields are short: rows are hardly ever as large as all their limits together. */
const UNGUARDED_SHORT_BYTES = 48 << 20

/** What is known of a list before it is asked for. */
interface Known {
  /** SQL of the total. */
  readonly total?: string | undefined
  /** See searchedOwner. */
  readonly searched?: string | undefined
}

/** What the database says to a list. */
interface Found {
  readonly rows: readonly RecordRow[]
  /** -1 when it was not to be counted. */
  readonly total: number
}

/**
 * A page of a collection's records as the JSON text of an answer, by the query's `page`, `perPage`,
 * `skipTotal`, `sort`, `filter`, `expand` and `fields`. What the listRule keeps from the requester is not in
 * it. Throws 403 for a listRule of null, 400 for anything wrong in the query, StaleAuth when the requester's
 * own record has changed.
 * PocketBase: apis/record_crud.go, recordsList; contract 3.1
 */
export async function listRecords(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  request: RequestInfo,
): Promise<string> {
  checkAuthRequired(extensions, collection, request)
  const { filter = '', sort = '', fields } = request.query
  const rule = ruleFor(collection, 'listRule', request.auth)
  const asked = compileList(store, collection, rule, filter, sort, request)
  const compiled = await relatedFirst(store, collection, asked, request)
  const extension = extensions.get(collection.id)
  const page = readPage(request.query, extension?.maxPerPage)
  const total = totalSql(collection, compiled, extension)
  const searched = searchedOwner(compiled.structure, page, extension?.search)
  const found = await findRows(store, collection, compiled, page, { total, searched }, request)
  const items = await answerRecords(store, collection, found.rows, request)
  if (!fields) return listText(items, page, found.total)
  const picked = pickEach(items, fields)
  return picked ? listText(picked, page, found.total) : ''
}

function compileList(
  store: Store,
  collection: Collection,
  rule: string,
  filter: string,
  sort: string,
  request: RequestInfo,
): CompiledFilter {
  try {
    return compile(store.catalog, { collection, rule, filter, sort, request })
  } catch (error) {
    throw error instanceof FilterError ? badRequest() : error
  }
}

/** Finds the records that a relation has to name, if they are few: the list is then one of a single table. */
async function relatedFirst(
  { db }: Store,
  collection: Collection,
  compiled: CompiledFilter,
  request: RequestInfo,
): Promise<CompiledFilter> {
  const question = compiled.relatedFirst
  if (!question || compiled.never) return compiled
  try {
    const { rows } = await db.queryFor(clientOf(collection, request), question.text, question.params)
    return rows.length > MAX_RELATED ? compiled : question.withIds(rows.map(([id]) => String(id)))
  } catch (error) {
    throw listFault(error)
  }
}

/** SQL of a total that need not be counted; NULL if it must be. */
function totalSql(
  collection: Collection,
  compiled: CompiledFilter,
  extension?: Extension,
): string | undefined {
  const total = extension?.total
  if (!total) return undefined
  const table = quote(tableName(collection))
  if (compiled.where === '') return total.sql(table)
  const isOfOne = singleEqualityColumn(compiled.structure) === columnName(total.by)
  return isOfOne ? total.sql(table, '$1') : undefined
}

async function findRows(
  store: Store,
  collection: Collection,
  compiled: CompiledFilter,
  page: Page,
  known: Known,
  request: RequestInfo,
): Promise<Found> {
  const { auth } = request
  const nothing = { rows: [], total: page.skipTotal ? -1 : 0 }
  if (compiled.never) {
    await checkAuthFresh(store, auth)
    return nothing
  }
  const rows = await askPage(store, collection, compiled, page, known, request)
  const { id, count } = columnsOf(collection)
  const [first] = rows
  if (!first) {
    await checkAuthFresh(store, auth)
    return nothing
  }
  checkAuthVersion(auth, first[count + 1])
  // unknown after all. A count in the same statement would be planned for each caller
  if (first[count] === null) return findRows(store, collection, compiled, page, {}, request)
  return { rows: first[id] === null ? [] : rows, total: Number(first[count]) }
}

async function askPage(
  store: Store,
  collection: Collection,
  compiled: CompiledFilter,
  page: Page,
  { total, searched }: Known,
  request: RequestInfo,
): Promise<readonly RecordRow[]> {
  const { auth, query } = request
  const { structure } = compiled
  // an OFFSET that a plan for all values does not know could make it sort
  const once = isPlannedOnce(collection, structure, Boolean(query.filter)) && !isDeep(structure, page)
  const { text: plain, params } = listStatement(collection, compiled, page, total, auth, once, searched)
  const { max, hasLarge } = rowSizeOf(collection)
  const isGuarded = page.perPage * max > (hasLarge ? UNGUARDED_BYTES : UNGUARDED_SHORT_BYTES)
  const text = isGuarded ? guardedSql(collection, plain, 2, params.length + 1) : plain
  const name = once ? statementName(store.catalog, text, Boolean(query.filter)) : undefined
  const countsNothing = page.skipTotal || Boolean(total)
  const isLookUp = countsNothing && name !== undefined && isShortIndexScan(collection, structure, page)
  // a total, and a page far from the first, take longer the more records there are
  const client = isLookUp ? undefined : request.client
  const read = readerOf(store, text, { client, name, isLookUp })
  try {
    return await (isGuarded
      ? readGuarded(store, meterOf(request), (limit) => read([...params, limit]))
      : read(params))
  } catch (error) {
    throw listFault(error)
  }
}

/** Strings put together by `+` are copied once, when the answer is sent; `join` would copy them here. */
function listText(items: readonly string[], { page, perPage }: Page, total: number): string {
  let text = '{"items":['
  let comma = ''
  for (const item of items) {
    text += comma + item
    comma = ','
  }
  const pages = total < 0 ? -1 : Math.ceil(total / perPage)
  return `${text}],"page":${page},"perPage":${perPage},"totalItems":${total},"totalPages":${pages}}`
}
