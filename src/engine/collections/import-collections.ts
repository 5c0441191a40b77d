import type { Field } from '../fields/field.ts'
import { ShapeError } from '../fields/json-shapes.ts'
import type { CatalogDraft, Store } from './catalog.ts'
import type { Collection } from './collection.ts'
import { type BuiltIn, isOptionalField } from './definition/built-in-collections.ts'
import { completeCollection } from './definition/complete-collection.ts'
import { parseChangedCollection, parseNewCollection } from './definition/read-collection.ts'
import { addField } from './definition/read-field.ts'
import { dropCollection } from './edit.ts'
import { explainSqliteError } from './from-sqlite/sqlite-fault.ts'
import { saveCollection } from './save-collection.ts'
import { type RuleCheck, validateCollection } from './validate.ts'
import { isQueryFault } from './views/view-query.ts'

type Raw = Readonly<Record<string, unknown>>

/** The treatment of stored fields that are not submitted. `keep-needed` drops only optional built-in ones. */
type UnnamedFields = 'keep' | 'keep-needed' | 'delete'

/** Adds stored fields that `next` lacks, as `unnamed` says. Fields match by id, or by name and type. */
function keepOldFields(
  builtIn: BuiltIn,
  next: Collection,
  old: Collection,
  unnamed: UnnamedFields,
): Collection {
  let { fields } = next
  const isNamed = (field: Field) =>
    next.fields.some(({ id, name }) => id === field.id || name === field.name)
  for (const field of old.fields) {
    if (unnamed === 'delete' && !field.system) continue
    if (unnamed === 'keep-needed' && isOptionalField(builtIn, old, field) && !isNamed(field))
      continue
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

function readImported(draft: CatalogDraft, raw: Raw, unnamed: UnnamedFields): Collection {
  const old = draft.catalog.find(String(raw.id || raw.name || ''))
  if (!old)
    return completeCollection(
      parseNewCollection(raw),
      new Set(draft.catalog.all.map(({ id }) => id)),
    )
  const cleared = unnamed === 'delete' && raw.fields == null ? { ...raw, fields: [] } : raw
  return completeCollection(
    keepOldFields(draft.catalog.builtIn, parseChangedCollection(cleared, old), old, unnamed),
  )
}

function loadImported(draft: CatalogDraft, raw: Raw, unnamed: UnnamedFields): Collection {
  try {
    return readImported(draft, raw, unnamed)
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error
    throw new ImportFault(
      `failed to load collection "${raw.name ?? raw.id}": ${error.message}`,
      error.message,
    )
  }
}

async function explainChangeError(
  verb: string,
  { name }: Collection,
  work: Promise<void>,
): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isQueryFault(error)) throw error
    throw new ImportFault(`failed to ${verb} collection "${name}": ${explainSqliteError(error)}`)
  })
}

/** Compares by time of creation. Views are last, because they read other collections. */
const compareForImport = (a: Collection, b: Collection) =>
  Number(a.type === 'view') - Number(b.type === 'view') ||
  a.created.localeCompare(b.created) ||
  a.updated.localeCompare(b.updated)

/** Throws, as PocketBase, for a new collection whose name or id an earlier one of the import has. */
function refuseTwin({ id, name }: Collection, earlier: readonly Collection[]): void {
  const isTwin = (one: Collection) => one.name.toLowerCase() === name.toLowerCase()
  const twin = earlier.find((one) => isTwin(one) || one.id === id)
  if (!twin) return
  const reason =
    twin.name === name
      ? 'constraint failed: UNIQUE constraint failed: _collections.name (2067)'
      : isTwin(twin)
        ? `SQL logic error: table \`${name}\` already exists (1)`
        : 'constraint failed: UNIQUE constraint failed: _collections.id (1555)'
  throw new ImportFault(`failed to save collection "${name}": ${reason}`)
}

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
  const imported = raws.map((raw) => loadImported(draft, raw, unnamed)).sort(compareForImport)
  for (const [i, one] of imported.entries())
    if (!before.find(one.id)) refuseTwin(one, imported.slice(0, i))
  const kept = new Set(imported.map(({ id }) => id))
  const dropped =
    unnamed === 'delete' ? before.all.filter(({ id, system }) => !system && !kept.has(id)) : []
  const needed = dropped.find((one) => before.isBuiltIn(one))
  if (needed)
    throw new ImportFault(`pocketsms needs the collection ${needed.name}: it must be in the list`)
  for (const collection of dropped.sort(compareForImport).reverse())
    await explainChangeError('delete', collection, dropCollection(draft, collection))
  // a collection without a name cannot have a table; validation refuses it later
  for (const collection of imported)
    if (collection.name)
      await explainChangeError('save', collection, saveCollection(draft, collection))
  return imported.map((collection) => ({
    collection: draft.catalog.all.find(({ id }) => id === collection.id) ?? collection,
    old: before.all.find(({ id }) => id === collection.id),
  }))
}

/** Validates imported collections after all of them are saved. Throws an InvalidCollection. */
export async function validateImported(
  store: Store,
  imported: readonly Imported[],
  checkRule: RuleCheck,
) {
  for (const { collection, old } of imported)
    await validateCollection({ store, next: collection, old: old ?? collection, checkRule })
}
