import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { AnswerMeter } from '../../request/answer-meter.ts'
import { changeRequest } from '../../request/late-request.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { RecordRow } from '../columns.ts'
import { answerRecord } from '../expand/answer.ts'

/** The write is committed, but its answer could not be made (`cause` says why): it must not be repeated. */
export class StoredWithoutAnswer extends Error {
  override name = 'StoredWithoutAnswer'
}

/**
 * The JSON text of a record that was written just now. In a transaction it waits for memory as any answer
 * does: then all of it runs again. Once the write is committed it must not run again, so the answer does not
 * wait: whoever sends it counts it. Throws StoredWithoutAnswer if it cannot be made then.
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
