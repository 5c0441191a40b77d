import type pg from 'pg'
import type { Result } from './backend.ts'

/**
 * Sends one statement through the driver: rows as arrays, a prepared one by its `name`. Postgres refuses a
 * second one in the text: with a `;` in it, it goes out by the extended protocol, which has one statement a
 * message.
 *
 * The driver's own promise keeps the rows of a statement in memory until the next full garbage collection,
 * for as long as its connection is busy: a third of the rate of large lists. Its callback does not.
 * `patienceMs`: when to give up a connection that does not answer; undefined: its own limit.
 */
export async function runStatement(
  client: Pick<pg.ClientBase, 'query'>,
  text: string,
  params: readonly unknown[] = [],
  name?: string,
  patienceMs?: number,
): Promise<Result> {
  const statement: pg.QueryArrayConfig = {
    text,
    values: params as unknown[],
    rowMode: 'array',
    ...(name && { name }),
    ...(patienceMs && { query_timeout: patienceMs }),
    ...(text.includes(';') && { queryMode: 'extended' as const }),
  }
  const { rows, fields, rowCount } = await new Promise<pg.QueryArrayResult>((resolve, reject) => {
    client.query(statement, (error: Error | null, result) => (error ? reject(error) : resolve(result)))
  }).catch((error: Error) => {
    // else it leads to the driver's socket
    Error.captureStackTrace(error)
    throw error
  })
  return { rows, columns: fields.map((field) => field.name), count: rowCount ?? 0 }
}
