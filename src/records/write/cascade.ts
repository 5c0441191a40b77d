import type { Store } from '../../collections/catalog.ts'
import { type Collection, SUPERUSERS } from '../../collections/collection.ts'
import { columnName, quote, tableName } from '../../collections/names.ts'
import { badRequest } from '../../errors.ts'
import { type Field, isMulti } from '../../fields/field.ts'
import { now } from '../../fields/types/date.ts'
import { deleteLinks } from '../auth/auth-links.ts'
import { changeLogCte } from '../changes.ts'
import type { Extensions } from '../extension.ts'
import { type Reference, referenceSql, referencesTo } from './references.ts'

/** A record cannot be deleted because another one requires it. */
export class RequiredByRelation extends Error {
  override name = 'RequiredByRelation'
}

/**
 * Deletes records and what depends on them, in the store's transaction: for each referring field the records
 * that cascade or lose the reference. Throws RequiredByRelation if a required field would become empty, 400
 * for the last superuser. PocketBase: core/record_model.go, cascadeRecordDelete; contract 4.7
 */
export async function deleteRecords(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  ids: readonly string[],
): Promise<void> {
  await extensions.get(collection.id)?.beforeDelete?.(store, ids)
  const deleted = await deleteRows(store, collection, ids)
  if (deleted.length === 0) return
  if (collection.name === SUPERUSERS) await demandSuperuser(store, collection)
  if (collection.type === 'auth') await deleteLinks(store, collection, deleted)
  await extensions.get(collection.id)?.afterDelete?.(store, deleted)
  if (extensions.get(collection.id)?.keepsReferences) return
  for (const reference of referencesTo(store.catalog, collection))
    await release(store, extensions, reference, deleted)
}

async function deleteRows(store: Store, collection: Collection, ids: readonly string[]): Promise<string[]> {
  const { rows } = await store.db.query(
    `with written as (delete from ${quote(tableName(collection))} where id = any(array(
      select t.id from ${quote(tableName(collection))} t where t.id = any($1::text[]) order by t.id for update
    )) returning *),
    ${changeLogCte('written', 'delete', 2)} select id from written`,
    [ids, collection.id],
  )
  return rows.map(([id]) => id as string)
}

/** Locks the remaining superusers, so that of the last two only one can be deleted. */
async function demandSuperuser(store: Store, collection: Collection): Promise<void> {
  const { rows } = await store.db.query(`select id from ${quote(tableName(collection))} for update`)
  if (rows.length === 0) throw badRequest("You can't delete the only existing superuser.")
}

async function release(store: Store, extensions: Extensions, reference: Reference, ids: readonly string[]) {
  const { collection, field } = reference
  const emptied = field.cascadeDelete || field.required ? await findEmptied(store, reference, ids) : []
  if (emptied.length > 0 && !field.cascadeDelete) throw new RequiredByRelation()
  if (emptied.length > 0) await deleteRecords(store, extensions, collection, emptied)
  if (isMulti(field) || !field.cascadeDelete) await unset(store, reference, ids)
}

/** Ids of records that would refer to nothing. */
async function findEmptied(store: Store, reference: Reference, ids: readonly string[]): Promise<string[]> {
  const { table, column } = referenceSql(reference)
  const where = isMulti(reference.field)
    ? `${column} && $1::text[] and ${column} <@ $1::text[]`
    : `${column} = any($1::text[])`
  const { rows } = await store.db.query(`select r.id from ${table} r where ${where}`, [ids])
  return rows.map(([id]) => id as string)
}

/** Removes ids from a field and sets autodates; validates nothing. */
async function unset(store: Store, reference: Reference, ids: readonly string[]): Promise<void> {
  const { collection, field } = reference
  const { table, column } = referenceSql(reference)
  const [where, left] = isMulti(field)
    ? [
        `${column} && $1::text[]`,
        `array(select v from unnest(${column}) with ordinality u(v, i) where v <> all($1::text[]) order by i)`,
      ]
    : [`${column} = any($1::text[])`, `''`]
  const dates = collection.fields.filter(isUpdateDate).map(({ name }) => `${quote(columnName(name))} = $3`)
  const assigned = [`${quote(columnName(field.name))} = ${left}`, ...dates].join(', ')
  await store.db.query(
    `with written as (update ${table} r set ${assigned} where r.id = any(array(
      select r.id from ${table} r where ${where} order by r.id for update
    )) and ${where} returning r.*),
    ${changeLogCte('written', 'update', 2, 'noted', true)} select $3::pb_date`,
    [ids, collection.id, now()],
  )
}

const isUpdateDate = (field: Field) => field.type === 'autodate' && field.onUpdate
