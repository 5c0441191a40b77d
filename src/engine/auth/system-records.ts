import { type Insertable, sql } from 'kysely'
import type { TableRow } from '../../platform/db/execute-statement.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries, writeTimeInSeconds } from '../../platform/db/queries.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { makeRandomId } from '../../platform/tools/random.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { logChanges } from '../records/log-changes.ts'
import { deleteLinked, type LinkedCollection } from '../records/revoke-sign-ins.ts'
import type { AuthRecord } from '../request/request.ts'

/** kysely's types need one table by name. All of these have the columns of `_mfas` that this file names. */
const toTypedTable = (name: LinkedCollection) => name as '_mfas'

/** Stores a record without checks; returns its id. After a unique conflict it throws, or does nothing. */
export async function addSystemRecord<T extends LinkedCollection>(
  store: Store,
  name: T,
  about: AuthRecord,
  values: Readonly<Partial<Insertable<Tables[T]>>>,
  onConflict: 'throw' | 'do nothing' = 'throw',
): Promise<string> {
  const id = makeRandomId()
  const refs = { collectionRef: about.collection.id, recordRef: about.id }
  const row = { ...values, ...refs, id, created: NOW, updated: NOW }
  await queries(store.db)
    .with('written', (query) =>
      query
        .insertInto(toTypedTable(name))
        .values(row)
        .$if(onConflict === 'do nothing', (insert) =>
          insert.onConflict((found) => found.doNothing()),
        )
        .returning('id'),
    )
    .with('noted', logChanges('create', findCollectionId(store, name), 'ids'))
    .selectFrom('written')
    .execute()
  return id
}

/** Fields of a record, and its age by the clock of the database. */
type SystemRecord<T extends LinkedCollection, F extends keyof TableRow<T> & string> = Pick<
  TableRow<T> & { readonly ageSeconds: number },
  F | 'ageSeconds'
>

/** Reads fields of the record with this id; null if there is none. */
export async function findSystemRecord<
  T extends LinkedCollection,
  F extends keyof TableRow<T> & string,
>({ db }: Store, name: T, id: string, fields: readonly F[]): Promise<SystemRecord<T, F> | null> {
  return (
    (await selectSystemRecords(db, name, fields).where('id', '=', id).executeTakeFirst()) ?? null
  )
}

/** Reads fields of all records that belong to an auth record; newest first. */
export const listSystemRecords = <T extends LinkedCollection, F extends keyof TableRow<T> & string>(
  { db }: Store,
  name: T,
  about: AuthRecord,
  fields: readonly F[],
): Promise<SystemRecord<T, F>[]> =>
  selectSystemRecords(db, name, fields)
    .where('collectionRef', '=', about.collection.id)
    .where('recordRef', '=', about.id)
    .orderBy('created', 'desc')
    .orderBy('_rowid', 'desc')
    .execute()

const AGE =
  sql<number>`coalesce(extract(epoch from now() - nullif(created, '')::timestamptz), 'infinity')::float8`.as(
    'ageSeconds',
  )

const selectSystemRecords = <T extends LinkedCollection, F extends keyof TableRow<T> & string>(
  db: Db,
  name: T,
  fields: readonly F[],
) =>
  queries(db)
    .selectFrom(toTypedTable(name))
    .select(fields as readonly string[] as readonly 'id'[])
    .select(AGE)
    .$castTo<SystemRecord<T, F>>()

export async function deleteSystemRecord(
  store: Store,
  name: LinkedCollection,
  id: string,
): Promise<boolean> {
  return (await deleteLinked(store, name, (query) => query.where('id', '=', id))) > 0
}

/** Deletes records older than this many seconds that belong to auth records of the collection `about`. */
export async function deleteOldSystemRecords(
  store: Store,
  name: LinkedCollection,
  about: Collection,
  seconds: number,
): Promise<void> {
  const before = sql<string>`pb_text(${writeTimeInSeconds(-seconds)})`
  await deleteLinked(store, name, (query) =>
    query.where('collectionRef', '=', about.id).where('created', '<', before),
  )
}

export async function setSystemRecordUpdated(
  store: Store,
  name: LinkedCollection,
  id: string,
): Promise<void> {
  await queries(store.db)
    .with('written', (query) =>
      query.updateTable(name).set({ updated: NOW }).where('id', '=', id).returning('id'),
    )
    .with('noted', logChanges('update', findCollectionId(store, name), 'ids'))
    .selectFrom('written')
    .execute()
}

const findCollectionId = ({ catalog }: Store, name: LinkedCollection) => catalog.find(name)!.id
