import { isSqlError } from '../../db/errors.ts'
import { ApiError, badRequest, fieldError, notFound } from '../../errors.ts'
import { ShapeError } from '../../fields/shape.ts'
import type { Collections } from '../catalog/catalog-store.ts'
import { saveCollection } from '../catalog/save.ts'
import type { CatalogDraft, Collection, Store } from '../catalog.ts'
import { isBuiltIn } from '../definition/built-in.ts'
import { complete, idOf, readNew, readOver } from '../definition/complete.ts'
import { InvalidCollection } from '../invalid.ts'
import { sqliteErrorText } from '../table/sqlite-error-text.ts'
import { type RuleCheck, validateCollection } from '../validate/validate.ts'
import { isQueryFault } from '../views/view.ts'
import { CollectionInUseError, deleteCollection, referencesTo } from './remove.ts'

const FAILED = 'Failed to update collection.'

/** The 400 of a failed save; internal errors pass unchanged. PocketBase: apis/collection.go */
function refusal(sentence: string, error: unknown): unknown {
  if (error instanceof ApiError) return error
  if (error instanceof ShapeError)
    return badRequest('Failed to load the submitted data due to invalid formatting.')
  if (error instanceof InvalidCollection) return badRequest(sentence, error.data)
  return isQueryFault(error) ? badRequest(`${sentence} Raw error: \n${sqliteErrorText(error)}`) : error
}

/** Whether indexes are submitted. If not, PocketBase uses the generated id in the names of default ones. */
const bringsIndexes = (raw: unknown) => Object.hasOwn(raw ?? {}, 'indexes')

/** The error for a changed id. PocketBase first looks for a collection with the new id. */
const otherId = ({ catalog }: Store, id: string) =>
  catalog.find(id)
    ? badRequest(FAILED, { id: fieldError('validation_values_mismatch', "Values don't match") })
    : notFound()

async function saveChecked(
  draft: CatalogDraft,
  next: Collection,
  old: Collection | undefined,
  checkRule: RuleCheck,
): Promise<void> {
  await validateCollection({ store: draft, next, old, checkRule })
  await saveCollection(draft, next)
}

async function save(store: Collections, failure: string, work: (draft: CatalogDraft) => Promise<string>) {
  try {
    const id = await store.change(work)
    return store.catalog.find(id)!
  } catch (error) {
    throw refusal(failure, error)
  }
}

/** Creates a collection from submitted JSON and returns it as stored. Throws 400 with all errors. */
export const createCollection = (store: Collections, raw: unknown, checkRule: RuleCheck) =>
  save(store, 'Failed to create collection.', async (draft) => {
    const taken = new Set(draft.catalog.all.map((one) => one.id))
    const read = readNew(raw)
    const next = complete(read, taken, bringsIndexes(raw) ? undefined : idOf(read))
    await saveChecked(draft, next, undefined, checkRule)
    return next.id
  })

/** Updates a collection from submitted JSON; missing keys stay. Throws 404, or 400 with all errors. */
export const updateCollection = (store: Collections, nameOrId: string, raw: unknown, checkRule: RuleCheck) =>
  save(store, FAILED, async (draft) => {
    const old = draft.catalog.find(nameOrId)
    if (!old) throw notFound()
    const read = readOver(raw, old)
    if (read.id !== old.id) throw otherId(draft, read.id)
    await saveChecked(draft, complete(read), old, checkRule)
    return old.id
  })

/** Deletes a collection and its records. Throws 404, or 400 if the gateway, a relation or a view needs it. */
export async function removeCollection(store: Collections, nameOrId: string): Promise<void> {
  const collection = store.catalog.find(nameOrId)
  if (!collection) throw notFound()
  if (isBuiltIn(collection))
    throw badRequest(`Failed to delete collection: pocketsms needs ${collection.name} for itself.`)
  try {
    await store.change(async (draft) => {
      const present = draft.catalog.find(collection.id)
      if (!present) throw notFound()
      await deleteCollection(draft, present)
    })
  } catch (error) {
    if (!(error instanceof CollectionInUseError) && !isSqlError(error)) throw error
    const names = referencesTo(store.catalog, collection).map(({ name }) => name)
    const cause = names.length > 0 ? ` probably due to existing reference in ${names.join(', ')}` : ''
    throw badRequest(`Failed to delete collection${cause}`)
  }
}
