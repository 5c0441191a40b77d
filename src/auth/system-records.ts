import { type Collection, columnName, quote, type Store, tableName } from '../collections/catalog.ts'
import type { Value } from '../fields/field.ts'
import { now } from '../fields/types/date.ts'
import { fieldType } from '../fields/types/field-types.ts'
import { changeLogCte } from '../records/changes.ts'
import type { AuthRecord } from '../request/request.ts'
import { randomId } from '../tools/random.ts'

export type SystemCollection = '_otps' | '_mfas' | '_authOrigins' | '_externalAuths'

function collectionOf(store: Store, name: SystemCollection): Collection {
  const collection = store.catalog.find(name)
  if (!collection) throw new Error(`The system collection ${name} is missing`)
  return collection
}

const tableOf = (store: Store, name: SystemCollection) => quote(tableName(collectionOf(store, name)))

/** Stores a record unchecked and returns its id. A unique conflict is ignored unless `isStrict`. */
export async function addSystemRecord(
  store: Store,
  name: SystemCollection,
  about: AuthRecord,
  values: Readonly<Record<string, Value>>,
  { isStrict = false }: { readonly isStrict?: boolean } = {},
): Promise<string> {
  const { id: collectionId, fields } = collectionOf(store, name)
  const time = now()
  const id = randomId()
  const refs = { collectionRef: about.collection.id, recordRef: about.id }
  const given: Record<string, Value> = { ...values, ...refs, id, created: time, updated: time }
  const columns = fields.map((field) => quote(columnName(field.name))).join(', ')
  const row = fields.map((field) => given[field.name] ?? fieldType(field).zero(field))
  const marks = row.map((_, i) => `$${i + 1}`).join(', ')
  await store.db.query(
    `with written as (insert into ${tableOf(store, name)} (${columns}) values (${marks})
       ${isStrict ? '' : 'on conflict do nothing'} returning id),
     ${changeLogCte('written', 'create', row.length + 1)} select id from written`,
    [...row, collectionId],
  )
  return id
}

/** Finds a record by id, as texts by field name; null if there is none. */
export async function findSystemRecord<F extends string>(
  store: Store,
  name: SystemCollection,
  id: string,
  fields: readonly F[],
): Promise<Record<F, string> | null> {
  return (await select(store, name, fields, 'id = $1', [id]))[0] ?? null
}

/** Lists all records about an auth record, newest first, as texts by field name. */
export const listSystemRecords = <F extends string>(
  store: Store,
  name: SystemCollection,
  about: AuthRecord,
  fields: readonly F[],
): Promise<Record<F, string>[]> =>
  select(store, name, fields, '"collectionRef" = $1 and "recordRef" = $2', [about.collection.id, about.id])

async function select<F extends string>(
  store: Store,
  name: SystemCollection,
  fields: readonly F[],
  condition: string,
  params: readonly string[],
): Promise<Record<F, string>[]> {
  const { rows } = await store.db.query(
    `select ${fields.map((field) => quote(columnName(field))).join(', ')} from ${tableOf(store, name)}
     where ${condition} order by created desc, _rowid desc`,
    params,
  )
  return rows.map(
    (row) => Object.fromEntries(fields.map((field, i) => [field, String(row[i])])) as Record<F, string>,
  )
}

/** Deletes a record; false if there was none. */
export const deleteSystemRecord = async (
  store: Store,
  name: SystemCollection,
  id: string,
): Promise<boolean> => (await remove(store, name, 'id = $2', [id])) > 0

/** Deletes records about one collection that were created before a date in stored form. */
export async function deleteSystemRecordsBefore(
  store: Store,
  name: SystemCollection,
  about: Collection,
  moment: string,
): Promise<void> {
  await remove(store, name, '"collectionRef" = $2 and created < $3', [about.id, moment])
}

async function remove(store: Store, name: SystemCollection, condition: string, params: readonly string[]) {
  const { count } = await store.db.query(
    `with written as (delete from ${tableOf(store, name)} where ${condition} returning *),
     ${changeLogCte('written', 'delete', 1)} select id from written`,
    [collectionOf(store, name).id, ...params],
  )
  return count
}

export async function setSystemField(
  store: Store,
  name: SystemCollection,
  id: string,
  field: string,
  value: Value,
): Promise<void> {
  await store.db.query(
    `with written as (
       update ${tableOf(store, name)} set ${quote(columnName(field))} = $3, updated = $4 where id = $1 returning id),
     ${changeLogCte('written', 'update', 2)} select id from written`,
    [id, collectionOf(store, name).id, value, now()],
  )
}
