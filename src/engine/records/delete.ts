import { badRequest, notFound } from '../../platform/api-errors.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { isMulti } from '../fields/field.ts'
import { compileFilter } from '../filter/compile-filter.ts'
import type { CompiledFilter } from '../filter/compiled-filter.ts'
import type { AuthRecord, RequestInfo } from '../request/request.ts'
import { deleteRecords, RequiredByRelation } from './cascade.ts'
import { writeFreshAuthSql } from './check-auth-version.ts'
import { isRuleFault } from './check-rules.ts'
import { type Extensions, requireWriteRule } from './collection-extension.ts'
import { changeLogCte } from './log-changes.ts'
import { columnsOf } from './record-row.ts'
import { findReferencesTo, type Reference, writeReferenceSql } from './references.ts'
import { SqlParameters } from './sql-parameters.ts'
import { findStatementName } from './statement-name.ts'
import { toUniqueError } from './store-record.ts'
import type { WriteOptions } from './write-in-progress.ts'

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
  const rule = requireWriteRule(collection, 'deleteRule', request.auth, extension)
  try {
    const compiled = compileFilter(store.catalog, {
      collection,
      rule,
      filter: '',
      sort: '',
      request,
    })
    if (compiled.never) throw notFound()
    const target = () => writeTargetSql(compiled, id, options.isAuthCached ? request.auth : null)
    const isPlain =
      collection.type === 'base' && !extension?.beforeDelete && !extension?.afterDelete
    const references = extension?.keepsReferences ? [] : findReferencesTo(store.catalog, collection)
    const remove = async (inside: Store) => {
      if (isPlain && (await deleteUnreferenced(inside, collection, references, target()))) return
      await deleteWithReferences(inside, extensions, collection, id, target())
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

type Target = ReturnType<typeof writeTargetSql>

function writeTargetSql(
  { from, where, params }: CompiledFilter,
  id: string,
  cached: AuthRecord | null,
) {
  const parameters = new SqlParameters(params)
  const conditions = [`b.id = ${parameters.add(id)}`, ...writeFreshAuthSql(cached, parameters)]
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
    const { table, column } = writeReferenceSql(reference)
    const refers = isMulti(reference.field) ? `${column} @> array[d.id]` : `${column} = d.id`
    return `not exists (select 1 from ${table} r where ${refers}${other})`
  })
  parameters.values.push(collection.id)
  const text = `with target as (${target}),
    written as (delete from ${columnsOf(collection).table} d
      where ${['d.id in (select id from target)', ...held].join(' and ')} returning d.*),
    ${changeLogCte('delete', parameters.values.length)}
    select (select count(*) from target), (select count(*) from written)`
  const { rows } = await store.db.query(
    text,
    parameters.values,
    findStatementName(store.catalog, text),
  )
  const [found, deleted] = rows[0]!
  if (found === 0) throw notFound()
  return deleted !== 0
}

async function deleteWithReferences(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  id: string,
  { text, parameters }: Target,
): Promise<void> {
  await store.db.transaction(async (db) => {
    const { rows } = await db.query(text, parameters.values, findStatementName(store.catalog, text))
    if (rows.length === 0) throw notFound()
    const inside = { db, catalog: store.catalog }
    await deleteRecords(inside, extensions, collection, [id]).catch((error: unknown) => {
      throw toUniqueError(collection, FAILED, error)
    })
  })
}
