import { memoize } from '../../platform/tools/lru.ts'
import type { Catalog, Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { quoteName, toColumnName } from '../collections/sql-names.ts'
import { isMulti, type RelationField } from '../fields/field.ts'
import { formatNow } from '../fields/parse-date.ts'
import { changeLogCte } from './log-changes.ts'
import { columnsOf } from './record-row.ts'

/** Ids of records that refer to one of `ids`. `only`: they refer to no record outside `ids`. */
export async function findReferring(
  { db }: Store,
  reference: Reference,
  ids: readonly string[],
  only: boolean,
) {
  const { table, column, where } = writeReferenceSql(reference)
  const alone = only && isMulti(reference.field) ? ` and ${column} <@ $1::text[]` : ''
  const { rows } = await db.query(`select r.id from ${table} r where ${where}${alone}`, [ids])
  return rows.map(([id]) => String(id))
}

export async function unsetReference(
  store: Store,
  reference: Reference,
  ids: readonly string[],
): Promise<void> {
  const { collection, field } = reference
  const { table, column, where } = writeReferenceSql(reference)
  const left = isMulti(field)
    ? `array(select v from unnest(${column}) with ordinality u(v, i) where v <> all($1::text[]) order by i)`
    : `''`
  const dates = collection.fields
    .filter((one) => one.type === 'autodate' && one.onUpdate)
    .map(({ name }) => `${quoteName(toColumnName(name))} = $3`)
  const assigned = [`${quoteName(toColumnName(field.name))} = ${left}`, ...dates].join(', ')
  await store.db.query(
    `with written as (update ${table} r set ${assigned} where r.id = any(array(
      select r.id from ${table} r where ${where} order by r.id for update
    )) and ${where} returning r.*),
    ${changeLogCte('update', 2, table)} select $3::pb_date`,
    [ids, collection.id, formatNow()],
  )
}

export interface Reference {
  readonly collection: Collection
  readonly field: RelationField
}

/** All relation fields that point to `target`, except those of views. Sorted by their collections' names. */
export const findReferencesTo = (catalog: Catalog, target: Collection): readonly Reference[] =>
  byTarget(catalog).get(target.id) ?? []

const byTarget = memoize((catalog: Catalog) => {
  const references = catalog.all
    .filter(({ type }) => type !== 'view')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((collection) =>
      collection.fields.flatMap((field) =>
        field.type === 'relation' ? [{ collection, field }] : [],
      ),
    )
  return Map.groupBy(references, ({ field }) => field.collectionId)
})

/**
 * SQL of a relation field. `where`: row `r` refers to one of the ids in $1. It leaves out empty lists, which
 * have no entry in an index of lists.
 */
export function writeReferenceSql({ collection, field }: Reference) {
  const column = `r.${quoteName(toColumnName(field.name))}`
  const where = isMulti(field)
    ? `${column} <> '{}' and ${column} && $1::text[]`
    : `${column} = any($1::text[])`
  return { table: columnsOf(collection).table, column, where }
}
