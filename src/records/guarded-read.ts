import type { Ticket } from '../admission/ticket.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { isSqlError } from '../db/errors.ts'
import { AnswerMeter } from '../request/answer-meter.ts'
import type { RequestInfo } from '../request/request.ts'
import { columnsOf, type RecordRow } from './columns.ts'
import { rowSizeOf } from './row-size.ts'

/** Prefix of the error of a statement that exceeds its bytes. */
const MARK = 'more bytes than allowed: '
const INVALID_TEXT = '22P02'

/** Fails at the first row after `limit` bytes (`$position`). Adds the column `total`, bytes so far. */
export function guardedSql(collection: Collection, text: string, extra: number, position: number): string {
  const names = Array.from({ length: columnsOf(collection).count + extra }, (_, i) => `c${i}`)
  const columns = names.join(', ')
  return `SELECT ${columns}, CASE WHEN upto - size <= $${position}::bigint THEN upto ELSE ('${MARK}' || upto)::bigint END AS total
    FROM (SELECT *, sum(size) OVER (ROWS UNBOUNDED PRECEDING) AS upto
      FROM (SELECT *, ${rowSizeOf(collection).sql} AS size FROM (${text}) r(${columns})) s) t`
}

export const isOverGuard = (error: unknown): boolean =>
  isSqlError(error, INVALID_TEXT) && error.message.includes(MARK)

/** The meter of a request; a new one with only the ceilings if it has none. */
export const meterOf = (request: RequestInfo): AnswerMeter => request.meter ?? new AnswerMeter()

/** How a statement is run. */
interface Reading {
  /** The client to whom it is charged. */
  readonly client: Ticket | undefined
  /** Name of the prepared statement. */
  readonly name?: string | undefined
  /** It reads few rows by key. */
  readonly isLookUp?: boolean
}

/** Makes a function that runs a statement with its parameters. */
export const readerOf =
  ({ db }: Store, text: string, { client, name, isLookUp }: Reading) =>
  async (params: readonly unknown[]): Promise<readonly RecordRow[]> => {
    const { rows } = isLookUp
      ? await db.lookUp(text, params, name)
      : await db.queryFor(client, text, params, name)
    return rows as unknown as RecordRow[]
  }

/**
 * Runs a guarded statement within the meter's remaining bytes; once more with all that an answer may have
 * if they are not enough. `read` gets the limit in bytes. Throws 400 for more than an answer may have,
 * RetryLater without memory, LargeAnswer if a transaction must be repeated.
 */
export function readGuarded(
  { db }: Store,
  meter: AnswerMeter,
  read: (limit: number) => Promise<readonly RecordRow[]>,
): Promise<readonly RecordRow[]> {
  const readCounted = async () => {
    const rows = await read(meter.unread)
    meter.addRead(Number(rows.at(-1)?.at(-1) ?? 0))
    return rows
  }
  return meter.inTurn(async () => {
    try {
      return await readCounted()
    } catch (error) {
      if (!isOverGuard(error)) throw error
      // an error ends a transaction
      if (db.inTransaction) meter.beginAgain()
      await meter.takeAll()
    }
    return readCounted().catch((error: unknown) => {
      throw isOverGuard(error) ? meter.tooLarge() : error
    })
  })
}
