import type { Store } from '../../collections/catalog.ts'

/**
 * The store that a read uses: the replica if it has all earlier commits, else the given one. Call it when the
 * caller is known, as its version is compared.
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
