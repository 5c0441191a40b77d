import type { Db } from '../../platform/db/open.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import { CatalogDraft, type Store } from './catalog.ts'
import type { Collection } from './collection.ts'
import { completeCollection } from './definition/complete-collection.ts'
import { parseNewCollection } from './definition/read-collection.ts'
import { saveCollection } from './save-collection.ts'
import { readQueryAndSample } from './views/view-query.ts'

const UNDO = new Error('nothing of this stays')

/** Creates a view, runs `sample` on it, and rolls back. Throws a ViewQueryError or Postgres' error. */
export async function dryRunView<T>(
  store: Store,
  viewQuery: string,
  sample: (store: Store, view: Collection) => Promise<T>,
): Promise<T> {
  let result: T | undefined
  const work = async (db: Db) => {
    const draft = new CatalogDraft(db, store.catalog)
    const view = completeCollection(
      parseNewCollection({ type: 'view', name: `temp_view_${makeRandomText(5)}`, viewQuery }),
    )
    await readQueryAndSample(draft, viewQuery)
    await saveCollection(draft, view)
    result = await sample(draft, draft.catalog.find(view.id)!)
    throw UNDO
  }
  await store.db.transaction(work).catch((error: unknown) => {
    if (error !== UNDO) throw error
  })
  return result as T
}
