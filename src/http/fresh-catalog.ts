import type { CatalogStore } from '../collections/catalog-store.ts'
import { mismatchesSeen } from '../db/errors.ts'

/**
 * Runs `work`, and once more if a statement did not fit its tables and it turns out that the collections have changed:
 * by another node, whose word of it was still on its way. What failed was rolled back, or had only read.
 */
export async function withCatalog<T>(store: CatalogStore, work: () => Promise<T>): Promise<T> {
  const seen = mismatchesSeen()
  const { catalog } = store
  try {
    return await work()
  } catch (error) {
    // all this costs a number, as long as every statement fits
    if (mismatchesSeen() === seen) throw error
    await store.reload()
    if (store.catalog === catalog) throw error
    return work()
  }
}

/** The same for what only reads, where a part of an answer may be missing for that reason, such as an expand. */
export function readWithCatalog<T>(store: CatalogStore, read: () => Promise<T>): Promise<T> {
  return withCatalog(store, async () => {
    const seen = mismatchesSeen()
    const { catalog } = store
    const answer = await read()
    if (mismatchesSeen() === seen) return answer
    await store.reload()
    return store.catalog === catalog ? answer : read()
  })
}
