import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { isSqlError } from '../db/errors.ts'
import { AnswerMeter } from '../request/answer-meter.ts'
import type { RequestInfo } from '../request/request.ts'
import { columnsOf, type RecordRow } from './columns.ts'
import { rowSizeOf } from './row-size.ts'

/** In the error of a statement that found more bytes than it may read. */
const MARK = 'more bytes than allowed: '
const INVALID_TEXT = '22P02'

/**
 * A statement that ends with an error at the first row before which there were already `limit` bytes
 * (parameter `$position`), so that neither database nor driver ever holds more. `extra`: columns of the
 * statement behind those of the collection. One more column, at the end of each row, tells the bytes up to
 * there.
 */
export function guardedSql(collection: Collection, text: string, extra: number, position: number): string {
  const names = Array.from({ length: columnsOf(collection).count + extra }, (_, i) => `c${i}`)
  const columns = names.join(', ')
  return `SELECT ${columns}, CASE WHEN upto - size <= $${position}::bigint THEN upto ELSE ('${MARK}' || upto)::bigint END
    FROM (SELECT *, sum(size) OVER (ROWS UNBOUNDED PRECEDING) AS upto
      FROM (SELECT *, ${rowSizeOf(collection).sql} AS size FROM (${text}) r(${columns})) s) t`
}

export const isOverGuard = (error: unknown): boolean =>
  isSqlError(error, INVALID_TEXT) && error.message.includes(MARK)

/** The meter of a request; one that only knows the ceilings where nobody has given it one. */
export const meterOf = (request: RequestInfo): AnswerMeter => request.meter ?? new AnswerMeter()

/**
 * Runs a guarded statement with the room that the meter has left, again with more room while that does not
 * suffice. Throws 400 when the ceiling is reached, LargeAnswer when there is no room now, or a transaction
 * has to begin again.
 */
export function readGuarded(
  store: Store,
  meter: AnswerMeter,
  read: (limit: number) => Promise<readonly RecordRow[]>,
): Promise<readonly RecordRow[]> {
  return meter.inTurn(async () => {
    for (;;) {
      try {
        const rows = await read(meter.unread)
        meter.addRead(Number(rows.at(-1)?.at(-1) ?? 0))
        return rows
      } catch (error) {
        if (!isOverGuard(error)) throw error
        // an error ends a transaction
        meter.grow(!store.db.inTransaction)
      }
    }
  })
}
