import type { Collection, Store } from '../../collections/catalog.ts'
import { badRequest, notFound } from '../../errors.ts'
import { compile } from '../../filter/compile/compile.ts'
import type { CompiledFilter } from '../../filter/compile/compiled-filter.ts'
import type { AuthRecord, RequestInfo } from '../../request/request.ts'
import { ruleFor } from '../../rules/access.ts'
import { changeLogCte } from '../changes.ts'
import { columnsOf, Parameters } from '../columns.ts'
import { type Extensions, withWriteRule } from '../extension.ts'
import { freshAuthSql } from '../fresh-auth.ts'
import { statementName } from '../read-rows.ts'
import { isRuleFault } from '../render/render.ts'
import {
  deleteRecords,
  pointsAt,
  type Reference,
  RequiredByRelation,
  referenceSql,
  referencesTo,
} from './cascade.ts'
import type { WriteOptions } from './prepare-write.ts'
import { uniqueViolationError } from './store.ts'

const FAILED =
  'Failed to delete record. Make sure that the record is not part of a required relation reference.'

/** Deletes a record, in a transaction if others refer to it. Throws 403, 404, 400. Contract 4.7 */
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
    return `not exists (select 1 from ${referenceSql(reference).table} r where ${pointsAt(reference, 'd.id')}${other})`
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
