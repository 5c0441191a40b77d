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

/** A guarded statement and its parameters but the last. */
interface GuardedStatement {
  readonly text: string
  readonly params: readonly unknown[]
  /** The client to whom it is charged. */
  readonly client: Ticket | undefined
  /** Runs the statement with all parameters. */
  readonly read: (params: readonly unknown[]) => Promise<readonly RecordRow[]>
}

/**
 * Runs a guarded statement within the meter's remaining bytes. If they are not enough, the database counts
 * the bytes and the statement runs again with room for them. Throws 400 for more than an answer may have,
 * LargeAnswer if there is no room now or a transaction must be repeated.
 */
export function readGuarded(
  store: Store,
  meter: AnswerMeter,
  { text, params, client, read }: GuardedStatement,
): Promise<readonly RecordRow[]> {
  const countBytes = async (limit: number) => {
    const { rows } = await store.db.queryFor(client, `SELECT max(total) FROM (${text}) g`, [...params, limit])
    return Number(rows[0]![0] ?? 0)
  }
  return meter.inTurn(async () => {
    for (;;) {
      try {
        const rows = await read([...params, meter.unread])
        meter.addRead(Number(rows.at(-1)?.at(-1) ?? 0))
        return rows
      } catch (error) {
        if (!isOverGuard(error)) throw error
        // An error ends a transaction.
        if (store.db.inTransaction) meter.beginAgain()
        await makeRoom(meter, countBytes)
      }
    }
  })
}

async function makeRoom(meter: AnswerMeter, countBytes: (limit: number) => Promise<number>): Promise<void> {
  try {
    meter.makeRoom(await countBytes(meter.readable))
  } catch (error) {
    throw isOverGuard(error) ? meter.tooLarge() : error
  }
}
