import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { columnName, quote, tableName } from '../../collections/names.ts'
import { changeLogCte } from '../changes.ts'
import type { Values } from '../input/values.ts'
import { type Parameters, type SqlCondition, sqlType } from '../parameters.ts'
import { statementName } from '../select.ts'

/** Inserts a record if all conditions hold and logs it, in one round trip. False if one fails. */
export async function insertRecord(
  store: Store,
  collection: Collection,
  values: Readonly<Values>,
  parameters: Parameters,
  conditions: readonly SqlCondition[],
): Promise<boolean> {
  const columns = collection.fields.map((field) => quote(columnName(field.name))).join(', ')
  const given = collection.fields
    .map((field) => parameters.add(values[field.name], sqlType(field)))
    .join(', ')
  const all = conditions.map((condition) => condition(parameters)).join(' and ')
  parameters.values.push(collection.id)
  const text = `with written as (insert into ${quote(tableName(collection))} (${columns}) select ${given}
    ${all && `where ${all}`} returning *),
    ${changeLogCte('written', 'create', parameters.values.length, 'noted', true)}
    select 1 from written`
  const { rows } = await store.db.query(text, parameters.values, statementName(store.catalog, text))
  return rows.length > 0
}
