import type { Store } from '../../collections/catalog.ts'
import { currentSnapshot } from './change-log.ts'
import { deleteSilentNodes } from './presence.ts'
import type { Snapshot } from './snapshot.ts'

/**
 * What removes changes that every node has read, run again and again: those that were there at its last run.
 * Nodes read at once; one that did not between two runs will not rely on it (see Feed). Also forgets nodes
 * that died, and subscriptions that nobody answered.
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
