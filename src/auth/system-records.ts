import type { Insertable } from 'kysely'
import type { Collection, Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { queries } from '../db/queries.ts'
import type { TableRow } from '../db/statement.ts'
import type { Tables } from '../db/tables.ts'
import { dateOf, formatDate, now } from '../fields/date.ts'
import { noteChanges } from '../records/record-sql.ts'
import type { AuthRecord } from '../request/request.ts'
import { randomId } from '../tools/random.ts'

/** System collections cannot be renamed, so each table has the name of its collection. */
type SystemCollection = '_otps' | '_mfas' | '_authOrigins' | '_externalAuths'

/** kysely's types need one table by name. All of these have the columns of `_mfas` that this file names. */
const tableOf = (name: SystemCollection) => name as '_mfas'

/** Stores a record without checks; returns its id. After a unique conflict it throws, or does nothing. */
export async function addSystemRecord<T extends SystemCollection>(
  store: Store,
  name: T,
  about: AuthRecord,
  values: Readonly<Partial<Insertable<Tables[T]>>>,
  onConflict: 'throw' | 'do nothing' = 'throw',
): Promise<string> {
  const time = now()
  const id = randomId()
  const refs = { collectionRef: about.collection.id, recordRef: about.id }
  const row = { ...values, ...refs, id, created: time, updated: time }
  await queries(store.db)
    .with('written', (query) =>
      query
        .insertInto(tableOf(name))
        .values(row)
        .$if(onConflict === 'do nothing', (insert) => insert.onConflict((found) => found.doNothing()))
        .returning('id'),
    )
    .with('noted', noteChanges('create', idOf(store, name), 'ids'))
    .selectFrom('written')
    .execute()
  return id
}

/** Reads fields of the record with this id; null if there is none. */
export async function findSystemRecord<T extends SystemCollection, F extends keyof TableRow<T> & string>(
  { db }: Store,
  name: T,
  id: string,
  fields: readonly F[],
): Promise<Pick<TableRow<T>, F> | null> {
  return (await select(db, name, fields).where('id', '=', id).executeTakeFirst()) ?? null
}

/** Reads fields of all records that belong to an auth record; newest first. */
export const listSystemRecords = <T extends SystemCollection, F extends keyof TableRow<T> & string>(
  { db }: Store,
  name: T,
  about: AuthRecord,
  fields: readonly F[],
): Promise<Pick<TableRow<T>, F>[]> =>
  select(db, name, fields)
    .where('collectionRef', '=', about.collection.id)
    .where('recordRef', '=', about.id)
    .orderBy('created', 'desc')
    .orderBy('_rowid', 'desc')
    .execute()

const select = <T extends SystemCollection, F extends keyof TableRow<T> & string>(
  db: Db,
  name: T,
  fields: readonly F[],
) =>
  queries(db)
    .selectFrom(tableOf(name))
    .select(fields as readonly string[] as readonly 'id'[])
    .$castTo<Pick<TableRow<T>, F>>()

export async function deleteSystemRecord(store: Store, name: SystemCollection, id: string): Promise<boolean> {
  const deleted = await queries(store.db)
    .with('written', (query) => query.deleteFrom(name).where('id', '=', id).returningAll())
    .with('noted', noteChanges('delete', idOf(store, name)))
    .selectFrom('written')
    .select('id')
    .execute()
  return deleted.length > 0
}

export const isOlder = (moment: string, seconds: number) =>
  Date.now() - (dateOf(moment)?.getTime() ?? 0) > seconds * 1000

/** Deletes records older than this many seconds that belong to auth records of the collection `about`. */
export async function deleteOldSystemRecords(
  store: Store,
  name: SystemCollection,
  about: Collection,
  seconds: number,
): Promise<void> {
  const before = formatDate(new Date(Date.now() - seconds * 1000))
  await queries(store.db)
    .with('written', (query) =>
      query
        .deleteFrom(name)
        .where('collectionRef', '=', about.id)
        .where('created', '<', before)
        .returningAll(),
    )
    .with('noted', noteChanges('delete', idOf(store, name)))
    .selectFrom('written')
    .execute()
}

export async function touchSystemRecord(store: Store, name: SystemCollection, id: string): Promise<void> {
  await queries(store.db)
    .with('written', (query) =>
      query.updateTable(name).set({ updated: now() }).where('id', '=', id).returning('id'),
    )
    .with('noted', noteChanges('update', idOf(store, name), 'ids'))
    .selectFrom('written')
    .execute()
}

const idOf = ({ catalog }: Store, name: SystemCollection) => catalog.find(name)!.id
