import type { CatalogDraft } from '../collections/catalog-draft.ts'
import { checkImported, ImportFault, importCollections } from '../collections/edit/import.ts'
import { InvalidCollection } from '../collections/invalid.ts'
import { UserError } from '../errors.ts'
import { checkRule } from '../rules/check-rule.ts'
import type { Progress } from '../tools/progress.ts'
import { isObject } from './files.ts'

/** Imports the collections of a schema file; returns their number. Throws a UserError. */
export async function importSchema(
  draft: CatalogDraft,
  file: string,
  schema: unknown,
  progress: Progress,
): Promise<number> {
  if (!Array.isArray(schema) || !schema.every(isObject)) {
    throw new UserError(`${file}: a list of collections expected, as PocketBase exports it.`)
  }
  try {
    await checkImported(draft, await importCollections(draft, schema, 'keep-needed'), checkRule)
  } catch (error) {
    if (!(error instanceof InvalidCollection || error instanceof ImportFault)) throw error
    throw new UserError(`${file}: ${error.message}`)
  }
  progress('collections', schema.length, schema.length)
  return schema.length
}
