import type { Catalog } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { compile } from '../filter/compile.ts'
import { FilterError } from '../filter/errors.ts'
import type { RequestInfo } from '../filter/request.ts'

const NOBODY: RequestInfo = {
  context: 'default',
  method: 'GET',
  query: {},
  headers: {},
  body: {},
  auth: null,
}

/** Why a text cannot be a rule of this collection, in PocketBase's words; undefined if it can. */
export function checkRule(catalog: Catalog, collection: Collection, rule: string): string | undefined {
  try {
    compile(catalog, { collection, rule, filter: '', sort: '', request: NOBODY })
    return undefined
  } catch (error) {
    if (error instanceof FilterError) return error.message
    throw error
  }
}
