import { isSqlError } from '../db/errors.ts'
import {
  ApiError,
  badRequest,
  type ErrorData,
  type FieldError,
  fieldError,
  notFound,
  plainMessage,
} from '../errors.ts'
import type { Field } from '../fields/field.ts'
import { ShapeError } from '../fields/shape.ts'
import { isObject } from '../tools/json.ts'
import {
  type Catalog,
  type CatalogDraft,
  type Collection,
  InvalidCollection,
  quote,
  type Store,
  tableName,
} from './catalog.ts'
import { type Collections, saveCollection } from './catalog-store.ts'
import { isBuiltIn, isOptionalField } from './definition/built-in.ts'
import { addField, complete, idOf, readNew, readOver } from './definition/complete.ts'
import { sqliteErrorText } from './sqlite/sqlite-fault.ts'
import { dropFiles } from './table.ts'
import { type RuleCheck, validateCollection } from './validate.ts'
import { dropView, isQueryFault, refreshViews } from './views/view.ts'

const FAILED = 'Failed to update collection.'

/** The 400 of a failed save. Leaves internal errors unchanged. PocketBase: apis/collection.go */
function refusal(sentence: string, error: unknown): unknown {
  if (error instanceof ApiError) return error
  if (error instanceof ShapeError)
    return badRequest('Failed to load the submitted data due to invalid formatting.')
  if (error instanceof InvalidCollection) return badRequest(sentence, error.data)
  return isQueryFault(error) ? badRequest(`${sentence} Raw error: \n${sqliteErrorText(error)}`) : error
}

/** Whether indexes are submitted. If not, PocketBase puts the generated id into names of default indexes. */
const bringsIndexes = (raw: unknown) => Object.hasOwn(raw ?? {}, 'indexes')

/** The error for a changed id: 400 if a collection with the new id exists, else 404, as in PocketBase. */
const otherId = ({ catalog }: Store, id: string) =>
  catalog.find(id)
    ? badRequest(FAILED, { id: fieldError('validation_values_mismatch', "Values don't match") })
    : notFound()

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
    await validateCollection({ store: draft, next, old: undefined, checkRule })
    await saveCollection(draft, next)
    return next.id
  })

/** Updates a collection with the submitted keys. Throws 404, or 400 with all errors. */
export const updateCollection = (store: Collections, nameOrId: string, raw: unknown, checkRule: RuleCheck) =>
  save(store, FAILED, async (draft) => {
    const old = draft.catalog.find(nameOrId)
    if (!old) throw notFound()
    const read = readOver(raw, old)
    if (read.id !== old.id) throw otherId(draft, read.id)
    const next = complete(read)
    await validateCollection({ store: draft, next, old, checkRule })
    await saveCollection(draft, next)
    return old.id
  })

/** Deletes a collection and its records. Throws 404, or 400 if the server, a relation or a view needs it. */
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

class CollectionInUseError extends Error {
  override name = 'CollectionInUseError'
}

/** Other collections with a relation to this one. PocketBase: core/collection_query.go */
function referencesTo(catalog: Catalog, collection: Collection): Collection[] {
  return catalog.all.filter(
    ({ id, fields }) =>
      id !== collection.id &&
      fields.some((field) => field.type === 'relation' && field.collectionId === collection.id),
  )
}

/** Drops a collection's table or view, its files and its row. Throws Postgres' error if a view reads it. */
export async function dropCollection(draft: CatalogDraft, collection: Collection): Promise<void> {
  if (collection.type === 'view') await dropView(draft.db, collection)
  else await draft.db.query(`drop table if exists ${quote(tableName(collection))}`)
  await dropFiles(draft.db, collection)
  await draft.remove(collection)
}

/** Deletes a collection. Throws a CollectionInUseError for a system collection, or if another needs it. */
async function deleteCollection(draft: CatalogDraft, collection: Collection): Promise<void> {
  if (collection.system)
    throw new CollectionInUseError(`[${collection.name}] system collections cannot be deleted`)
  const references = referencesTo(draft.catalog, collection)
  if (references.length > 0) throw new CollectionInUseError(`[${collection.name}] others refer to it`)
  await dropCollection(draft, collection)
  const problems = await refreshViews(draft, collection.id)
  if (problems.length > 0) throw new CollectionInUseError(problems.join('\n'))
}

type Raw = Readonly<Record<string, unknown>>

/** What happens to stored fields that are not submitted. `keep-needed` drops only optional built-in ones. */
type UnnamedFields = 'keep' | 'keep-needed' | 'delete'

/** Adds stored fields that `next` lacks, as `unnamed` says. Fields match by id, or by name and type. */
function withOldFields(next: Collection, old: Collection, unnamed: UnnamedFields): Collection {
  let { fields } = next
  const isNamed = (field: Field) => next.fields.some(({ id, name }) => id === field.id || name === field.name)
  for (const field of old.fields) {
    if (unnamed === 'delete' && !field.system) continue
    if (unnamed === 'keep-needed' && isOptionalField(old, field) && !isNamed(field)) continue
    if (fields.some((one) => one.id === field.id)) continue
    const place = fields.findIndex((one) => one.name === field.name)
    if (place >= 0 && fields[place]!.type === field.type)
      fields = fields.with(place, { ...fields[place]!, id: field.id })
    fields = addField(fields, field)
  }
  return { ...next, fields } as Collection
}

