import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { columnName, quote, tableName } from '../../collections/names.ts'
import { isMulti, type RelationField } from '../../fields/field.ts'
import { memoize } from '../../tools/memoize.ts'

/** A field whose values are ids of another collection's records. */
export interface Reference {
  readonly collection: Collection
  readonly field: RelationField
}

/** All fields that refer to a collection, by collection name; none of views. */
export const referencesTo = (catalog: Catalog, target: Collection): readonly Reference[] =>
  byTarget(catalog).get(target.id) ?? []

const byTarget = memoize((catalog: Catalog) => {
  const references = catalog.all
    .filter(({ type }) => type !== 'view')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((collection) => relationsOf(collection).map((field) => ({ collection, field })))
  return Map.groupBy(references, ({ field }) => field.collectionId)
})

const relationsOf = ({ fields }: Collection) => fields.filter((field) => field.type === 'relation')

/** SQL of a referring table (alias `r`) and column. */
export const referenceSql = ({ collection, field }: Reference) => ({
  table: quote(tableName(collection)),
  column: `r.${quote(columnName(field.name))}`,
})

/** SQL: whether record `r` refers to `id` (an SQL expression). */
export function pointsAt(reference: Reference, id: string): string {
  const { column } = referenceSql(reference)
  return isMulti(reference.field) ? `${column} @> array[${id}]` : `${column} = ${id}`
}
