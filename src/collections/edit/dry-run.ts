import { randomText } from '../../tools/random.ts'
import { saveCollection } from '../catalog/save.ts'
import type { Store } from '../catalog.ts'
import { CatalogDraft } from '../catalog-draft.ts'
import type { Collection } from '../collection.ts'
import { complete } from '../definition/complete.ts'
import { readNew } from '../definition/read.ts'
import { readAndSample } from '../views/view.ts'

/** Rolls back a transaction and carries its result. */
class Undo<T> extends Error {
  readonly result: T

  constructor(result: T) {
    super('nothing of this stays')
    this.result = result
  }
}

/** Creates a view, runs `sample` on it, and rolls back. Throws a ViewQueryError or Postgres' error. */
export async function dryRunView<T>(
  store: Store,
  viewQuery: string,
  sample: (store: Store, view: Collection) => Promise<T>,
): Promise<T> {
  const work = async (draft: CatalogDraft) => {
    const view = complete(readNew({ type: 'view', name: `temp_view_${randomText(5)}`, viewQuery }))
    await readAndSample(draft, viewQuery)
    await saveCollection(draft, view)
    return sample(draft, draft.catalog.find(view.id)!)
  }
  try {
    return await store.db.transaction(async (db) => {
      throw new Undo(await work(new CatalogDraft(db, store.catalog)))
    })
  } catch (error) {
    if (error instanceof Undo) return error.result as T
    throw error
  }
}
