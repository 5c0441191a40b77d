import type { CatalogDraft } from '../collections/catalog-draft.ts'
import type { Collection } from '../collections/collection.ts'
import { importCollections } from '../collections/edit/import.ts'
import { InvalidCollection } from '../collections/invalid.ts'
import { withSavepoint } from '../db/savepoint.ts'
import { UserError } from '../errors.ts'
import type { ExportedCollection, Report } from './pocketbase-builtin.ts'

/** Saves a collection; an index that Postgres cannot make is left out and reported. */
async function saveOne(draft: CatalogDraft, raw: ExportedCollection, report: Report): Promise<Collection> {
  try {
    const [saved] = await withSavepoint(draft.db, () => importCollections(draft, [raw]))
    return saved!.collection
  } catch (error) {
    const faults = error instanceof InvalidCollection ? error.data.indexes : undefined
    if (!faults) throw new UserError(`collection ${raw.name}: ${(error as Error).message}`, { cause: error })
    const indexes = raw.indexes as string[]
    for (const [i, fault] of Object.entries(faults)) {
      report(
        `${raw.name}: an index was left out (${indexes[Number(i)]}): ${(fault as { message: string }).message}`,
      )
    }
    return saveOne(draft, { ...raw, indexes: indexes.filter((_, i) => !(i in faults)) }, report)
  }
}

/** Saves a collection unchanged; reports indexes that Postgres cannot make. Throws a UserError. */
export async function saveSource(
  draft: CatalogDraft,
  raw: ExportedCollection,
  report: Report,
): Promise<Collection> {
  const saved = await saveOne(draft, raw, report)
  await keepIdentity(draft, raw, saved)
  return saved
}

/** Keeps dates and token secrets, so that signed-in users stay signed in. */
async function keepIdentity(draft: CatalogDraft, raw: ExportedCollection, saved: Collection): Promise<void> {
  const { created, updated } = raw as unknown as Collection
  const token = 'authToken' in raw ? { authToken: raw.authToken } : {}
  await draft.put({ ...saved, created, updated, ...token } as Collection)
}
