import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { formatDate } from '../../engine/fields/parse-date.ts'
import { deleteRecords } from '../../engine/records/cascade.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { DELIVERIES, deliveriesExtension } from './webhook-extensions.ts'

const CHUNK = 500
const DAY_MS = 86_400_000

/** Among the oldest CHUNK deliveries, selects those that were created before `date` and are not pending. */
const selectOldDeliveries = (db: Db, date: string) =>
  queries(db)
    .selectFrom(({ selectFrom }) =>
      selectFrom('webhook_deliveries')
        .select(['id', 'created', 'status'])
        .orderBy('_rowid')
        .limit(sql.lit(CHUNK))
        .as('d'),
    )
    .select('id')
    .where('created', '<', date)
    .where('status', '<>', 'pending')

/** Deletes deliveries that are older than `days` and not pending, in chunks. */
export async function cleanUpDeliveries(store: Store, days: number): Promise<void> {
  const before = formatDate(new Date(Date.now() - days * DAY_MS))
  const collection = store.catalog.find(DELIVERIES)
  if (!collection) return
  const extensions = new Map([[DELIVERIES, deliveriesExtension]])
  const deleteSome = () =>
    store.db.transaction(async (db) => {
      const ids = (await selectOldDeliveries(db, before).execute()).map(({ id }) => id)
      await deleteRecords({ db, catalog: store.catalog }, extensions, collection, ids)
      return ids.length
    })
  while ((await deleteSome()) > 0);
}
