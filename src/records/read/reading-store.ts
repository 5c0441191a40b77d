import type { Store } from '../../collections/catalog.ts'

/**
 * The store that a list, a view or an export reads from: on the replica when that has all that was committed
 * before this call, else the one given. Call it when the requester is known: the version of their record is
 * compared with the one that is read.
 */
export async function readingStore(store: Store): Promise<Store> {
  const db = await store.db.forReading()
  if (db === store.db) return store
  return {
    db,
    get catalog() {
      return store.catalog
    },
  }
}
