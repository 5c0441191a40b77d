import { sql } from 'kysely'
import { ApiError, badRequest, makeFieldError, notFound } from '../../platform/api-errors.ts'
import { isSqlError } from '../../platform/db/database-errors.ts'
import { ShapeError } from '../fields/json-shapes.ts'
import { type Catalog, type CatalogDraft, InvalidCollection, type Store } from './catalog.ts'
import type { Collections } from './catalog-store.ts'
import type { Collection } from './collection.ts'
import { completeCollection, makeCollectionId } from './definition/complete-collection.ts'
import { parseChangedCollection, parseNewCollection } from './definition/read-collection.ts'
import { dropFiles } from './file-triggers.ts'
import { explainSqliteError } from './from-sqlite/sqlite-fault.ts'
import { saveCollection } from './save-collection.ts'
import { toTableName } from './sql-names.ts'
import { type RuleCheck, validateCollection } from './validate.ts'
import { dropView, refreshViews } from './views/save-view.ts'
import { isQueryFault } from './views/view-query.ts'

const FAILED = 'Failed to update collection.'

/** The 400 of a failed save. Leaves internal errors unchanged. PocketBase: apis/collection.go */
function toEditError(sentence: string, error: unknown): unknown {
  if (error instanceof ApiError) return error
  if (error instanceof ShapeError)
    return badRequest('Failed to load the submitted data due to invalid formatting.')
  if (error instanceof InvalidCollection) return badRequest(sentence, error.data)
  return isQueryFault(error)
    ? badRequest(`${sentence} Raw error: \n${explainSqliteError(error)}`)
    : error
}

/** The error for a changed id: 400 if a collection with the new id exists, else 404, as in PocketBase. */
const makeIdError = ({ catalog }: Store, id: string) =>
  catalog.find(id)
    ? badRequest(FAILED, { id: makeFieldError('validation_values_mismatch', "Values don't match") })
    : notFound()

async function saveChange(
  store: Collections,
  failure: string,
  work: (draft: CatalogDraft) => Promise<string>,
) {
  try {
    const id = await store.change(work)
    return store.catalog.find(id)!
  } catch (error) {
    throw toEditError(failure, error)
  }
}

/** Creates a collection from submitted JSON and returns it as stored. Throws 400 with all errors. */
export const createCollection = (store: Collections, raw: unknown, checkRule: RuleCheck) =>
  saveChange(store, 'Failed to create collection.', async (draft) => {
    const taken = new Set(draft.catalog.all.map((one) => one.id))
    const read = parseNewCollection(raw)
    // if no indexes are submitted, PocketBase puts the generated id into names of default indexes
    const next = completeCollection(
      read,
      taken,
      Object.hasOwn(raw ?? {}, 'indexes') ? undefined : makeCollectionId(read),
    )
    await validateCollection({ store: draft, next, old: undefined, checkRule })
    await saveCollection(draft, next)
    return next.id
  })

/** Updates a collection with the submitted keys. Throws 404, or 400 with all errors. */
export const updateCollection = (
  store: Collections,
  nameOrId: string,
  raw: unknown,
  checkRule: RuleCheck,
) =>
  saveChange(store, FAILED, async (draft) => {
    const old = draft.catalog.find(nameOrId)
    if (!old) throw notFound()
    const read = parseChangedCollection(raw, old)
    if (read.id !== old.id) throw makeIdError(draft, read.id)
    const next = completeCollection(read)
    await validateCollection({ store: draft, next, old, checkRule })
    await saveCollection(draft, next)
    return old.id
  })

/** Deletes a collection and its records. Throws 404, or 400 if the server, a relation or a view needs it. */
export async function removeCollection(store: Collections, nameOrId: string): Promise<void> {
  const collection = store.catalog.find(nameOrId)
  if (!collection) throw notFound()
  if (store.catalog.isBuiltIn(collection))
    throw badRequest(`Failed to delete collection: pocketsms needs ${collection.name} for itself.`)
  try {
    await store.change(async (draft) => {
      const present = draft.catalog.find(collection.id)
      if (!present) throw notFound()
      await deleteCollection(draft, present)
    })
  } catch (error) {
    if (!(error instanceof CollectionInUseError) && !isSqlError(error)) throw error
    const names = listReferencing(store.catalog, collection).map(({ name }) => name)
    const cause =
      names.length > 0 ? ` probably due to existing reference in ${names.join(', ')}` : ''
    throw badRequest(`Failed to delete collection${cause}`)
  }
}

class CollectionInUseError extends Error {
  override name = 'CollectionInUseError'
}

/** Other collections with a relation to this one. PocketBase: core/collection_query.go */
function listReferencing(catalog: Catalog, collection: Collection): Collection[] {
  return catalog.all.filter(
    ({ id, fields }) =>
      id !== collection.id &&
      fields.some((field) => field.type === 'relation' && field.collectionId === collection.id),
  )
}

/** Drops a collection's table or view, its files and its row. Throws Postgres' error if a view reads it. */
export async function dropCollection(draft: CatalogDraft, collection: Collection): Promise<void> {
  if (collection.type === 'view') await dropView(draft.db, collection)
  else await sql`drop table if exists ${sql.id(toTableName(collection))}`.execute(draft.db)
  await dropFiles(draft.db, collection)
  await draft.remove(collection)
}

/** Deletes a collection. Throws a CollectionInUseError for a system collection, or if another needs it. */
async function deleteCollection(draft: CatalogDraft, collection: Collection): Promise<void> {
  if (collection.system)
    throw new CollectionInUseError(`[${collection.name}] system collections cannot be deleted`)
  const references = listReferencing(draft.catalog, collection)
  if (references.length > 0)
    throw new CollectionInUseError(`[${collection.name}] others refer to it`)
  await dropCollection(draft, collection)
  const problems = await refreshViews(draft, collection.id)
  if (problems.length > 0) throw new CollectionInUseError(problems.join('\n'))
}
