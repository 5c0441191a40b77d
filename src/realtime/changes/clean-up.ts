import type { Store } from '../../collections/catalog.ts'
import { currentSnapshot } from './change-log.ts'
import { deleteSilentNodes } from './presence.ts'
import type { Snapshot } from './snapshot.ts'

/**
 * Makes a function that deletes the changes that existed at its previous run: every node has read them, or
 * restarts (see ChangeFeed). Also deletes dead nodes and old forwarded requests.
 */
export function changesCleanUp(store: Store): () => Promise<void> {
  let last: Snapshot | undefined
  return async () => {
    const { db } = store
    if (last) await db.query('delete from _changes where xid < $1::text::xid8', [String(last.xmin)])
    last = await currentSnapshot(db)
    await deleteSilentNodes(db)
    await db.query(`delete from _subscribing where at < now() - interval '1 minute'`)
  }
}
