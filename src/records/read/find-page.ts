import type { Store } from '../../collections/catalog.ts'
import { listFault } from '../../db/errors.ts'
import type { RequestInfo } from '../../request/request.ts'
import { columnsOf, type RecordRow } from '../columns.ts'
import { checkAuthFresh, checkAuthVersion } from '../fresh-auth.ts'
import { readRows } from '../read-rows.ts'
import type { ListQuery } from './compile-list.ts'

/** The rows of a page. */
export interface FoundPage {
  readonly rows: readonly RecordRow[]
  /** -1 when it was not to be counted. */
  readonly total: number
}

/** Runs the statement of a list. Throws 400 for what fails or takes too long, and StaleAuth. */
export async function findPage(
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
