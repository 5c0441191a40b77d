import { type QueryCreator, sql } from 'kysely'
import type { Tables } from '../../platform/db/tables.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'

type Written = Tables & { written: { id: string } }

export type Action = 'create' | 'update' | 'delete'

/**
 * SQL that logs the rows of the CTE `written` in `_changes`, with all columns or only their ids. `table`:
 * that of updated rows, to log them as they were, too, which only transactions that delete need.
 */
const logWritten = (
  action: Action,
  collection: string,
  kept: 'columns' | 'ids' = 'columns',
  table?: string,
) =>
  // `.*` means the row even if it has a column named like the CTE
  `insert into _changes (collection, action, record, image${table ? ', former' : ''})
    select ${collection}, '${action}', written.id, ${kept === 'columns' ? 'row_to_json(written.*)' : 'null'}
      ${table ? `, (select row_to_json(t.*) from ${table} t where t.id = written.id)` : ''} from written
    where exists (select 1 from _listeners where ${collection} <> all (ignored))`

/**
 * SQL of a CTE that logs the rows of the CTE `written`. The parameter at `place` is the collection's id.
 * `table` as in `logWritten`.
 */
export const changeLogCte = (action: Action, place: number, table?: string): string =>
  `noted as (${logWritten(action, `$${place}::text`, 'columns', table)})`

/** The query of a CTE that logs the rows of the CTE `written` of a built-in collection. */
export const logQuery = (action: Action, collection: string, kept?: 'columns' | 'ids') =>
  sql<object>`(${sql.raw(logWritten(action, `'${collection}'`, kept))})`

/** The same for kysely's builder. */
export const logChanges =
  (...log: Parameters<typeof logQuery>) =>
  (_: QueryCreator<Written>) =>
    logQuery(...log)

/** Logs changes for realtime, without the records' values. Does nothing without subscribers. */
export async function logChange(
  store: Pick<Store, 'db'>,
  collection: Pick<Collection, 'id'>,
  action: Action,
  ids: string | readonly string[],
): Promise<void> {
  const list = typeof ids === 'string' ? [ids] : ids
  if (list.length === 0) return
  await store.db.query(
    `insert into _changes (collection, action, record) select $1, $2, id from unnest($3::text[]) id
    where exists (select 1 from _listeners where $1 <> all (ignored))`,
    [collection.id, action, list],
    'note change',
  )
}
