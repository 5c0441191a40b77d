import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { columnName, quote, tableName } from '../collections/names.ts'
import { isMulti, type RelationField } from '../fields/field.ts'
import { type FilePosition, recordFault } from './rows.ts'

/** SQL: one of `ids` whose relation has no target, and the missing target. */
function lostStatement(collection: Collection, field: RelationField, target: Collection): string {
  const name = `b.${quote(columnName(field.name))}`
  const values = isMulti(field) ? name : `array_remove(array[${name}], '')`
  return `select b.id, v.id from ${quote(tableName(collection))} b, unnest(${values}) v(id)
    where b.id = any($1::text[]) and not exists (select 1 from ${quote(tableName(target))} t where t.id = v.id) limit 1`
}

/** Throws a UserError for the first record that refers to a missing one. */
export async function checkRelations(
  store: Store,
  place: FilePosition,
  ids: readonly string[],
): Promise<void> {
  for (const field of place.collection.fields) {
    if (field.type !== 'relation') continue
    const target = store.catalog.find(field.collectionId)
    if (!target) continue
    const { rows } = await store.db.query(lostStatement(place.collection, field, target), [ids])
    if (!rows[0]) continue
    const [id, lost] = rows[0].map(String)
    throw recordFault(place, id!, `${target.name} has no record ${lost}`, field.name)
  }
}
