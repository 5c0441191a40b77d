import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import type { Extensions } from '../extension.ts'
import { deleteRecords } from './cascade.ts'
import { pointsAt, type Reference, referenceSql, referencesTo } from './references.ts'

/** A verified owner took over the account. Deletes what grants others access (`grantsAccess`). */
export async function revokeFormerAccess(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  id: string,
): Promise<void> {
  await extensions.get(collection.id)?.onTakeover?.(store, id)
  for (const reference of referencesTo(store.catalog, collection)) {
    if (!extensions.get(reference.collection.id)?.grantsAccess) continue
    const held = await findHeld(store, reference, id)
    if (held.length > 0) await deleteRecords(store, extensions, reference.collection, held)
  }
}

async function findHeld(store: Store, reference: Reference, id: string): Promise<string[]> {
  const { table } = referenceSql(reference)
  const text = `select r.id from ${table} r where ${pointsAt(reference, '$1::text')}`
  const { rows } = await store.db.query(text, [id])
  return rows.map(([held]) => held as string)
}
