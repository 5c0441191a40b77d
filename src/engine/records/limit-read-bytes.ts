import { isSqlError } from '../../platform/db/database-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Collection } from '../collections/collection.ts'
import type { AnswerMeter } from '../request/answer-limit.ts'
import { columnsOf, type RecordRow } from './record-row.ts'
import { rowSizeOf } from './row-size.ts'

/** Text in the database error that guarded SQL raises for rows with too many bytes. */
const MARK = 'more bytes than allowed: '
const INVALID_TEXT = '22P02'

/** SQL that raises an error at a row if the rows before it exceed the bytes in the last parameter. */
export function writeGuardedSql(
  collection: Collection,
  {
    text,
    values,
    extra,
  }: { readonly text: string; readonly values: number; readonly extra: number },
): string {
  const names = Array.from({ length: columnsOf(collection).count + extra }, (_, i) => `c${i}`)
  const columns = names.join(', ')
  return `SELECT ${columns}, CASE WHEN upto - size <= $${values + 1}::bigint THEN upto ELSE ('${MARK}' || upto)::bigint END
    FROM (SELECT *, sum(size) OVER (ROWS UNBOUNDED PRECEDING) AS upto
      FROM (SELECT *, ${rowSizeOf(collection).sql} AS size FROM (${text}) r(${columns})) s) t`
}

const isOverByteLimit = (error: unknown): boolean =>
  isSqlError(error, INVALID_TEXT) && error.message.includes(MARK)

/** Reads the bytes that `meter` has reserved. If rows have more, reserves the maximum and reads again. */
export function readGuarded(
  db: Db,
  meter: AnswerMeter,
  read: (limit: number) => Promise<readonly RecordRow[]>,
) {
  const readCounted = async () => {
    const rows = await read(meter.unread)
    meter.addRead(Number(rows.at(-1)?.at(-1) ?? 0))
    return rows
  }
  return meter.inTurn(async () => {
    try {
      return await readCounted()
    } catch (error) {
      if (!isOverByteLimit(error)) throw error
      // the error has aborted the transaction: `beginAgain` throws, so that the caller repeats it
      if (db.inTransaction) meter.beginAgain()
      await meter.takeAll()
    }
    return readCounted().catch((error: unknown) => {
      throw isOverByteLimit(error) ? meter.tooLarge() : error
    })
  })
}
