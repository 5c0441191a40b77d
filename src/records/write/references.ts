import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { columnName, quote, tableName } from '../../collections/names.ts'
import { isMulti, type RelationField } from '../../fields/field.ts'
import { memoize } from '../../tools/memoize.ts'

/** A field of a collection whose values are ids of another collection's records. */
export interface Reference {
  readonly collection: Collection
  readonly field: RelationField
}

/** All fields that can point at records of a collection, by name of their collection; none of views. */
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

/** SQL of a referencing table and of its column, under the alias `r`. */
export const referenceSql = ({ collection, field }: Reference) => ({
  table: quote(tableName(collection)),
  column: `r.${quote(columnName(field.name))}`,
})

/** SQL: record `r` points at `id`, an SQL expression for one id. */
export function pointsAt(reference: Reference, id: string): string {
  const { column } = referenceSql(reference)
  return isMulti(reference.field) ? `${column} @> array[${id}]` : `${column} = ${id}`
}
