import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { RequestInfo } from '../filter/request.ts'
import type { Row } from './columns.ts'
import { expandRecords } from './expand.ts'
import { readExpand } from './expand-paths.ts'
import { shownText, showRows } from './shown.ts'

/**
 * Rows of one collection as the JSON texts of an answer to this request: what the requester may see of them, and what
 * the query's `expand` asks for. Nothing is checked but that: whether he may see the rows at all is the caller's.
 * PocketBase: apis/record_helpers.go, EnrichRecords
 */
export async function answerRecords(
  store: Store,
  collection: Collection,
  rows: readonly Row[],
  request: RequestInfo,
): Promise<string[]> {
  const shown = await showRows(store, collection, rows, request)
  const { expand } = request.query
  if (expand) await expandRecords(store, shown, readExpand(expand), request)
  return shown.map(shownText)
}

/** The same for one row. */
export async function answerRecord(
  store: Store,
  collection: Collection,
  row: Row,
  request: RequestInfo,
): Promise<string> {
  const [text] = await answerRecords(store, collection, [row], request)
  return text!
}
