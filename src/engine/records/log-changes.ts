import { type QueryCreator, sql } from 'kysely'
import type { Tables } from '../../platform/db/tables.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'

type Written = Tables & { written: { id: string } }

export type Action = 'create' | 'update' | 'delete'

/** SQL of a CTE that logs the rows of the CTE `written` in `_changes`. `whole`: with all their columns. */
export function changeLogCte(
  written: string,
  action: Action,
  collection: number | string,
  name = 'noted',
  whole = action === 'delete',
): string {
  // `.*` means the row even if it has a column named like the CTE
  const image = whole ? `row_to_json(${written}.*)` : 'null'
  const id = typeof collection === 'number' ? `$${collection}::text` : `'${collection}'`
  return `${name} as (insert into _changes (collection, action, record, image)
    select ${id}, '${action}', ${written}.id, ${image} from ${written}
    where exists (select 1 from _listeners where ${id} <> all (ignored)))`
}

/** The query of a CTE that logs the rows of the CTE `written` in `_changes`: all `columns` or their `ids`. */
export const noteChanges =
  (action: Action, collection: string, kept: 'columns' | 'ids' = 'columns') =>
  (query: QueryCreator<Written>) =>
    query
      .insertInto('_changes')
      .columns(['collection', 'action', 'record', 'image'])
      .expression((from) =>
        from
          .selectFrom('written')
          .select([
            sql.lit(collection).as('collection'),
            sql.lit(action).as('action'),
            'written.id',
            sql<string | null>`case when ${sql.lit(kept === 'columns')} then row_to_json(written.*) end`.as(
              'image',
            ),
          ])
          .where(sql<boolean>`exists (select from _listeners where ${sql.lit(collection)} <> all (ignored))`),
      )

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
