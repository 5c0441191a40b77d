import { type Collection, quote, type Store } from '../collections/catalog.ts'
import { objectsOf } from '../db/statement.ts'
import { dateOf, formatDate, now } from '../fields/date.ts'
import type { Value } from '../fields/field.ts'
import { type Action, changeLogCte } from '../records/record-sql.ts'
import type { AuthRecord } from '../request/request.ts'
import { randomId } from '../tools/random.ts'

/** System collections cannot be renamed, so each table has the name of its collection. */
type SystemCollection = '_otps' | '_mfas' | '_authOrigins' | '_externalAuths'

/** Stores a record without checks; returns its id. After a unique conflict it throws, or does nothing. */
export async function addSystemRecord(
  store: Store,
  name: SystemCollection,
  about: AuthRecord,
  values: Readonly<Record<string, Value>>,
  onConflict: 'on conflict do nothing' | '' = '',
): Promise<string> {
  const time = now()
  const id = randomId()
  const refs = { collectionRef: about.collection.id, recordRef: about.id }
  const row = { ...values, ...refs, id, created: time, updated: time }
  const marks = Object.keys(row).map((_, i) => `$${i + 2}`)
  const insert = `insert into ${quote(name)} (${Object.keys(row).map(quote).join()}) values (${marks.join()})
    ${onConflict} returning id`
  await write(store, name, 'create', insert, Object.values(row))
  return id
}

/** Reads fields of the record with this id, as texts; null if there is none. */
export async function findSystemRecord<F extends string>(
  store: Store,
  name: SystemCollection,
  id: string,
  fields: readonly F[],
): Promise<Record<F, string> | null> {
  return (await select(store, name, fields, 'id = $1', [id]))[0] ?? null
}

/** Reads fields of all records that belong to an auth record, as texts; newest first. */
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
  const found = await store.db.query(
    `select ${fields.map(quote).join()} from ${quote(name)} where ${condition} order by created desc, _rowid desc`,
    params,
  )
  return objectsOf(found)
}

export const deleteSystemRecord = async (store: Store, name: SystemCollection, id: string) =>
  (await write(store, name, 'delete', `delete from ${quote(name)} where id = $2 returning *`, [id])) > 0

export const isOlder = (moment: string, seconds: number) =>
  Date.now() - (dateOf(moment)?.getTime() ?? 0) > seconds * 1000

/** Deletes records older than this many seconds that belong to auth records of the collection `about`. */
export async function deleteOldSystemRecords(
  store: Store,
  name: SystemCollection,
  about: Collection,
  seconds: number,
): Promise<void> {
  const old = `delete from ${quote(name)} where "collectionRef" = $2 and created < $3 returning *`
  await write(store, name, 'delete', old, [about.id, formatDate(new Date(Date.now() - seconds * 1000))])
}

export async function touchSystemRecord(store: Store, name: SystemCollection, id: string): Promise<void> {
  const touch = `update ${quote(name)} set updated = $3 where id = $2 returning id`
  await write(store, name, 'update', touch, [id, now()])
}

async function write(
  store: Store,
  name: SystemCollection,
  action: Action,
  statement: string,
  params: readonly unknown[],
): Promise<number> {
  const text = `with written as (${statement}), ${changeLogCte('written', action, 1)} select id from written`
  return (await store.db.query(text, [store.catalog.find(name)!.id, ...params])).count
}
