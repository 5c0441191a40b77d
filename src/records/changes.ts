import type { Collection, Store } from '../collections/catalog.ts'

export type Action = 'create' | 'update' | 'delete'

/** SQL of a CTE that logs the rows of the CTE `written`; `whole`: with all their columns. */
export function changeLogCte(
  written: string,
  action: Action,
  collection: number | string,
  name = 'noted',
  whole = action === 'delete',
): string {
  // `.*`, because a field may have the CTE's name.
  const image = whole ? `row_to_json(${written}.*)` : 'null'
  const id = typeof collection === 'number' ? `$${collection}::text` : `'${collection}'`
  return `${name} as (insert into _changes (collection, action, record, image)
    select ${id}, '${action}', ${written}.id, ${image} from ${written}
    where exists (select 1 from _listeners where ${id} <> all (ignored)))`
}

/** Logs changes in their transaction, if there are listeners, without an image of the record. */
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
