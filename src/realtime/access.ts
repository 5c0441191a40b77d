import type { Catalog } from '../collections/catalog.ts'
import type { Collection, Rule } from '../collections/collection.ts'
import { ApiError } from '../errors.ts'
import { type Compiled, compile } from '../filter/compile.ts'
import { FilterError } from '../filter/errors.ts'
import type { RequestInfo } from '../filter/request.ts'
import { plainTest, type Test } from './plain.ts'

/**
 * Whether a record may be seen: always (even one that is gone), never, or if a condition holds, which is known here
 * (`test`) or has to be asked of the database (`question`).
 */
export type Access =
  | { readonly kind: 'always' | 'never' }
  | { readonly kind: 'test'; readonly test: Test; readonly params: readonly unknown[] }
  | { readonly kind: 'question'; readonly question: Compiled }

const ALWAYS: Access = { kind: 'always' }
export const NEVER: Access = { kind: 'never' }

/**
 * What a rule and the client's filter say of records of a collection. What makes no sense, or uses what is not the
 * client's to use, lets nothing through. PocketBase: apis/realtime.go, realtimeCanAccessRecord
 */
export function accessBy(
  catalog: Catalog,
  collection: Collection,
  rule: Rule,
  filter: string,
  request: RequestInfo,
): Access {
  const bound = request.auth?.isSuperuser ? '' : rule
  if (bound === null) return NEVER
  if (bound === '' && filter === '') return ALWAYS
  const question = compiled(catalog, collection, bound, filter, request)
  if (!question || question.never) return NEVER
  const isOwn = !question.from.includes(' JOIN ')
  const test = isOwn ? plainTest(collection, question.where) : undefined
  return test ? { kind: 'test', test, params: question.params } : { kind: 'question', question }
}

function compiled(
  catalog: Catalog,
  collection: Collection,
  rule: string,
  filter: string,
  request: RequestInfo,
): Compiled | undefined {
  try {
    return compile(catalog, { collection, rule, filter, sort: '', request })
  } catch (error) {
    if (error instanceof FilterError || error instanceof ApiError) return undefined
    throw error
  }
}
