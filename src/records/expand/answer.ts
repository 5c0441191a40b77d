import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { type AnswerMeter, checkPicked, MAX_ANSWER_BYTES } from '../../request/answer-meter.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { RecordRow } from '../columns.ts'
import { meterOf } from '../guarded-read.ts'
import { prepareRows, type RenderedRecord, renderedText } from '../render/rendered-record.ts'
import { expandRecords } from './expand.ts'
import { readExpand } from './expand-paths.ts'

/**
 * Rows of one collection as the JSON texts of an answer to this request: what the requester may see of them,
 * and what the query's `expand` asks for. Nothing is checked but that: whether he may see the rows at all is
 * the caller's. Throws 400 when the answer would have too many records or bytes.
 * PocketBase: apis/record_helpers.go, EnrichRecords
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

/**
 * The texts, counted as they are written. A record alone in its answer may be as large as its fields allow.
 */
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
  // a character has up to three bytes per unit of a string
  const bytes =
    length > MAX_ANSWER_BYTES / 3 ? texts.reduce((sum, one) => sum + Buffer.byteLength(one), 0) : length
  if (isAlone) meter.checkAlone(bytes)
  else meter.check(bytes)
  meter.addWritten(bytes)
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
