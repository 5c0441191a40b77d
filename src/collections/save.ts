import type { CatalogDraft } from './catalog-draft.ts'
import type { Collection } from './collection.ts'
import { createTable } from './table.ts'
import { createView, readQuery } from './view.ts'

/** Writes a collection that is not there yet, complete and checked: its table or view, its indexes, its row. */
export async function createCollection(draft: CatalogDraft, collection: Collection): Promise<void> {
  if (collection.type !== 'view') {
    await createTable(draft.db, collection)
    return draft.put(collection)
  }
  const query = await readQuery(draft, collection.viewQuery)
  await createView(draft.db, collection, query)
  await draft.put({ ...collection, fields: [...query.fields] })
}
