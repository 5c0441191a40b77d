import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { type AnswerMeter, checkPicked, MAX_ANSWER_BYTES, meterOf } from '../../request/answer-meter.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { RecordRow } from '../columns.ts'
import { prepareRows, type RenderedRecord, renderedText } from '../render/render.ts'
import { expandRecords } from './expand.ts'
import { readExpand } from './expand-paths.ts'

/**
 * Renders rows as JSON for this request: visible fields and the query's `expand`. Whether the caller may see
 * the rows was checked before. Throws 400 for too many records or bytes. PocketBase: apis/record_helpers.go,
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
  return writeAll(shown, meterOf(request), Boolean(request.query.fields))
}

/** Writes all records and counts their size. A single record may be as large as its fields allow. */
function writeAll(shown: readonly RenderedRecord[], meter: AnswerMeter, isPicked: boolean): string[] {
  let length = 0
  const check = (more: number) => meter.check(length + more)
  const isAlone = shown.length === 1 && !shown[0]!.expanded
  const texts = shown.map((one) => {
    const text = renderedText(one, check)
    if (!isAlone) check(text.length)
    if (!isAlone && isPicked) checkPicked(text.length)
    length += text.length
    return text
  })
  // A UTF-16 unit has at most three bytes in UTF-8.
  const bytes =
    length > MAX_ANSWER_BYTES / 3 ? texts.reduce((sum, one) => sum + Buffer.byteLength(one), 0) : length
  meter.addWritten(bytes, isAlone)
  return texts
}

/** The same for one row. */
export async function answerRecord(
  store: Store,
  collection: Collection,
  row: RecordRow,
  request: RequestInfo,
): Promise<string> {
  const [text] = await answerRecords(store, collection, [row], request)
  return text!
}
