import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import type { Extensions } from '../extension.ts'
import { deleteRecords } from './cascade.ts'
import { pointsAt, type Reference, referenceSql, referencesTo } from './references.ts'

/**
 * An auth record has come to whoever proved that its address is theirs, and was perhaps a stranger's before:
 * what that one could still come in with, or hear by, is deleted, in the transaction of the store. That is
 * what `grantsAccess` of the extensions names.
 */
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
