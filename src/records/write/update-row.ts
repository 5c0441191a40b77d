import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { columnName, quote, tableName } from '../../collections/names.ts'
import type { Value } from '../../fields/field.ts'
import { changeLogCte } from '../changes.ts'
import type { Values } from '../input/values.ts'
import { Parameters, type SqlCondition, sqlType } from '../parameters.ts'
import { statementName } from '../select.ts'

/** A record as read: values and `xmin`, which every write changes. */
export interface StoredRecord {
  readonly old: Readonly<Values>
  readonly version: string
}

/** Writes changed values if the record is unchanged and all conditions hold: one round trip. */
export async function updateRow(
  store: Store,
  collection: Collection,
  values: Readonly<Values>,
  { old, version }: StoredRecord,
  conditions: readonly SqlCondition[],
): Promise<boolean> {
  const parameters = new Parameters()
  const assigned = collection.fields
    .filter(({ name }) => !isSame(values[name]!, old[name]!))
    .map(
      (field) => `${quote(columnName(field.name))} = ${parameters.add(values[field.name], sqlType(field))}`,
    )
  const where = [
    `b.id = ${parameters.add(old.id)}`,
    `b.xmin::text = ${parameters.add(version)}`,
    ...conditions.map((condition) => condition(parameters)),
  ]
  parameters.values.push(collection.id)
  const text = `with written as (update ${quote(tableName(collection))} b set ${assigned.join(', ') || 'id = b.id'}
    where ${where.join(' and ')} returning b.*),
    ${changeLogCte('written', 'update', parameters.values.length, 'noted', true)}
    select 1 from written`
  const { rows } = await store.db.query(text, parameters.values, statementName(store.catalog, text))
  return rows.length > 0
}

function isSame(a: Value, b: Value): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b
  return a.length === b.length && a.every((text, i) => text === b[i])
}
