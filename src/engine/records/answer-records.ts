import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { RequestInfo } from '../request/request.ts'
import { expandRecords, readExpand } from './expand.ts'
import { addVisibility } from './field-visibility.ts'
import type { RecordRow } from './record-row.ts'
import { writeRecords } from './render.ts'

/** Each row as JSON, with visible fields and expanded records. Throws 400 for too many records or bytes. */
export async function answerRecords(
  store: Store,
  collection: Collection,
  rows: readonly RecordRow[],
  request: RequestInfo,
  extra?: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const found = await addVisibility(store, collection, rows, request)
  const shown = extra ? found.map((one) => ({ ...one, extra })) : found
  const { expand } = request.query
  if (expand) await expandRecords(store, shown, readExpand(expand), request)
  return writeRecords(shown, request)
}

/** `extra`: members of the answer that the record does not have. */
export async function answerRecord(
  store: Store,
  collection: Collection,
  row: RecordRow,
  request: RequestInfo,
  extra?: Readonly<Record<string, unknown>>,
): Promise<string> {
  const [text] = await answerRecords(store, collection, [row], request, extra)
  return text!
}
