import { type Collection, columnName, quote, type Store, tableName } from '../collections/catalog.ts'
import type { Value } from '../fields/field.ts'
import { dateOf, formatDate, now } from '../fields/types/date.ts'
import { fieldType } from '../fields/types/field-types.ts'
import { type Action, changeLogCte } from '../records/changes.ts'
import type { AuthRecord } from '../request/request.ts'
import { randomId } from '../tools/random.ts'

type SystemCollection = '_otps' | '_mfas' | '_authOrigins' | '_externalAuths'

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
  const { fields } = collectionOf(store, name)
  const time = now()
  const id = randomId()
  const refs = { collectionRef: about.collection.id, recordRef: about.id }
  const given: Record<string, Value> = { ...values, ...refs, id, created: time, updated: time }
  const columns = fields.map((field) => quote(columnName(field.name))).join(', ')
  const row = fields.map((field) => given[field.name] ?? fieldType(field).zero(field))
  const marks = row.map((_, i) => `$${i + 2}`).join(', ')
  const insert = `insert into ${tableOf(store, name)} (${columns}) values (${marks})
    ${isStrict ? '' : 'on conflict do nothing'} returning id`
  await write(store, name, 'create', insert, row)
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
export const deleteSystemRecord = async (store: Store, name: SystemCollection, id: string) =>
  (await write(store, name, 'delete', `delete from ${tableOf(store, name)} where id = $2 returning *`, [
    id,
  ])) > 0

/** Whether a stored date is more than this many seconds ago. */
export const isOlder = (moment: string, seconds: number) =>
  Date.now() - (dateOf(moment)?.getTime() ?? 0) > seconds * 1000

/** Deletes records about one collection that are older than this many seconds. */
export async function deleteOldSystemRecords(
  store: Store,
  name: SystemCollection,
  about: Collection,
  seconds: number,
): Promise<void> {
  const old = `delete from ${tableOf(store, name)} where "collectionRef" = $2 and created < $3 returning *`
  await write(store, name, 'delete', old, [about.id, formatDate(new Date(Date.now() - seconds * 1000))])
}

/** Sets `updated` of a record to now. */
export async function touchSystemRecord(store: Store, name: SystemCollection, id: string): Promise<void> {
  const touch = `update ${tableOf(store, name)} set updated = $3 where id = $2 returning id`
  await write(store, name, 'update', touch, [id, now()])
}

/** Runs a statement that writes records (`$1`: the collection) and logs them. Returns their number. */
async function write(
  store: Store,
  name: SystemCollection,
  action: Action,
  statement: string,
  params: readonly unknown[],
): Promise<number> {
  const text = `with written as (${statement}), ${changeLogCte('written', action, 1)} select id from written`
  return (await store.db.query(text, [collectionOf(store, name).id, ...params])).count
}
