import { UserError } from '../errors.ts'
import builtIn from './builtin.json' with { type: 'json' }
import type { CatalogDraft } from './catalog-draft.ts'
import { complete } from './complete.ts'
import { readNew } from './read.ts'
import { saveCollection } from './save.ts'
import { systemCollections } from './system.ts'

/** Ids of the gateway's own collections: what it cannot work without. */
export const BUILT_IN_IDS: ReadonlySet<string> = new Set(builtIn.map(({ id }) => id))

/**
 * Makes the system collections and the gateway's own, as far as they are missing. Throws a UserError if another
 * collection has the name of one of them.
 */
export async function bootstrap(draft: CatalogDraft): Promise<void> {
  const wanted = [...systemCollections(), ...builtIn.map((raw) => complete(readNew(raw)))]
  for (const collection of wanted) {
    const taken = draft.catalog.find(collection.name) ?? draft.catalog.find(collection.id)
    if (taken?.id === collection.id) continue
    if (taken) {
      throw new UserError(
        `The collection "${taken.name}" (${taken.id}) has the name of one that pocketsms needs for itself. Rename it, then start again.`,
      )
    }
    await saveCollection(draft, collection)
  }
}