export class ImportFault extends Error {
  override name = 'ImportFault'
  /** The message as PocketBase writes it. It may lack the collection's name. */
  readonly reason: string

  constructor(message: string, reason = message) {
    super(message)
    this.reason = reason
  }
}

function read(draft: CatalogDraft, raw: Raw, unnamed: UnnamedFields): Collection {
  const old = draft.catalog.find(String(raw.id || raw.name || ''))
  if (!old) return complete(readNew(raw), new Set(draft.catalog.all.map(({ id }) => id)))
  const cleared = unnamed === 'delete' && raw.fields == null ? { ...raw, fields: [] } : raw
  return complete(withOldFields(readOver(cleared, old), old, unnamed))
}

function load(draft: CatalogDraft, raw: Raw, unnamed: UnnamedFields): Collection {
  try {
    return read(draft, raw, unnamed)
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error
    throw new ImportFault(
      `failed to load collection "${raw.name ?? raw.id}": ${error.message}`,
      error.message,
    )
  }
}

async function attempt(verb: string, { name }: Collection, work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isQueryFault(error)) throw error
    throw new ImportFault(`failed to ${verb} collection "${name}": ${sqliteErrorText(error)}`)
  })
}

/** Compares by time of creation. Views come last, because they read other collections. */
const inOrder = (a: Collection, b: Collection) =>
  Number(a.type === 'view') - Number(b.type === 'view') ||
  a.created.localeCompare(b.created) ||
  a.updated.localeCompare(b.updated)

export interface Imported {
  readonly collection: Collection
  readonly old: Collection | undefined
}

/** Saves collections without validation. If `unnamed` is `delete`, drops stored ones not in `raws`. */
export async function importCollections(
  draft: CatalogDraft,
  raws: readonly Raw[],
  unnamed: UnnamedFields = 'keep',
): Promise<Imported[]> {
  const before = draft.catalog
  const imported = raws.map((raw) => load(draft, raw, unnamed)).sort(inOrder)
  const kept = new Set(imported.map(({ id }) => id))
  const dropped = unnamed === 'delete' ? before.all.filter(({ id, system }) => !system && !kept.has(id)) : []
  const needed = dropped.find(isBuiltIn)
  if (needed) throw new ImportFault(`pocketsms needs the collection ${needed.name}: it must be in the list`)
  for (const collection of dropped.sort(inOrder).reverse())
    await attempt('delete', collection, dropCollection(draft, collection))
  // a collection without a name cannot have a table; validation refuses it later
  for (const collection of imported)
    if (collection.name) await attempt('save', collection, saveCollection(draft, collection))
  return imported.map((collection) => ({
    collection: draft.catalog.all.find(({ id }) => id === collection.id) ?? collection,
    old: before.all.find(({ id }) => id === collection.id),
  }))
}

/** Validates imported collections after all of them are saved. Throws an InvalidCollection. */
export async function checkImported(store: Store, imported: readonly Imported[], checkRule: RuleCheck) {
  for (const { collection, old } of imported)
    await validateCollection({ store, next: collection, old: old ?? collection, checkRule })
}

const IMPORT_FAILED = 'Failed to import collections.'
const CODE = 'validation_collections_import_failure'

const failure = (reason: string) => badRequest(IMPORT_FAILED, { collections: fieldError(CODE, reason) })

/** Errors as Go prints them: messages by key, keys sorted. */
function messages(data: ErrorData | FieldError): unknown {
  if (typeof data.code === 'string') return plainMessage(data as FieldError)
  const entries = Object.entries(data as ErrorData).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, error]) => [key, messages(error)]))
}

function invalid({ collection: { name, id }, data }: InvalidCollection): ApiError {
  const list = JSON.stringify(messages(data), null, 2)
  return failure(`Data validations failed for collection "${name}" (${id}):\n${list}`)
}

function readForm(collections: unknown): Record<string, unknown>[] {
  const isList =
    collections == null || (Array.isArray(collections) && collections.every((c) => c === null || isObject(c)))
  if (!isList) throw badRequest('An error occurred while loading the submitted data.')
  if (!collections || collections.length === 0) {
    const blank = fieldError('validation_required', 'cannot be blank')
    throw badRequest('An error occurred while validating the submitted data.', { collections: blank })
  }
  return collections.map((one) => one ?? {})
}

/** Imports all collections or none, then validates. Throws 400. PocketBase: apis/collection_import.go */
export async function importAll(
  store: Collections,
  form: { readonly collections: unknown; readonly deleteMissing: boolean },
  checkRule: RuleCheck,
): Promise<void> {
  const raws = readForm(form.collections)
  try {
    await store.change(async (draft) => {
      const imported = await importCollections(draft, raws, form.deleteMissing ? 'delete' : 'keep')
      await checkImported(draft, imported, checkRule).catch((error: unknown) => {
        throw error instanceof InvalidCollection ? invalid(error) : error
      })
    })
  } catch (error) {
    if (error instanceof ApiError) throw error
    if (error instanceof InvalidCollection) throw badRequest(IMPORT_FAILED, error.data)
    if (!(error instanceof ImportFault)) throw error
    throw failure(`Failed to import the collections configuration. Raw error:\n${error.reason}`)
  }
}
