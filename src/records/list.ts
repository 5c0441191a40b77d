import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { isSqlError } from '../db/errors.ts'
import { badRequest } from '../errors.ts'
import { type Compiled, compile } from '../filter/compile.ts'
import { FilterError } from '../filter/errors.ts'
import type { RequestInfo } from '../filter/request.ts'
import { ruleFor } from '../rules/access.ts'
import { answerRecords } from './answer.ts'
import { columnsOf, type Row } from './columns.ts'
import { refuseGuest } from './entry.ts'
import type { Extensions } from './extension.ts'
import { checkFresh, checkVersion } from './guard.ts'
import { listStatement } from './list-statement.ts'
import { type Page, readPage } from './page.ts'
import { pickFields } from './pick.ts'
import { statementName } from './select.ts'

/**
 * Sorts that get a named statement, which Postgres may plan once for all values: there are only as many as fields.
 * With a client's filter such a plan may be a hundred times slower than one for the values at hand.
 */
const PLAIN_SORT = /^(?:[-+]?(?:\w+|@rowid))?$/

/** What the database says to a list. */
interface Found {
  readonly rows: readonly Row[]
  /** -1 when it was not to be counted. */
  readonly total: number
}

/**
 * A page of a collection's records as the JSON text of an answer, by the query's `page`, `perPage`, `skipTotal`,
 * `sort`, `filter`, `expand` and `fields`. What the listRule keeps from the requester is not in it. Throws 403 for a
 * listRule of null, 400 for anything wrong in the query, StaleAuth when the requester's own record has changed.
 * PocketBase: apis/record_crud.go, recordsList; contract 3.1
 */
export async function listRecords(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  request: RequestInfo,
): Promise<string> {
  refuseGuest(extensions, collection, request)
  const { filter = '', sort = '', fields } = request.query
  const rule = ruleFor(collection, 'listRule', request.auth)
  const compiled = compileList(store, collection, rule, filter, sort, request)
  const page = readPage(request.query, extensions.get(collection.id)?.maxPerPage)
  const found = await findRows(store, collection, compiled, page, request)
  const items = await answerRecords(store, collection, found.rows, request)
  const text = listText(items, page, found.total)
  return fields ? pickFields(text, fields, 'items') : text
}

function compileList(
  store: Store,
  collection: Collection,
  rule: string,
  filter: string,
  sort: string,
  request: RequestInfo,
): Compiled {
  try {
    return compile(store.catalog, { collection, rule, filter, sort, request })
  } catch (error) {
    throw error instanceof FilterError ? badRequest() : error
  }
}

async function findRows(
  store: Store,
  collection: Collection,
  compiled: Compiled,
  page: Page,
  request: RequestInfo,
): Promise<Found> {
  const { auth } = request
  if (compiled.never) {
    await checkFresh(store, auth)
    return { rows: [], total: page.skipTotal ? -1 : 0 }
  }
  const isPlannedOnce = !request.query.filter && PLAIN_SORT.test(request.query.sort ?? '')
  const { text, params } = listStatement(collection, compiled, page, auth, isPlannedOnce)
  const name = isPlannedOnce ? statementName(store.catalog, text) : undefined
  const rows = await queryRows(store, text, params, name)
  const { id, count } = columnsOf(collection)
  const [first] = rows
  if (!first) await checkFresh(store, auth)
  else checkVersion(auth, first[count + 1])
  const total = first ? Number(first[count]) : page.skipTotal ? -1 : 0
  return { rows: first?.[id] === null ? [] : rows, total }
}

async function queryRows(
  store: Store,
  text: string,
  params: readonly unknown[],
  name: string | undefined,
): Promise<readonly Row[]> {
  try {
    return (await store.db.query(text, params, name)).rows as unknown as Row[]
  } catch (error) {
    throw isSqlError(error) ? badRequest() : error
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
