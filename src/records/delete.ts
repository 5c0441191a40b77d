import {
  type Catalog,
  type Collection,
  columnName,
  quote,
  type Store,
  SUPERUSERS,
} from '../collections/catalog.ts'
import { ApiError, badRequest, notFound } from '../errors.ts'
import { now } from '../fields/date.ts'
import { isMulti, type RelationField } from '../fields/field.ts'
import { compile } from '../filter/compile.ts'
import type { CompiledFilter } from '../filter/compiled-filter.ts'
import type { AuthRecord, RequestInfo } from '../request/request.ts'
import { memoize } from '../tools/lru.ts'
import { ruleFor } from './access.ts'
import { deleteLinks } from './auth-records.ts'
import type { WriteOptions } from './check-values.ts'
import { type Extensions, withWriteRule } from './extension.ts'
import { statementName } from './read-rows.ts'
import { changeLogCte, columnsOf, freshAuthSql, Parameters } from './record-sql.ts'
import { isRuleFault } from './render.ts'
import { uniqueViolationError } from './store.ts'

const FAILED =
  'Failed to delete record. Make sure that the record is not part of a required relation reference.'

/** Deletes a record and, by cascade, referring ones. Throws 400 if other records need it; also 403, 404. */
export async function deleteRecord(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  id: string,
  request: RequestInfo,
  options: WriteOptions = {},
): Promise<void> {
  const extension = extensions.get(collection.id)
  const rule = withWriteRule(ruleFor(collection, 'deleteRule', request.auth), extension, request.auth)
  try {
    const compiled = compile(store.catalog, { collection, rule, filter: '', sort: '', request })
    if (compiled.never) throw notFound()
    const target = () => targetSql(compiled, id, options.isAuthCached ? request.auth : null)
    const isPlain = collection.type === 'base' && !extension?.beforeDelete && !extension?.afterDelete
    const references = extension?.keepsReferences ? [] : referencesTo(store.catalog, collection)
    const remove = async (inside: Store) => {
      if (isPlain && (await deleteUnreferenced(inside, collection, references, target()))) return
      await deleteWithAll(inside, extensions, collection, id, target())
    }
    const { inSameTransaction: also } = options
    if (!also) return await remove(store)
    await store.db.transaction(async (db) => {
      const inside = { db, catalog: store.catalog }
      await remove(inside)
      await also(inside, id)
    })
  } catch (error) {
    if (error instanceof RequiredByRelation) throw badRequest(FAILED)
    if (isRuleFault(error)) throw notFound()
    throw error
  }
}

type Target = ReturnType<typeof targetSql>

function targetSql({ from, where, params }: CompiledFilter, id: string, cached: AuthRecord | null) {
  const parameters = new Parameters(params)
  const conditions = [`b.id = ${parameters.add(id)}`, ...freshAuthSql(cached, parameters)]
  if (where) conditions.push(`(${where})`)
  return { text: `select b.id from ${from} where ${conditions.join(' and ')}`, parameters }
}

async function deleteUnreferenced(
  store: Store,
  collection: Collection,
  references: readonly Reference[],
  { text: target, parameters }: Target,
): Promise<boolean> {
  const held = references.map((reference) => {
    const other = reference.collection.id === collection.id ? ' and r.id <> d.id' : ''
    const { table, column } = referenceSql(reference)
    const refers = isMulti(reference.field) ? `${column} @> array[d.id]` : `${column} = d.id`
    return `not exists (select 1 from ${table} r where ${refers}${other})`
  })
  parameters.values.push(collection.id)
  const text = `with target as (${target}),
    written as (delete from ${columnsOf(collection).table} d
      where ${['d.id in (select id from target)', ...held].join(' and ')} returning d.*),
    ${changeLogCte('written', 'delete', parameters.values.length)}
    select (select count(*) from target), (select count(*) from written)`
  const { rows } = await store.db.query(text, parameters.values, statementName(store.catalog, text))
  const [found, deleted] = rows[0]!
  if (found === 0) throw notFound()
  return deleted !== 0
}

async function deleteWithAll(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  id: string,
  { text, parameters }: Target,
): Promise<void> {
  await store.db.transaction(async (db) => {
    const { rows } = await db.query(text, parameters.values, statementName(store.catalog, text))
    if (rows.length === 0) throw notFound()
    const inside = { db, catalog: store.catalog }
    await deleteRecords(inside, extensions, collection, [id]).catch((error: unknown) => {
      throw uniqueViolationError(collection, FAILED, error)
    })
  })
}

class RequiredByRelation extends Error {
  override name = 'RequiredByRelation'
}

/** Deletes records and, by cascade, referring ones. Throws RequiredByRelation if others need them. */
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
    `with written as (delete from ${columnsOf(collection).table} where id = any(array(
      select t.id from ${columnsOf(collection).table} t where t.id = any($1::text[]) order by t.id for update
    )) returning *),
    ${changeLogCte('written', 'delete', 2)} select id from written`,
    [ids, collection.id],
  )
  return rows.map(([id]) => id as string)
}

