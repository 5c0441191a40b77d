import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'

/** What was done to a record. */
export type Action = 'create' | 'update' | 'delete'

/**
 * SQL of a CTE that notes what a statement wrote, in the same round trip: `written` is the name of the CTE
 * with the written rows, `$position` the collection's id. While nobody listens it writes nothing and costs
 * one look into an empty table. `name`: of this CTE, where a statement has several. `whole`: `written` has
 * all columns, as it must for a delete; of others the id is enough, then the row is read once more while
 * somebody listens.
 */
export function changeLogCte(
  written: string,
  action: Action,
  position: number,
  name = 'noted',
  whole = action === 'delete',
): string {
  // with `.*`, since a field may have the name of the CTE
  const image = whole ? `row_to_json(${written}.*)` : 'null'
  return `${name} as (insert into _changes (collection, action, record, image)
    select $${position}::text, '${action}', ${written}.id, ${image} from ${written}
    where exists (select 1 from _listeners))`
}

/**
 * Notes that records of a collection were changed, in the transaction of the change: subscribers on all nodes
 * hear of it after the commit. Writes nothing while nobody listens. For a delete, `deleted` holds the last
 * values of each record by column name, in the order of `ids`.
 */
export async function logChange(
  store: Pick<Store, 'db'>,
  collection: Pick<Collection, 'id'>,
  action: Action,
  ids: string | readonly string[],
  deleted: readonly Readonly<Record<string, unknown>>[] = [],
): Promise<void> {
  const list = typeof ids === 'string' ? [ids] : ids
  if (list.length === 0) return
  await store.db.query(
    `insert into _changes (collection, action, record, image)
    select $1, $2, t.id, t.deleted::json from unnest($3::text[], $4::text[]) t(id, deleted)
    where exists (select 1 from _listeners)`,
    [collection.id, action, list, deleted.map((values) => JSON.stringify(values))],
    'note change',
  )
}
