import type { Store } from '../collections/catalog.ts'
import { type AuthCollection, type Collection, SUPERUSERS } from '../collections/collection.ts'
import { columnName, quote, tableName } from '../collections/names.ts'
import type { Value } from '../fields/field.ts'
import type { AuthRecord } from '../filter/request.ts'

const selectLists = new WeakMap<Collection, string>()

/** All columns of an auth collection's row `u` in the order of its fields, then the row's version. */
export function authColumns(collection: Collection): string {
  const known = selectLists.get(collection)
  if (known) return known
  const columns = collection.fields.map((field) => `u.${quote(columnName(field.name))}`)
  const list = [...columns, 'u.xmin::text'].join(', ')
  selectLists.set(collection, list)
  return list
}

/** A row of `authColumns`, from its column `start` on, as the record it is. */
export function toAuthRecord(collection: Collection, row: readonly unknown[], start = 0): AuthRecord {
  const values: Record<string, Value> = {}
  collection.fields.forEach((field, i) => {
    values[field.name] = row[start + i] as Value
  })
  return {
    collection,
    id: String(values.id),
    values,
    version: String(row[start + collection.fields.length]),
    isSuperuser: collection.name === SUPERUSERS,
  }
}

/** The auth record with this id, or null. One look-up by primary key. */
export async function findAuthRecord(
  store: Store,
  collection: AuthCollection,
  id: string,
): Promise<AuthRecord | null> {
  const text = `select ${authColumns(collection)} from ${quote(tableName(collection))} u where u.id = $1`
  const { rows } = await store.db.query(
    text,
    [id],
    `auth ${store.catalog.version} ${collection.id}`.slice(0, 63),
  )
  return rows[0] ? toAuthRecord(collection, rows[0]) : null
}
