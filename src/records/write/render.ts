import { writeSorted } from '../../fields/values/json-text.ts'
import { AnswerMeter } from '../../request/answer-meter.ts'
import { changeRequest } from '../../request/request.ts'
import { toRow } from '../columns.ts'
import { answerRecord } from '../expand/answer.ts'
import type { Write } from './prepare-write.ts'
import type { Extra } from './store.ts'

/** The write is committed but its answer failed (`cause`): it must not be repeated. */
export class StoredWithoutAnswer extends Error {
  override name = 'StoredWithoutAnswer'
}

/**
 * JSON of a written record. In a transaction it takes memory, else nothing is stored. After the commit it is
 * never refused, and throws StoredWithoutAnswer if it fails.
 */
export async function renderWrite(write: Write, extra: Extra): Promise<string> {
  const { store, collection, values, request } = write
  const row = toRow(collection, values)
  if (store.db.inTransaction) {
    // a rule that fails drops an expand; it must not end the transaction, whose commit would store nothing
    const mayFail = Boolean(request.query.expand) || (collection.type === 'auth' && collection.manageRule)
    if (mayFail) await store.db.query('savepoint rendered')
    const text = await answerRecord(store, collection, row, request)
    if (mayFail) await store.db.query('rollback to savepoint rendered')
    return Object.keys(extra).length === 0 ? text : writeSorted({ ...JSON.parse(text), ...extra })
  }
  try {
    return await answerRecord(store, collection, row, changeRequest(request, { meter: new AnswerMeter() }))
  } catch (error) {
    throw new StoredWithoutAnswer('The answer of a stored record failed', { cause: error })
  }
}
