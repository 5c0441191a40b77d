import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../collections/catalog.ts'
import { quoted } from '../../db/partitions/make-like.ts'
import type { Extensions } from '../../records/extension.ts'
import { releaseRecords } from '../../records/write/cascade.ts'
import { referencesTo } from '../../records/write/references.ts'

const BATCH = 1_000
const PAUSE_MS = 50

/** Messages before events: what follows from a message deletes its events of later months. */
const GONE = `
select relname from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'
  and relname ~ '^sms_(messages|events)_\\d{4}_\\d{2}_gone$' and not relispartition
order by relname like 'sms_events%', relname`

/**
 * Cleans up what depends on the rows of detached months, as deleting them one by one would do, in batches,
 * then drops the months. The last `_rowid` that is done is the table's comment: whoever ends this in the
 * middle loses nothing.
 */
export async function forgetMonths(
  store: Store,
  extensions: Extensions,
  signal?: AbortSignal,
): Promise<void> {
  for (const [name] of (await store.db.query(GONE)).rows) {
    const gone = String(name)
    const collection = store.catalog.find(gone.startsWith('sms_events') ? 'sms_events' : 'sms_messages')!
    const isReferred =
      referencesTo(store.catalog, collection).length > 0 || extensions.get(collection.id)?.afterDelete
    while (isReferred && !signal?.aborted && (await forgetBatch(store, extensions, gone)))
      await sleep(PAUSE_MS)
    if (signal?.aborted) return
    await store.db.query(`drop table ${quoted(gone)}`)
  }
}

/** Whether there was anything left to do. */
async function forgetBatch(store: Store, extensions: Extensions, gone: string): Promise<boolean> {
  const isMessages = gone.startsWith('sms_messages')
  const collection = store.catalog.find(isMessages ? 'sms_messages' : 'sms_events')!
  const kept = gone.replace(/_gone$/, '_kept')
  return store.db.transaction(async (db) => {
    const hasKept = (await db.query('select to_regclass($1) is not null', [kept])).rows[0]![0] === true
    const isKept = hasKept ? `exists (select from ${quoted(kept)} k where k.id = g.id)` : 'false'
    const { rows } = await db.query(
      `select g._rowid::text, g.id, ${isMessages ? 'g.batch_id' : `''`}, ${isKept} from ${quoted(gone)} g
       where g._rowid > coalesce(obj_description($1::regclass, 'pg_class'), '-1')::int8 order by g._rowid limit ${BATCH}`,
      [gone],
    )
    if (rows.length === 0) return false
    const going = rows.filter(([, , , stays]) => stays !== true)
    const ids = going.map(([, id]) => String(id))
    if (ids.length > 0) await releaseRecords({ db, catalog: store.catalog }, extensions, collection, ids)
    if (isMessages)
      await db.query('select sms_messages_forget($1::text[], $2::text[])', [
        ids,
        [...new Set(going.map(([, , batch]) => String(batch)))],
      ])
    // what would be told of them: events, deliveries and messages, each by itself
    await db.query('delete from _changes where xid = pg_current_xact_id()')
    await db.script(`comment on table ${quoted(gone)} is '${Number(rows.at(-1)![0])}'`)
    return true
  })
}
