import type { Catalog } from '../collections/catalog.ts'
import type { Collection, Rule } from '../collections/collection.ts'
import { ApiError } from '../errors.ts'
import { type Compiled, compile } from '../filter/compile.ts'
import { FilterError } from '../filter/errors.ts'
import type { RequestInfo } from '../filter/request.ts'
import { plainOf, type Test } from './plain.ts'

/**
 * Whether a record may be seen: always (even one that is gone), never, or if a condition holds. What the test says of
 * that is known here; where there is a question, the database has to be asked it as well.
 */
export type Access =
  | { readonly kind: 'always' | 'never' }
  | {
      readonly kind: 'if'
      readonly test: Test | undefined
      readonly params: readonly unknown[]
      readonly question: Compiled | undefined
    }

/** Seen by everybody, whatever is asked. */
export const ALWAYS: Access = { kind: 'always' }
const NEVER: Access = { kind: 'never' }

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
  const plain = plainOf(collection, question.where)
  const isKnown = plain?.isWhole === true && !question.from.includes(' JOIN ')
  return { kind: 'if', test: plain?.test, params: question.params, question: isKnown ? undefined : question }
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
