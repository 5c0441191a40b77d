import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { StatementClient } from '../db/client/statement-client.ts'
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
 * there, called `total`.
 */
export function guardedSql(collection: Collection, text: string, extra: number, position: number): string {
  const names = Array.from({ length: columnsOf(collection).count + extra }, (_, i) => `c${i}`)
  const columns = names.join(', ')
  return `SELECT ${columns}, CASE WHEN upto - size <= $${position}::bigint THEN upto ELSE ('${MARK}' || upto)::bigint END AS total
    FROM (SELECT *, sum(size) OVER (ROWS UNBOUNDED PRECEDING) AS upto
      FROM (SELECT *, ${rowSizeOf(collection).sql} AS size FROM (${text}) r(${columns})) s) t`
}

export const isOverGuard = (error: unknown): boolean =>
  isSqlError(error, INVALID_TEXT) && error.message.includes(MARK)

/** The meter of a request; one that only knows the ceilings where nobody has given it one. */
export const meterOf = (request: RequestInfo): AnswerMeter => request.meter ?? new AnswerMeter()

/** How a statement is run. */
interface Reading {
  /** Whose statement it is. */
  readonly client: StatementClient | undefined
  /** Of a prepared statement. */
  readonly name?: string | undefined
  /** It reads few rows by their keys. */
  readonly isLookUp?: boolean
}

/** A function that runs a statement of records with the values of all its parameters. */
export const readerOf =
  ({ db }: Store, text: string, { client, name, isLookUp }: Reading) =>
  async (params: readonly unknown[]): Promise<readonly RecordRow[]> => {
    const { rows } = isLookUp
      ? await db.lookUp(text, params, name)
      : await db.queryFor(client, text, params, name)
    return rows as unknown as RecordRow[]
  }

/** A guarded statement, with the values of its parameters but the last. */
interface GuardedStatement {
  readonly text: string
  readonly params: readonly unknown[]
  /** Whose statement it is. */
  readonly client: StatementClient | undefined
  /** Runs the statement with all its parameters. */
  readonly read: (params: readonly unknown[]) => Promise<readonly RecordRow[]>
}

/**
 * Runs a guarded statement with the room that the meter has left. Where that does not suffice, the database
 * counts the bytes, which takes no memory of ours, and it runs again with room for them. Throws 400 when they
 * are more than an answer may have, LargeAnswer when there is no room now, or a transaction has to begin
 * again.
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
        // an error ends a transaction
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
