import { type RawBuilder, sql } from 'kysely'
import type { Catalog, Store } from '../../engine/collections/catalog.ts'
import type { Collection } from '../../engine/collections/collection.ts'
import { toColumnName } from '../../engine/collections/sql-names.ts'
import { findFieldType } from '../../engine/fields/field-types.ts'
import { deleteRecords } from '../../engine/records/cascade.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import { logChange } from '../../engine/records/log-changes.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, NOW, queries } from '../../platform/db/queries.ts'
import type { Erased, Person, Place, Texts } from '../base/personal-data.ts'
import { listAddedFields } from './find-mentions.ts'

/** The person, account and transaction of an erasure. */
export interface Erasing {
  readonly store: Store
  readonly extensions: Extensions
  readonly person: Person
  readonly name: string
  /** SQL: the ids of the texts whose places are erased. */
  readonly texts: Texts
}

/** Erases the rows of a person in a place, and what the change log says of them. Returns how many. */
export async function erasePersonRows(erasing: Erasing, place: Place): Promise<number> {
  const { store, extensions, person, name, texts } = erasing
  const { table, erasure, logged } = place
  const { db } = store
  const rows = place.rows(person, texts)
  const collection = store.catalog.find(table)
  if (typeof erasure === 'object') {
    const blank = {
      ...(collection && !place.isShared && makeBlankAdded(store.catalog, collection)),
      ...erasure,
    }
    const values = Object.entries(blank).map(([column, value]) => [
      column,
      typeof value === 'function' ? value(person, name) : value,
    ])
    const ids = await overwriteRows(db, place, Object.fromEntries(values), rows, collection)
    await blankChanges(db, table, ids, { ...pickPlainValues(blank), ...logged })
    return ids.length
  }
  const ids = await findRowIds(db, place, rows)
  if (ids.length === 0) return 0
  if (erasure === 'records') await deleteRecords(store, extensions, collection!, ids)
  else await deletePersonRows(db, place, rows, collection, ids)
  if (collection) await blankChanges(db, table, ids, logged)
  return ids.length
}

/** Empty values of the fields that superusers added. */
const makeBlankAdded = (catalog: Catalog, collection: Collection) =>
  Object.fromEntries(
    listAddedFields(catalog, collection).map((field) => [
      toColumnName(field.name),
      findFieldType(field).zero(field),
    ]),
  ) as Record<string, Erased>

const writeRowName = ({ key }: Pick<Place, 'key'>) =>
  sql<string>`${sql.ref(`t.${key === '_rowid' ? 'id' : key}`)}::text`

async function findRowIds(db: Db, place: Place, rows: RawBuilder<boolean>): Promise<string[]> {
  const found = await queries(db)
    .selectFrom(sql<object>`${sql.table(place.table)}`.as<'t'>(sql`t`))
    .select(writeRowName(place).as('name'))
    .where(rows)
    .execute()
  return found.map(({ name }) => name)
}

/** Deletes rows that no other records need. Subscribers of a collection get the deletion of its records. */
async function deletePersonRows(
  db: Db,
  { table }: Place,
  rows: RawBuilder<boolean>,
  collection: Collection | undefined,
  ids: readonly string[],
): Promise<void> {
  // the entries take the rows' images, which `blankChanges` overwrites
  if (collection) await logChange({ db }, collection, 'delete', ids)
  // kysely's types need one table by name
  await queries(db)
    .deleteFrom(`${table} as t` as 'consents as t')
    .where(rows)
    .execute()
}

/**
 * Overwrites columns of rows `t`, and notifies subscribers of a collection. Returns the names of the rows.
 */
export async function overwriteRows(
  db: Db,
  place: Pick<Place, 'table' | 'key'>,
  values: object,
  rows: RawBuilder<boolean>,
  collection: Collection | undefined,
): Promise<string[]> {
  const hasUpdated = collection?.fields.some(({ name }) => name === 'updated')
  const written = await queries(db)
    .updateTable(`${place.table} as t` as 'consents as t')
    .set(values)
    .$if(hasUpdated === true, (update) => update.set({ updated: NOW } as object))
    .where(rows)
    .returning(writeRowName(place).as('name'))
    .execute()
  const ids = written.map(({ name }) => name)
  // a trigger logs changed texts
  if (collection && ids.length > 0 && place.table !== 'sms_messages')
    await logChange({ db }, collection, 'update', ids)
  return ids
}

const pickPlainValues = (erasure: Readonly<Record<string, Erased>>) =>
  Object.fromEntries(Object.entries(erasure).filter(([, value]) => typeof value !== 'function'))

/** Overwrites values of records in the change log, from which subscribers get records. */
async function blankChanges(
  db: Db,
  table: string,
  ids: readonly string[],
  values: object,
): Promise<void> {
  if (ids.length === 0 || Object.keys(values).length === 0) return
  const overwritten = (row: RawBuilder<unknown>) =>
    sql<string>`(${row}::jsonb || ${JSON.stringify(values)}::jsonb)::json`
  await queries(db)
    .updateTable('_changes')
    .set({ image: overwritten(sql`image`), former: overwritten(sql`former`) })
    .where('collection', '=', table)
    .where('record', '=', matchAny(ids))
    .where('image', 'is not', null)
    .execute()
}
