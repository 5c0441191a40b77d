import { type Catalog, type CatalogDraft, type Collection, quote, tableName } from '../catalog.ts'
import { dropFiles } from '../table/file-triggers.ts'
import { dropView } from '../views/view.ts'
import { refreshViews } from '../views/views.ts'

export class CollectionInUseError extends Error {
  override name = 'CollectionInUseError'
}

/** Collections with a relation to this one. PocketBase: core/collection_query.go */
export function referencesTo(catalog: Catalog, collection: Collection): Collection[] {
  return catalog.all.filter(
    ({ id, fields }) =>
      id !== collection.id &&
      fields.some((field) => field.type === 'relation' && field.collectionId === collection.id),
  )
}

/** Deletes a collection's table or view, files and row. Throws Postgres' error if a view reads it. */
export async function dropCollection(draft: CatalogDraft, collection: Collection): Promise<void> {
  if (collection.type === 'view') await dropView(draft.db, collection)
  else await draft.db.query(`drop table if exists ${quote(tableName(collection))}`)
  await dropFiles(draft.db, collection)
  await draft.remove(collection)
}

/** Deletes a collection. Throws CollectionInUseError, also for a system one. collection_model.go */
export async function deleteCollection(draft: CatalogDraft, collection: Collection): Promise<void> {
  if (collection.system)
    throw new CollectionInUseError(`[${collection.name}] system collections cannot be deleted`)
  const references = referencesTo(draft.catalog, collection)
  if (references.length > 0) throw new CollectionInUseError(`[${collection.name}] others refer to it`)
  await dropCollection(draft, collection)
  const problems = await refreshViews(draft, collection.id)
  if (problems.length > 0) throw new CollectionInUseError(problems.join('\n'))
}
