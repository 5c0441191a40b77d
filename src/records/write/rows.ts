import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { columnName, quote, tableName } from '../../collections/names.ts'
import { notFound } from '../../errors.ts'
import type { Value } from '../../fields/field.ts'
import type { RequestInfo } from '../../request/request.ts'
import { changeLogCte } from '../changes.ts'
import { columnsOf, toValues } from '../columns.ts'
import type { Values } from '../input/values.ts'
import { Parameters, type SqlCondition, sqlType } from '../parameters.ts'
import { statementName } from '../read-rows.ts'
import { isRuleFault } from '../render/visibility.ts'
import { selectRows } from '../select.ts'

/** A record as read: values and `xmin`, which every write changes. */
export interface StoredRecord {
  readonly old: Readonly<Values>
  readonly version: string
}

/** Reads a record under a rule. Throws 404 if there is none or the rule fails. */
export async function readRow(
  store: Store,
  collection: Collection,
  id: string,
  rule: string,
  request: RequestInfo,
): Promise<StoredRecord> {
  const where = (position: number) => `b."id" = $${position}::text`
  const extra = () => 'b.xmin::text'
  const selection = { collection, rule, request, where, params: [id], extra, isLookUp: true }
  try {
    const [row] = (await selectRows(store, selection)) ?? []
    if (!row) throw notFound()
    return { old: toValues(collection, row), version: String(row[columnsOf(collection).count]) }
  } catch (error) {
    throw isRuleFault(error) ? notFound() : error
  }
}

/** Inserts a record if all conditions hold: one round trip. `parameters` has the values of the first ones. */
export async function insertRow(
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
  const where = conditions.map((condition) => condition(parameters)).join(' and ')
  const sql = `insert into ${quote(tableName(collection))} (${columns}) select ${given} ${where && `where ${where}`}`
  return writeRow(store, collection, sql, 'create', parameters)
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
  const sql = `update ${quote(tableName(collection))} b set ${assigned.join(', ') || 'id = b.id'} where ${where.join(' and ')}`
  return writeRow(store, collection, sql, 'update', parameters)
}

/** Runs an insert or update and logs its change. False if it wrote nothing. */
async function writeRow(
  store: Store,
  collection: Collection,
  sql: string,
  action: 'create' | 'update',
  { values }: Parameters,
): Promise<boolean> {
  values.push(collection.id)
  const text = `with written as (${sql} returning ${action === 'update' ? 'b.' : ''}*),
    ${changeLogCte('written', action, values.length, 'noted', true)}
    select 1 from written`
  const { rows } = await store.db.query(text, values, statementName(store.catalog, text))
  return rows.length > 0
}

function isSame(a: Value, b: Value): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b
  return a.length === b.length && a.every((text, i) => text === b[i])
}