/** Locks the remaining superusers: two requests cannot delete the last two. Throws 400 if none is left. */
async function demandSuperuser(store: Store, collection: Collection): Promise<void> {
  const { rows } = await store.db.query(`select id from ${columnsOf(collection).table} for update`)
  if (rows.length === 0) throw badRequest("You can't delete the only existing superuser.")
}

async function release(store: Store, extensions: Extensions, reference: Reference, ids: readonly string[]) {
  const { collection, field } = reference
  const mayEmpty = field.cascadeDelete || field.required
  const emptied = mayEmpty ? await findReferring(store, reference, ids, true) : []
  if (emptied.length > 0 && !field.cascadeDelete) throw new RequiredByRelation()
  if (emptied.length > 0) await deleteRecords(store, extensions, collection, emptied)
  if (isMulti(field) || !field.cascadeDelete) await unset(store, reference, ids)
}

/** Ids of records that refer to one of `ids`. `only`: they refer to no record outside `ids`. */
async function findReferring({ db }: Store, reference: Reference, ids: readonly string[], only: boolean) {
  const { table, column, where } = referenceSql(reference)
  const alone = only && isMulti(reference.field) ? ` and ${column} <@ $1::text[]` : ''
  const { rows } = await db.query(`select r.id from ${table} r where ${where}${alone}`, [ids])
  return rows.map(([id]) => String(id))
}

async function unset(store: Store, reference: Reference, ids: readonly string[]): Promise<void> {
  const { collection, field } = reference
  const { table, column, where } = referenceSql(reference)
  const left = isMulti(field)
    ? `array(select v from unnest(${column}) with ordinality u(v, i) where v <> all($1::text[]) order by i)`
    : `''`
  const dates = collection.fields
    .filter((one) => one.type === 'autodate' && one.onUpdate)
    .map(({ name }) => `${quote(columnName(name))} = $3`)
  const assigned = [`${quote(columnName(field.name))} = ${left}`, ...dates].join(', ')
  await store.db.query(
    `with written as (update ${table} r set ${assigned} where r.id = any(array(
      select r.id from ${table} r where ${where} order by r.id for update
    )) and ${where} returning r.*),
    ${changeLogCte('written', 'update', 2, 'noted', true)} select $3::pb_date`,
    [ids, collection.id, now()],
  )
}

/** Number of records deleted at a time, to limit the memory of a transaction. */
const CHUNK = 1_000

const refused = (error: unknown) =>
  error instanceof RequiredByRelation || (error instanceof ApiError && error.status === 400)

/** Deletes all records of a collection and, by cascade, referring ones. Throws 400 if others need them. */
export async function truncateCollection(store: Store, extensions: Extensions, collection: Collection) {
  if (collection.type === 'view')
    throw badRequest("View collections cannot be truncated since they don't store their own records.")
  const table = columnsOf(collection).table
  await store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    for (;;) {
      const { rows } = await db.query(`select id from ${table} order by _rowid limit $1`, [CHUNK])
      if (rows.length === 0) return
      const ids = rows.map(([id]) => String(id))
      await deleteRecords(inside, extensions, collection, ids).catch((error: unknown) => {
        throw refused(error) ? badRequest(TRUNCATE_FAILED) : error
      })
    }
  })
}

const TRUNCATE_FAILED =
  'Failed to truncate collection (most likely due to required cascade delete record references).'

/** After a verified owner took over an account, deletes records that give others access (`grantsAccess`). */
export async function revokeFormerAccess(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  id: string,
): Promise<void> {
  await extensions.get(collection.id)?.onTakeover?.(store, id)
  for (const reference of referencesTo(store.catalog, collection)) {
    if (!extensions.get(reference.collection.id)?.grantsAccess) continue
    const held = await findReferring(store, reference, [id], false)
    if (held.length > 0) await deleteRecords(store, extensions, reference.collection, held)
  }
}

interface Reference {
  readonly collection: Collection
  readonly field: RelationField
}

/** All relation fields that point to `target`, except those of views. Sorted by their collections' names. */
const referencesTo = (catalog: Catalog, target: Collection): readonly Reference[] =>
  byTarget(catalog).get(target.id) ?? []

const byTarget = memoize((catalog: Catalog) => {
  const references = catalog.all
    .filter(({ type }) => type !== 'view')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((collection) =>
      collection.fields.flatMap((field) => (field.type === 'relation' ? [{ collection, field }] : [])),
    )
  return Map.groupBy(references, ({ field }) => field.collectionId)
})

/** SQL of a relation field. `where`: row `r` refers to one of the ids in $1. */
function referenceSql({ collection, field }: Reference) {
  const column = `r.${quote(columnName(field.name))}`
  const where = isMulti(field) ? `${column} && $1::text[]` : `${column} = any($1::text[])`
  return { table: columnsOf(collection).table, column, where }
}
