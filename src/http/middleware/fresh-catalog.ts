import type { CatalogStore } from '../../collections/catalog/catalog-store.ts'
import { schemaMismatchCount } from '../../db/errors.ts'

/** On a busy machine several changes may overtake one request, one after the other. */
const MAX_TRIES = 10

/**
 * Runs `work`, and again if a statement did not fit its tables and it turns out that the collections have
 * changed: by another node, whose word of it was still on its way. What failed was rolled back, or had only
 * read.
 */
export async function withCatalog<T>(store: CatalogStore, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const wasOld = watchCatalog(store)
    try {
      return await work()
    } catch (error) {
      if (tries === MAX_TRIES || !(await wasOld())) throw error
    }
  }
}

/**
 * The same for what only reads, where a part of an answer may be missing for that reason, such as an expand.
 */
export function readWithCatalog<T>(store: CatalogStore, read: () => Promise<T>): Promise<T> {
  return withCatalog(store, async () => {
    for (let tries = 1; ; tries++) {
      const wasOld = watchCatalog(store)
      const answer = await read()
      if (tries === MAX_TRIES || !(await wasOld())) return answer
    }
  })
}

/**
 * Returns a function that tells later whether the collections known now were old, after a statement did not
 * fit its tables. If so, it has read them again.
 */
export function watchCatalog(store: CatalogStore): () => Promise<boolean> {
  const seen = schemaMismatchCount()
  const { catalog } = store
  return async () => {
    // all this costs a number, as long as every statement fits
    if (schemaMismatchCount() === seen) return false
    await store.reload()
    return store.catalog !== catalog
  }
}
