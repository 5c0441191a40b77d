import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { AnswerMeter } from '../../request/answer-meter.ts'
import { changeRequest } from '../../request/late-request.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { RecordRow } from '../columns.ts'
import { answerRecord } from '../expand/answer.ts'

/** The write is committed but its answer failed (`cause`): it must not be repeated. */
export class StoredWithoutAnswer extends Error {
  override name = 'StoredWithoutAnswer'
}

/**
 * JSON of a record that was just written. In a transaction it takes memory as every answer, and nothing is
 * stored if there is none. After the commit it is never refused; its size is counted when sent. Throws
 * StoredWithoutAnswer if it fails then.
 */
export async function answerWrite(
  store: Store,
  collection: Collection,
  row: RecordRow,
  request: RequestInfo,
): Promise<string> {
  if (store.db.inTransaction) return answerRecord(store, collection, row, request)
  try {
    return await answerRecord(store, collection, row, changeRequest(request, { meter: new AnswerMeter() }))
  } catch (error) {
    throw new StoredWithoutAnswer('The answer of a stored record failed', { cause: error })
  }
}
