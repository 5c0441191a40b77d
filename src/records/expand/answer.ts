import type { Collection, Store } from '../../collections/catalog.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { RecordRow } from '../columns.ts'
import { prepareRows, writeRecords } from '../render/render.ts'
import { expandRecords, readExpand } from './expand.ts'

/** The rows' visible fields and the query's `expand` as JSON. Throws 400 for too many records or bytes. */
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

export async function answerRecord(
  store: Store,
  collection: Collection,
  row: RecordRow,
  request: RequestInfo,
): Promise<string> {
  const [text] = await answerRecords(store, collection, [row], request)
  return text!
}
