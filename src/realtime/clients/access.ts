import type { Catalog } from '../../collections/catalog.ts'
import type { Collection, Rule } from '../../collections/collection.ts'
import { ApiError } from '../../errors.ts'
import { compile, prepare } from '../../filter/compile/compile.ts'
import type { CompiledFilter, Predicate } from '../../filter/compile/compiled-filter.ts'
import type { FilterQuery } from '../../filter/compile/filter-query.ts'
import { FilterError } from '../../filter/errors.ts'
import type { RequestInfo } from '../../request/request.ts'
import { isLocal } from './local-test.ts'
import { dependsOnTime } from './weight.ts'

/**
 * Whether a record may be seen: always (even one that is gone), never, or if a condition holds. Where there
 * is a question, the database has to be asked what is not known here: see testLocally.
 */
export type Access =
  | { readonly kind: 'always' | 'never' }
  | {
      readonly kind: 'if'
      readonly condition: Predicate
      readonly params: readonly unknown[]
      readonly question: CompiledFilter | undefined
    }

/** Seen by everybody, whatever is asked. */
export const ALWAYS: Access = { kind: 'always' }
const NEVER: Access = { kind: 'never' }

/**
 * What a rule and the client's filter say of records of a collection. What makes no sense, or uses what is
 * not the client's to use, lets nothing through. PocketBase: apis/realtime.go, realtimeCanAccessRecord
 */
export const accessBy = (
  catalog: Catalog,
  collection: Collection,
  rule: Rule,
  filter: string,
  request: RequestInfo,
): Access => accessMaker(catalog, collection, rule, filter, request)()

/** The same, to be called for each change: it is compiled once, and bound anew where it names the time. */
export function accessMaker(
  catalog: Catalog,
  collection: Collection,
  rule: Rule,
  filter: string,
  request: RequestInfo,
): () => Access {
  const bound = request.auth?.isSuperuser ? '' : rule
  if (bound === null) return () => NEVER
  if (bound === '' && filter === '') return () => ALWAYS
  const question: FilterQuery = { collection, rule: bound, filter, sort: '', request }
  return unlessWrong(
    () => {
      if (dependsOnTime(`${bound} ${filter}`)) {
        const bind = prepare(catalog, question)
        return () => unlessWrong(() => toAccess(bind()), NEVER)
      }
      const access = toAccess(compile(catalog, question))
      return () => access
    },
    () => NEVER,
  )
}

function toAccess(question: CompiledFilter): Access {
  if (question.never) return NEVER
  const { params, structure } = question
  const { condition } = structure
  return { kind: 'if', condition, params, question: isLocal(condition) ? undefined : question }
}

function unlessWrong<T>(work: () => T, otherwise: T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof FilterError || error instanceof ApiError) return otherwise
    throw error
  }
}
