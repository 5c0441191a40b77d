import { badRequest } from '../../platform/api-errors.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Store } from '../collections/catalog.ts'
import { type Collection, SUPERUSERS } from '../collections/collection.ts'
import { isMulti } from '../fields/field.ts'
import type { Extensions } from './collection-extension.ts'
import { changeLogCte } from './log-changes.ts'
import { columnsOf } from './record-row.ts'
import { findReferencesTo, findReferring, type Reference, unsetReference } from './references.ts'
import { deleteSignIns } from './revoke-sign-ins.ts'

export class RequiredByRelation extends Error {
  override name = 'RequiredByRelation'
}

/** Deletes records and, by cascade, referring ones. Throws RequiredByRelation if others need them. */
export async function deleteRecords(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  ids: readonly string[],
): Promise<void> {
  await extensions.get(collection.id)?.beforeDelete?.(store, ids)
  const deleted = await deleteRows(store, collection, ids)
  if (deleted.length === 0) return
  if (collection.name === SUPERUSERS) await demandSuperuser(store)
  if (collection.type === 'auth') await deleteSignIns(store, collection, deleted)
  await extensions.get(collection.id)?.afterDelete?.(store, deleted)
  if (extensions.get(collection.id)?.keepsReferences) return
  for (const reference of findReferencesTo(store.catalog, collection))
    await releaseReferences(store, extensions, reference, deleted)
}

async function deleteRows(
  store: Store,
  collection: Collection,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await store.db.query(
    `with written as (delete from ${columnsOf(collection).table} where id = any(array(
      select t.id from ${columnsOf(collection).table} t where t.id = any($1::text[]) order by t.id for update
    )) returning *),
    ${changeLogCte('delete', 2)} select id from written`,
    [ids, collection.id],
  )
  return rows.map(([id]) => id as string)
}

/** Locks the remaining superusers: two requests cannot delete the last two. Throws 400 if none is left. */
async function demandSuperuser({ db }: Store): Promise<void> {
  const left = await queries(db).selectFrom('_superusers').select('id').forUpdate().execute()
  if (left.length === 0) throw badRequest("You can't delete the only existing superuser.")
}

async function releaseReferences(
  store: Store,
  extensions: Extensions,
  reference: Reference,
  ids: readonly string[],
) {
  const { collection, field } = reference
  const mayEmpty = field.cascadeDelete || field.required
  const emptied = mayEmpty ? await findReferring(store, reference, ids, true) : []
  if (emptied.length > 0 && !field.cascadeDelete) throw new RequiredByRelation()
  if (emptied.length > 0) await deleteRecords(store, extensions, collection, emptied)
  if (isMulti(field) || !field.cascadeDelete) await unsetReference(store, reference, ids)
}
