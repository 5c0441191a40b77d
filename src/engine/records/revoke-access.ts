import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { deleteRecords } from './cascade.ts'
import type { Extensions } from './collection-extension.ts'
import { findReferencesTo, findReferring } from './references.ts'
import { deleteFactors } from './revoke-sign-ins.ts'

/**
 * After a verified owner took over an account, deletes its second factor and records that give others access
 * (`grantsAccess`).
 */
export async function revokeFormerAccess(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  id: string,
): Promise<void> {
  await deleteFactors(store, collection, [id])
  await extensions.get(collection.id)?.onTakeover?.(store, id)
  for (const reference of findReferencesTo(store.catalog, collection)) {
    if (!extensions.get(reference.collection.id)?.grantsAccess) continue
    const held = await findReferring(store, reference, [id], false)
    if (held.length > 0) await deleteRecords(store, extensions, reference.collection, held)
  }
}
