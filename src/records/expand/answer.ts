import type { Collection, Store } from '../../collections/catalog.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { RecordRow } from '../columns.ts'
import { prepareRows, writeRecords } from '../render/render.ts'
import { expandRecords, readExpand } from './expand.ts'

/**
 * Renders rows as JSON for this request: visible fields and the query's `expand`. The caller must be allowed
 * to see the rows. Throws 400 for too many records or bytes. PocketBase: apis/record_helpers.go,
 * EnrichRecords
 */
export async function answerRecords(
  store: Store,
  collection: Collection,
  rows: readonly RecordRow[],
  request: RequestInfo,
): Promise<string[]> {
  const shown = await prepareRows(store, collection, rows, request)
  const { expand } = request.query
  if (expand) await expandRecords(store, shown, readExpand(expand), request)
  return writeRecords(shown, request)
}

/** The JSON text of one record, as `answerRecords` writes it. */
export async function answerRecord(
  store: Store,
  collection: Collection,
  row: RecordRow,
  request: RequestInfo,
): Promise<string> {
  const [text] = await answerRecords(store, collection, [row], request)
  return text!
}
