import type { Extension } from '../../records/extension.ts'
import { cancelWaiting } from '../queue/cancel.ts'

/** Locks campaigns first, as a pause does. Skips finished, settled ones: they have no waiting messages. */
const UNFINISHED = `
select "user", batch from campaigns c
cross join lateral (select json_array_elements_text(c.batches) union select c.former_batch) b(batch)
where c.id = any($1::text[]) and batch <> '' and not (c.settled and c.status in ('done', 'canceled', 'failed'))
order by c.id for update of c`

/** The extension of campaigns. Cancels the waiting messages of a deleted campaign. */
export const campaignsExtension: Extension = {
  readsStrictly: true,
  async beforeDelete(store, ids) {
    const { rows } = await store.db.query(UNFINISHED, [ids])
    for (const [user, batch] of rows) await cancelWaiting(store, String(user), String(batch))
  },
}
