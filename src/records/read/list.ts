import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { listFault } from '../../db/errors.ts'
import type { RequestInfo } from '../../request/request.ts'
import { readRuleFor } from '../../rules/access.ts'
import { columnsOf, type RecordRow } from '../columns.ts'
import { answerRecords } from '../expand/answer.ts'
import type { Extensions } from '../extension.ts'
import { checkAuthFresh, checkAuthVersion } from '../fresh-auth.ts'
import { readRows } from '../read-rows.ts'
import { pickEach } from '../render/pick.ts'
import { compileList, type ListQuery } from './compile-list.ts'

/**
 * A page of a collection's records as the JSON text of an answer, by the query's `page`, `perPage`,
 * `skipTotal`, `sort`, `filter`, `expand` and `fields`. What the listRule keeps from the caller is not in it.
 * Throws 403 for a listRule of null, 400 for anything wrong in the query, StaleAuth when the caller's record
 * has changed. PocketBase: apis/record_crud.go, recordsList; contract 3.1
 */
export async function listRecords(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  request: RequestInfo,
): Promise<string> {
  const extension = extensions.get(collection.id)
  const rule = readRuleFor(collection, 'listRule', request.auth, extension?.authRequired)
  const query = await compileList(store, extension, collection, rule, request)
  const page = await findPage(store, query, request)
  return renderPage(store, query, page, request)
}

/** The rows of a page. */
interface FoundPage {
  readonly rows: readonly RecordRow[]
  /** -1 when it was not to be counted. */
  readonly total: number
}

/** Runs the statement of a list. Throws 400 for what fails or takes too long, and StaleAuth. */
async function findPage(
  store: Store,
  { collection, page, statement }: ListQuery,
  request: RequestInfo,
): Promise<FoundPage> {
  const rows = statement ? await readRows(store, statement, request).catch(failList) : []
  const { id, count } = columnsOf(collection)
  const [first] = rows
  if (first) checkAuthVersion(request.auth, first[count + 1])
  else await checkAuthFresh(store, request.auth)
  const total = Number(first?.[count] ?? (page.skipTotal ? -1 : 0))
  // the one row of an empty page has the total alone
  return { rows: first?.[id] === null ? [] : rows, total }
}

function failList(error: unknown): never {
  throw listFault(error)
}

/** The JSON of a page, with the query's `expand` and `fields`. Throws 400 for too many records or bytes. */
async function renderPage(
  store: Store,
  { collection, page: { page, perPage } }: ListQuery,
  { rows, total }: FoundPage,
  request: RequestInfo,
): Promise<string> {
  const whole = await answerRecords(store, collection, rows, request)
  const { fields } = request.query
  const items = fields ? pickEach(whole, fields) : whole
  if (!items) return ''
  // strings put together by `+` are copied once, when the answer is sent; `join` would copy them here
  let text = '{"items":['
  let comma = ''
  for (const item of items) {
    text += comma + item
    comma = ','
  }
  const pages = total < 0 ? -1 : Math.ceil(total / perPage)
  return `${text}],"page":${page},"perPage":${perPage},"totalItems":${total},"totalPages":${pages}}`
}
