import type pg from 'pg'
import type { Result } from './backend.ts'

/**
 * Sends one statement through the driver: rows as arrays, a prepared one by its `name`. Postgres refuses a second one
 * in the text: with a `;` in it, it goes out by the extended protocol, which has one statement a message.
 */
export async function ask(
  client: Pick<pg.ClientBase, 'query'>,
  text: string,
  params: readonly unknown[] = [],
  name?: string,
): Promise<Result> {
  const { rows, fields, rowCount } = await client.query({
    text,
    values: params as unknown[],
    rowMode: 'array',
    ...(name && { name }),
    ...(text.includes(';') && { queryMode: 'extended' as const }),
  })
  return { rows, columns: fields.map((field) => field.name), count: rowCount ?? 0 }
}
