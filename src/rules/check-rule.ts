import type { Catalog } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { compile } from '../filter/compile/compile.ts'
import { FilterError } from '../filter/errors.ts'
import { NO_REQUEST } from '../request/request.ts'

/** Why a text is no valid rule of this collection, in PocketBase's words; undefined if valid. */
export function checkRule(catalog: Catalog, collection: Collection, rule: string): string | undefined {
  try {
    compile(catalog, { collection, rule, filter: '', sort: '', request: NO_REQUEST })
    return undefined
  } catch (error) {
    if (error instanceof FilterError) return error.message
    throw error
  }
}
