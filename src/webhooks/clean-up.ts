import type { Store } from '../collections/catalog.ts'
import { formatDate } from '../fields/types/date.ts'
import { deleteRecords } from '../records/write/cascade.ts'
import { DELIVERIES, deliveriesExtension } from './extensions.ts'

/** Records a transaction deletes. */
const CHUNK = 500
const DAY_MS = 86_400_000

/** The eldest are the first of the table; what still waits stays. */
const OLD = `
select id from (
  select id, created, status from webhook_deliveries order by _rowid limit ${CHUNK}
) d where d.created < $1 and d.status <> 'pending'`

/** Deletes some of the deliveries that are older than `days`. Call it now and then. */
export async function cleanUpDeliveries(store: Store, days: number): Promise<void> {
  const before = formatDate(new Date(Date.now() - days * DAY_MS))
  while ((await deleteSome(store, before)) > 0);
}

const EXTENSIONS = new Map([[DELIVERIES, deliveriesExtension]])

function deleteSome(store: Store, before: string): Promise<number> {
  return store.db.transaction(async (db) => {
    const { rows } = await db.query(OLD, [before])
    const collection = store.catalog.find(DELIVERIES)
    if (!collection || rows.length === 0) return 0
    const ids = rows.map(([id]) => String(id))
    await deleteRecords({ db, catalog: store.catalog }, EXTENSIONS, collection, ids)
    return ids.length
  })
}
