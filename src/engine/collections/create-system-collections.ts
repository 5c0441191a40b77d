import { UserError } from '../../platform/api-errors.ts'
import type { CatalogDraft } from './catalog.ts'
import type { Collection } from './collection.ts'
import { makeBuiltInCollections, restoreMissingFields } from './definition/built-in-collections.ts'
import { makeSystemCollections } from './definition/system-collections.ts'
import { makeOwnObjects } from './own-indexes.ts'
import { saveCollection } from './save-collection.ts'
import { toTableName } from './sql-names.ts'
import { loadColumnNames } from './table.ts'

async function addMissingFields(draft: CatalogDraft, stored: Collection): Promise<void> {
  const next = restoreMissingFields(
    draft.catalog.builtIn,
    stored,
    await loadColumnNames(draft.db, toTableName(stored)),
  )
  if (next) await saveCollection(draft, next)
}

/** Creates missing system and built-in collections and fields. Throws a UserError if a name is taken. */
export async function createSystemCollections(draft: CatalogDraft): Promise<void> {
  const wanted = [...makeSystemCollections(), ...makeBuiltInCollections(draft.catalog.builtIn)]
  for (const collection of wanted) {
    const taken = draft.catalog.find(collection.name) ?? draft.catalog.find(collection.id)
    if (taken?.id === collection.id) {
      await addMissingFields(draft, taken)
      continue
    }
    if (taken) {
      throw new UserError(
        `The collection "${taken.name}" (${taken.id}) has the name of one that pocketsms needs for itself. Rename it, then start again.`,
      )
    }
    await saveCollection(draft, collection)
  }
  await makeOwnObjects(draft.db)
}
