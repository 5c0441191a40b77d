import type { Catalog } from './catalog.ts'
import type { CatalogDraft } from './catalog-draft.ts'
import type { Collection } from './collection.ts'
import { dropFiles } from './file-guard.ts'
import { quote, tableName } from './names.ts'
import { dropView } from './view.ts'
import { refreshViews } from './views.ts'

/** A collection that cannot go. Its text is for logs: no client sees it. */
export class NeededError extends Error {
  override name = 'NeededError'
}

/** Other collections with a relation to this one. PocketBase: core/collection_query.go */
export function referencesTo(catalog: Catalog, collection: Collection): Collection[] {
  return catalog.all.filter(
    ({ id, fields }) =>
      id !== collection.id &&
      fields.some((field) => field.type === 'relation' && field.collectionId === collection.id),
  )
}

/** Takes a collection's table or view, its files and its row away. Throws what Postgres says if a view reads it. */
export async function dropCollection(draft: CatalogDraft, collection: Collection): Promise<void> {
  if (collection.type === 'view') await dropView(draft.db, collection)
  else await draft.db.query(`drop table if exists ${quote(tableName(collection))}`)
  await dropFiles(draft.db, collection)
  await draft.remove(collection)
}

/**
 * Deletes a collection with its records. Throws a NeededError for a system collection, one that others refer to and
 * one that a view reads. PocketBase: core/collection_model.go
 */
export async function deleteCollection(draft: CatalogDraft, collection: Collection): Promise<void> {
  if (collection.system) throw new NeededError(`[${collection.name}] system collections cannot be deleted`)
  const references = referencesTo(draft.catalog, collection)
  if (references.length > 0) throw new NeededError(`[${collection.name}] others refer to it`)
  await dropCollection(draft, collection)
  const problems = await refreshViews(draft, collection.id)
  if (problems.length > 0) throw new NeededError(problems.join('\n'))
}
